"""Keep namespaces, sources and tags that persons name; find edits, and sources, without a scan."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"

TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "named",
        sa.Column("kind", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("first_said", sa.BigInteger(), nullable=True),
        sa.Column("last_said", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("kind", "name"),
        sqlite_with_rowid=False,
    )
    is_edit = sa.text("kind = 3")
    op.create_index("event_edits", "event", ["at"], sqlite_where=is_edit, postgresql_where=is_edit)
    is_source = sa.text("slot = 2 AND name = 'dataSource'")
    op.create_index(
        "facet_sources", "facet", ["digest"], sqlite_where=is_source, postgresql_where=is_source
    )
