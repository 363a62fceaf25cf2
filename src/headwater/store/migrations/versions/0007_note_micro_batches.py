"""Note which jobs of a Spark application are streams, and which only micro-batches of them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "stream_job",
        sa.Column("job", sa.LargeBinary(), nullable=False),
        sa.Column("application", sa.LargeBinary(), nullable=False),
        sa.Column("role", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("last_seen", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("job", "application", "role"),
        sqlite_with_rowid=False,
    )
    op.create_index("stream_job_by_application", "stream_job", ["application", "role"])
