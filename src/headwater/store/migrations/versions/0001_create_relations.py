"""Create the relations."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None

TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "event",
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("type", sa.SmallInteger(), nullable=False),
        sa.Column("job", sa.LargeBinary(), nullable=True),
        sa.Column("run", sa.LargeBinary(), nullable=True),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("at", "digest"),
    )
    op.create_table(
        "content",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "column_map_edge",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("output_column", TEXT, nullable=False),
        sa.Column("input_dataset", sa.LargeBinary(), nullable=False),
        sa.Column("input_column", TEXT, nullable=False),
        sa.Column("type", TEXT, nullable=True),
        sa.Column("subtype", TEXT, nullable=True),
        sa.Column("masking", sa.SmallInteger(), nullable=True),
        sa.Column("description", TEXT, nullable=True),
        sa.PrimaryKeyConstraint("digest", "position"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dataset",
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("namespace_id", sa.LargeBinary(), nullable=False),
        sa.Column("namespace", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_index("dataset_by_name", "dataset", ["namespace_id", "name"])
    op.create_table(
        "job",
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("namespace_id", sa.LargeBinary(), nullable=False),
        sa.Column("namespace", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("first_seen", sa.BigInteger(), nullable=True),
        sa.Column("last_seen", sa.BigInteger(), nullable=True),
        sa.Column("parent", sa.LargeBinary(), nullable=True),
        sa.Column("parent_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 80},
    )
    op.create_index("job_by_name", "job", ["namespace_id", "name"])
    op.create_table(
        "run",
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("name", TEXT, nullable=True),
        sa.Column("job", sa.LargeBinary(), nullable=True),
        sa.Column("job_at", sa.BigInteger(), nullable=True),
        sa.Column("parent_run", sa.LargeBinary(), nullable=True),
        sa.Column("parent_job", sa.LargeBinary(), nullable=True),
        sa.Column("root_run", sa.LargeBinary(), nullable=True),
        sa.Column("root_job", sa.LargeBinary(), nullable=True),
        sa.Column("parent_at", sa.BigInteger(), nullable=True),
        sa.Column("first_event", sa.BigInteger(), nullable=True),
        sa.Column("last_event", sa.BigInteger(), nullable=True),
        sa.Column("first_start", sa.BigInteger(), nullable=True),
        sa.Column("last_start", sa.BigInteger(), nullable=True),
        sa.Column("last_running", sa.BigInteger(), nullable=True),
        sa.Column("first_datasets", sa.BigInteger(), nullable=True),
        sa.Column("terminal", sa.SmallInteger(), nullable=True),
        sa.Column("terminal_at", sa.BigInteger(), nullable=True),
        sa.Column("nominal_start", sa.BigInteger(), nullable=True),
        sa.Column("nominal_end", sa.BigInteger(), nullable=True),
        sa.Column("nominal_at", sa.BigInteger(), nullable=True),
        sa.Column("code", sa.LargeBinary(), nullable=True),
        sa.Column("code_at", sa.BigInteger(), nullable=True),
        sa.Column("sql", sa.LargeBinary(), nullable=True),
        sa.Column("sql_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 80},
    )
    op.create_index(
        "run_by_execution",
        "run",
        ["job", "parent_run", "first_event"],
        sqlite_where=sa.text("parent_run IS NOT NULL"),
        postgresql_where=sa.text("parent_run IS NOT NULL"),
    )
    op.create_index("run_by_job", "run", ["job", "first_event"])
    op.create_index(
        "run_by_name",
        "run",
        ["name"],
        sqlite_where=sa.text("name IS NOT NULL"),
        postgresql_where=sa.text("name IS NOT NULL"),
    )
    op.create_table(
        "run_dataset",
        sa.Column("run", sa.LargeBinary(), nullable=False),
        sa.Column("dataset", sa.LargeBinary(), nullable=False),
        sa.Column("direction", sa.SmallInteger(), nullable=False),
        sa.Column("first_seen", sa.BigInteger(), nullable=True),
        sa.Column("last_seen", sa.BigInteger(), nullable=True),
        sa.Column("schema", sa.LargeBinary(), nullable=True),
        sa.Column("schema_at", sa.BigInteger(), nullable=True),
        sa.Column("columns", sa.LargeBinary(), nullable=True),
        sa.Column("columns_at", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.LargeBinary(), nullable=True),
        sa.Column("version_at", sa.BigInteger(), nullable=True),
        sa.Column("statistics", sa.LargeBinary(), nullable=True),
        sa.Column("statistics_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("run", "dataset", "direction"),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 80},
    )
    op.create_table(
        "job_dataset",
        sa.Column("job", sa.LargeBinary(), nullable=False),
        sa.Column("dataset", sa.LargeBinary(), nullable=False),
        sa.Column("direction", sa.SmallInteger(), nullable=False),
        sa.Column("first_seen", sa.BigInteger(), nullable=True),
        sa.Column("last_seen", sa.BigInteger(), nullable=True),
        sa.Column("schema", sa.LargeBinary(), nullable=True),
        sa.Column("schema_at", sa.BigInteger(), nullable=True),
        sa.Column("columns", sa.LargeBinary(), nullable=True),
        sa.Column("columns_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("job", "dataset", "direction"),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 80},
    )
    op.create_index("job_dataset_by_dataset", "job_dataset", ["dataset", "direction", "job"])
    op.create_table(
        "declared_dataset",
        sa.Column("author", sa.LargeBinary(), nullable=False),
        sa.Column("job", sa.LargeBinary(), nullable=False),
        sa.Column("dataset", sa.LargeBinary(), nullable=False),
        sa.Column("direction", sa.SmallInteger(), nullable=False),
        sa.Column("first_said", sa.BigInteger(), nullable=True),
        sa.Column("last_said", sa.BigInteger(), nullable=True),
        sa.Column("schema", sa.LargeBinary(), nullable=True),
        sa.Column("schema_at", sa.BigInteger(), nullable=True),
        sa.Column("columns", sa.LargeBinary(), nullable=True),
        sa.Column("columns_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("author", "job", "dataset", "direction"),
        sqlite_with_rowid=False,
    )
    op.create_index("declared_dataset_by_dataset", "declared_dataset", ["dataset"])
    op.create_index("declared_dataset_by_job", "declared_dataset", ["job"])
    op.create_table(
        "declaration",
        sa.Column("author", sa.LargeBinary(), nullable=False),
        sa.Column("job", sa.LargeBinary(), nullable=False),
        sa.Column("last_said", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("author", "job"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "facet",
        sa.Column("owner", sa.LargeBinary(), nullable=False),
        sa.Column("slot", sa.SmallInteger(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("author", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=True),
        sa.Column("digest_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("owner", "slot", "name", "author"),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 80},
    )
    op.create_table(
        "sample",
        sa.Column("run", sa.LargeBinary(), nullable=False),
        sa.Column("dataset", sa.LargeBinary(), nullable=False),
        sa.Column("direction", sa.SmallInteger(), nullable=False),
        sa.Column("minute", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=True),
        sa.Column("files", sa.BigInteger(), nullable=True),
        sa.Column("lag", sa.BigInteger(), nullable=True),
        sa.Column("counted_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("run", "dataset", "direction", "minute"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "alias",
        sa.Column("dataset", sa.LargeBinary(), nullable=False),
        sa.Column("other", sa.LargeBinary(), nullable=False),
        sa.Column("voice", sa.SmallInteger(), nullable=False),
        sa.Column("joined", sa.SmallInteger(), nullable=True),
        sa.Column("joined_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("dataset", "other", "voice"),
        sqlite_with_rowid=False,
    )
    op.create_index("alias_by_other", "alias", ["other"])
    op.create_table(
        "lifecycle",
        sa.Column("dataset", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("change", TEXT, nullable=False),
        sa.Column("previous", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("dataset", "at", "change", "previous"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "hidden",
        sa.Column("entity", sa.LargeBinary(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.Column("restored_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("entity"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "edit_value",
        sa.Column("entity", sa.LargeBinary(), nullable=False),
        sa.Column("slot", sa.LargeBinary(), nullable=False),
        sa.Column("field", TEXT, nullable=False),
        sa.Column("aspect", TEXT, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=True),
        sa.Column("digest_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("entity", "slot"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rejected",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("source", TEXT, nullable=False),
        sa.Column("path", TEXT, nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("rejected_by_time", "rejected", ["received_at"])
    op.create_table(
        "store_state",
        sa.Column("id", sa.SmallInteger(), nullable=False, autoincrement=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.execute("INSERT INTO store_state (id, generation) VALUES (1, 1)")
