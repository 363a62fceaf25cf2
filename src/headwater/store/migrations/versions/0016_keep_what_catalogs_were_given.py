"""Keep what each catalog was given, and what publishers do that run by themselves."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0016"
down_revision = "0015"

_COUNTS = ("created", "updated", "removed", "unchanged", "skipped", "failed")


def upgrade() -> None:
    text = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
    op.create_table(
        "catalog_target",
        sa.Column("name", text, nullable=False),
        sa.Column("publisher", text, nullable=False),
        sa.Column("address", text, nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in _COUNTS),
        sa.Column("problem", text, nullable=True),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "published_item",
        sa.Column("target", text, nullable=False),
        sa.Column("kind", text, nullable=False),
        sa.Column("key", text, nullable=False),
        sa.Column("subject", text, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("reference", text, nullable=False),
        sa.Column("published_at", sa.BigInteger(), nullable=True),
        sa.Column("problem", text, nullable=True),
        sa.Column("problem_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("target", "kind", "key"),
    )
    op.create_table(
        "publisher",
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
