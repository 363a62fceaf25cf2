"""What Alembic runs for every upgrade: on the connection it is given."""

from alembic import context

from headwater.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
