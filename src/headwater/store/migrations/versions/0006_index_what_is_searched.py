"""Index names and what is said of things by their words, for searches."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from headwater.store.search.index import fill_index

revision = "0006"
down_revision = "0005"

TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "search_word",
        sa.Column("term", TEXT, nullable=False),
        sa.Column("weight", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("source", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("term", "weight", "kind", "source"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "search_part",
        sa.Column("part", TEXT, nullable=False),
        sa.Column("term", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("part", "term"),
        sqlite_with_rowid=False,
    )
    worded = sa.text("slot IN (1, 2) AND name IN ('documentation', 'ownership', 'tags')")
    op.create_index(
        "facet_words", "facet", ["digest"], sqlite_where=worded, postgresql_where=worded
    )
    op.create_index("job_dataset_by_schema", "job_dataset", ["schema"])
    op.create_index("declared_dataset_by_schema", "declared_dataset", ["schema"])
    op.create_index("edit_value_by_digest", "edit_value", ["digest"])
    fill_index(op.get_bind())
