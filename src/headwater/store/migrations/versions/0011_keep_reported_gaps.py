"""Keep what producers did not understand of the jobs that they report, and every place that
rejected events came from."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "reported_gaps",
        sa.Column("job", sa.LargeBinary(), nullable=False),
        sa.Column("run", sa.LargeBinary(), nullable=False),
        sa.Column("gaps", sa.LargeBinary(), nullable=False),
        sa.Column("first_seen", sa.BigInteger(), nullable=True),
        sa.Column("last_seen", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("job", "run", "gaps"),
        sqlite_with_rowid=False,
    )
    op.create_index("reported_gaps_by_time", "reported_gaps", ["job", "first_seen"])
    op.create_index("reported_gaps_by_run", "reported_gaps", ["run"])
    text = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
    op.create_table(
        "rejected_place",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("source", text, nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", "source"),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO rejected_place (digest, source, received_at)"
        " SELECT digest, source, received_at FROM rejected"
    )
