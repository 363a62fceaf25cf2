"""Keep as history how datasets were described, what was declared and what was deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.drop_table("column_map_edge")
    _add_first_running()
    op.create_index("lifecycle_by_previous", "lifecycle", ["previous"])
    _key_by_description(
        "job_dataset",
        ("job", "dataset"),
        ("first_seen", "last_seen"),
        {"job_dataset_by_dataset": ["dataset", "direction", "job"]},
        is_often_updated=True,
    )
    _key_by_description(
        "declared_dataset",
        ("author", "job", "dataset"),
        ("first_said", "last_said"),
        {"declared_dataset_by_dataset": ["dataset"], "declared_dataset_by_job": ["job"]},
    )
    _keep_every_declaration()
    _keep_every_deletion()


def _keep_every_declaration() -> None:
    """Of what authors said of jobs, the last time is all that is known."""
    _rename("declaration")
    op.create_table(
        "declaration",
        sa.Column("author", sa.LargeBinary(), nullable=False),
        sa.Column("job", sa.LargeBinary(), nullable=False),
        sa.Column("said_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("author", "job", "said_at"),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO declaration (author, job, said_at)"
        " SELECT author, job, last_said FROM old_declaration WHERE last_said IS NOT NULL"
    )
    op.drop_table("old_declaration")


def _keep_every_deletion() -> None:
    _rename("hidden")
    op.create_table(
        "hidden",
        sa.Column("entity", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("is_deleted", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("entity", "at", "is_deleted"),
        sqlite_with_rowid=False,
    )
    for is_deleted, time in ((1, "deleted_at"), (0, "restored_at")):
        op.execute(
            "INSERT INTO hidden (entity, at, is_deleted)"
            f" SELECT entity, {time}, {is_deleted} FROM old_hidden WHERE {time} IS NOT NULL"
        )
    op.drop_table("old_hidden")


def _rename(table: str) -> None:
    op.rename_table(table, f"old_{table}")
    if op.get_context().dialect.name == "postgresql":
        # The name of a key stays with the renamed table.
        op.execute(f"ALTER TABLE old_{table} RENAME CONSTRAINT {table}_pkey TO old_{table}_pkey")


def _add_first_running() -> None:
    """Of runs that were heard of more than once, the last time is all that is known."""
    column = sa.Column("first_running", sa.BigInteger(), nullable=True)
    if op.get_context().dialect.name == "sqlite":
        # It adds columns only at the end; the table is made anew, with its columns as declared.
        options = {"sqlite_with_rowid": False}
        with op.batch_alter_table("run", recreate="always", table_kwargs=options) as run:
            run.add_column(column, insert_after="last_start")
    else:
        op.add_column("run", column)
    op.execute("UPDATE run SET first_running = last_running WHERE last_running IS NOT NULL")


def _key_by_description(
    table: str,
    ids: tuple[str, ...],
    times: tuple[str, ...],
    indexes: dict[str, list[str]],
    is_often_updated: bool = False,
) -> None:
    """Make schema and columns part of the key; what was the latest is all that is known."""
    for index in indexes:
        op.drop_index(index, table)
    _rename(table)
    keys = (*ids, "direction", "schema", "columns")
    op.create_table(
        table,
        *(sa.Column(name, sa.LargeBinary(), nullable=False) for name in ids),
        sa.Column("direction", sa.SmallInteger(), nullable=False),
        sa.Column("schema", sa.LargeBinary(), nullable=False),
        sa.Column("columns", sa.LargeBinary(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=True) for name in times),
        sa.PrimaryKeyConstraint(*keys),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 80} if is_often_updated else {},
    )
    old = sa.table(f"old_{table}", *(sa.column(name) for name in (*keys, *times)))
    described = (sa.func.coalesce(old.c[name], b"") for name in ("schema", "columns"))
    copied = sa.select(
        *(old.c[name] for name in (*ids, "direction")),
        *described,
        *(old.c[name] for name in times),
    )
    new = sa.table(table, *(sa.column(name) for name in (*keys, *times)))
    op.execute(sa.insert(new).from_select([*keys, *times], copied))
    op.drop_table(f"old_{table}")
    for index, columns in indexes.items():
        op.create_index(index, table, columns)
