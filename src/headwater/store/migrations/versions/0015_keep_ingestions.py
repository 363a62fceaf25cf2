"""Keep ingestions by name, their newest runs, and what came through them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    text = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
    op.create_table(
        "ingestion",
        sa.Column("name", text, nullable=False),
        sa.Column("body", text, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_by", text, nullable=False),
        sa.Column("is_paused", sa.SmallInteger(), nullable=False),
        sa.Column("holder", text, nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("requested_at", sa.BigInteger(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("all_stored", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("problem", text, nullable=True),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "ingestion_run",
        sa.Column("ingestion", text, nullable=False),
        sa.Column("started_at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("stored", sa.BigInteger(), nullable=False),
        sa.Column("rejected", sa.BigInteger(), nullable=False),
        sa.Column("excluded", sa.BigInteger(), nullable=False),
        sa.Column("marked", sa.BigInteger(), nullable=False),
        sa.Column("lag", sa.BigInteger(), nullable=True),
        sa.Column("problem", text, nullable=True),
        sa.PrimaryKeyConstraint("ingestion", "started_at"),
    )
    op.create_table(
        "ingestion_member",
        sa.Column("ingestion", text, nullable=False),
        sa.Column("kind", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("entity", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("ingestion", "kind", "entity"),
        sqlite_with_rowid=False,
    )
