"""Let several readers use the outbox, each with notes of its own: the lake is the first."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"

TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    _create_readers()
    if op.get_bind().dialect.name == "sqlite":
        _copy_outbox()
    else:
        _alter_outbox()
    op.create_table(
        "refused_event",
        sa.Column("reader", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("refused_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("reader", "at", "digest"),
        sqlite_with_rowid=False,
    )


def _create_readers() -> None:
    op.create_table(
        "outbox_reader",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("publisher", TEXT, nullable=False),
        sa.Column("address", TEXT, nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.Column("lacks_history", sa.SmallInteger(), nullable=False),
        sa.Column("sent", sa.BigInteger(), nullable=False),
        sa.Column("refused", sa.BigInteger(), nullable=False),
        sa.Column("last_sent_at", sa.BigInteger(), nullable=True),
        sa.Column("last_error", TEXT, nullable=True),
        sa.Column("last_error_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("outbox_reader_by_name", "outbox_reader", ["name"], unique=True)
    op.execute(
        "INSERT INTO outbox_reader"
        " (id, name, publisher, address, registered_at, lacks_history, sent, refused)"
        " VALUES (0, 'lake', 'lake', '', 0, 0, 0, 0)"
    )


def _copy_outbox() -> None:
    """SQLite cannot change a key: a table with the new one takes the place of the old."""
    op.create_table(
        "outbox_of_readers",
        # By default the lake's: servers of the version before write on until they are replaced.
        sa.Column("reader", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("reader", "at", "digest"),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO outbox_of_readers (reader, at, digest)"
        " SELECT 0, at, digest FROM outbox ORDER BY at, digest"
    )
    op.drop_table("outbox")
    op.rename_table("outbox_of_readers", "outbox")


def _alter_outbox() -> None:
    op.execute("ALTER TABLE outbox ADD COLUMN reader SMALLINT NOT NULL DEFAULT 0")
    op.execute("ALTER TABLE outbox DROP CONSTRAINT outbox_pkey")
    op.execute("ALTER TABLE outbox ADD CONSTRAINT outbox_pkey PRIMARY KEY (reader, at, digest)")
