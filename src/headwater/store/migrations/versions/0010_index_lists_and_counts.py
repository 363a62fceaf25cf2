"""Index jobs by name and by update over all namespaces, and events of runs by type; note up to when
events were pruned."""

import time

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    is_of_run = sa.text("kind = 0")
    op.create_index(
        "event_types",
        "event",
        ["at", "type"],
        sqlite_where=is_of_run,
        postgresql_where=is_of_run,
    )
    _note_prunes()
    is_unseen = sa.text("first_seen IS NULL")
    op.create_index("job_by_whole_name", "job", ["name", "namespace"])
    op.create_index("job_by_update", "job", [sa.text("last_seen DESC"), "name", "namespace"])
    op.create_index("job_unseen", "job", ["id"], sqlite_where=is_unseen, postgresql_where=is_unseen)


def _note_prunes() -> None:
    """A store that was pruned before does not tell up to when: at most until now."""
    (generation,) = op.get_bind().execute(sa.text("SELECT generation FROM store_state")).one()
    op.drop_table("store_state")
    state = op.create_table(
        "store_state",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("pruned_before", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    pruned_before = time.time_ns() // 1000 if generation > 1 else None
    row = {"id": 1, "generation": generation, "pruned_before": pruned_before}
    op.bulk_insert(state, [row])
