"""Keep tasks that were asked for, and names of sets of events."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    text = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
    op.create_table(
        "task",
        sa.Column("id", text, nullable=False),
        sa.Column("type", text, nullable=False),
        sa.Column("status", text, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("holder", text, nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("progress", text, nullable=False),
        sa.Column("result", text, nullable=True),
        sa.Column("error", text, nullable=True),
        sa.Column("params", text, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("task_by_creation", "task", ["created_at"])
    op.create_index("task_by_status", "task", ["status", "created_at"])
    op.create_table(
        "event_set",
        sa.Column("id", text, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("modified_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "event_set_member",
        sa.Column("set_id", text, nullable=False),
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("set_id", "at", "digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("event_set_member_by_event", "event_set_member", ["at", "digest"])
