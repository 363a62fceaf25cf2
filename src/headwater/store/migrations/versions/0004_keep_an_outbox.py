"""Keep what is still to be carried on into the lake, and how far other sources are taken in."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"

TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "outbox",
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("at", "digest"),
        sqlite_with_rowid=False,
    )
    # There was no lake yet: it has none of them.
    op.execute("INSERT INTO outbox (at, digest) SELECT at, digest FROM event ORDER BY at, digest")
    op.create_table(
        "position",
        sa.Column("source", TEXT, nullable=False),
        sa.Column("partition", TEXT, nullable=False),
        sa.Column("incarnation", TEXT, server_default=sa.text("''"), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.Column("moved_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("source", "partition"),
    )
