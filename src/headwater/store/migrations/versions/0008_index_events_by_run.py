"""Index events by their run, and jobs by their parent: pages of the web UI ask for both."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    has_run, has_parent = sa.text("run IS NOT NULL"), sa.text("parent IS NOT NULL")
    op.create_index(
        "event_by_run", "event", ["run", "at"], sqlite_where=has_run, postgresql_where=has_run
    )
    op.create_index(
        "job_by_parent", "job", ["parent"], sqlite_where=has_parent, postgresql_where=has_parent
    )
