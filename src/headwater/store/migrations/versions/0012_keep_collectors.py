"""Keep what collectors do that run by themselves."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    text = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
    op.create_table(
        "collector",
        sa.Column("name", text, nullable=False),
        sa.Column("type", text, nullable=False),
        sa.Column("every_seconds", sa.BigInteger(), nullable=False),
        sa.Column("holder", text, nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("requested_at", sa.BigInteger(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=True),
        sa.Column("stored", sa.BigInteger(), nullable=False),
        sa.Column("refused", sa.BigInteger(), nullable=False),
        sa.Column("all_stored", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("problem", text, nullable=True),
        sa.PrimaryKeyConstraint("name"),
    )
