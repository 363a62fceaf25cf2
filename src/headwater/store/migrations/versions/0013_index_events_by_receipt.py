"""Index events by when they were received, on PostgreSQL: the newest are announced to readers."""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    # SQLite numbers rows as they come.
    if op.get_bind().dialect.name == "postgresql":
        op.create_index("event_by_receipt", "event", ["received_at"], postgresql_using="brin")
