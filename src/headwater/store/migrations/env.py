"""What Alembic runs for every upgrade: on the connection it is given."""

from alembic import context

from headwater.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite rolls schema changes back too, though Alembic does not count on it.
    transactional_ddl=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
