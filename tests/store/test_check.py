"""What is missing or damaged is found, and a sound store has no findings; and what stats count."""

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from headwater.model.values.instant import DAY, parse_instant
from headwater.store.engine import open_engine
from headwater.store.maintenance.check import check_store
from headwater.store.stats.storage import DAYS, read_stats
from headwater.store.write.writer import open_writer
from tests.store.samples import COLUMN_MAP, dataset_facts

AT = parse_instant("2024-05-01T10:00:00Z")


@pytest.fixture
def filled(engine: Engine) -> Engine:
    fields = [{"name": f"column_{index}", "type": "TEXT"} for index in range(50)]
    facts = dataset_facts(
        columnLineage=COLUMN_MAP, schema={"fields": fields}, tags={"_deleted": True}
    )
    with closing(open_writer(engine)) as writer:
        writer.write([facts])
    return engine


def change(engine: Engine, statement: str) -> None:
    with engine.begin() as connection:
        connection.execute(text(statement))


def test_a_sound_store(engine: Engine, filled: Engine) -> None:
    assert check_store(engine) == []


def test_a_store_without_tables(empty_engine: Engine) -> None:
    (finding,) = check_store(empty_engine)
    assert "empty" in finding


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("DELETE FROM content", "declared_dataset.schema refers to 1 contents that are missing"),
        ("DELETE FROM content", "declared_dataset.columns refers to 1 contents that are missing"),
        ("UPDATE content SET body = digest", "2 contents are damaged"),
        ("UPDATE alembic_version SET version_num = '0001'", "run `headwater db upgrade`"),
        ("UPDATE alembic_version SET version_num = '9999'", "this version does not support"),
        ("DROP TABLE hidden", "tables are missing: hidden"),
    ],
)
def test_what_is_wrong_is_found(filled: Engine, statement: str, finding: str) -> None:
    change(filled, statement)
    assert any(finding in found for found in check_store(filled))


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_damaged_file(filled: Engine) -> None:
    """PostgreSQL's pages are its own to check."""
    change(filled, "PRAGMA user_version = 1")
    with filled.connect() as connection:
        connection.exec_driver_sql("ROLLBACK")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.exec_driver_sql("BEGIN")
    filled.dispose()
    file = Path(str(filled.url.database))
    data = bytearray(file.read_bytes())
    for start in range(4096, len(data), 4096):
        data[start : start + 64] = b"\xff" * 64
    file.write_bytes(data)
    damaged = open_engine(str(filled.url))
    assert check_store(damaged)
    damaged.dispose()


def test_stats_count_rows_bytes_and_days(filled: Engine) -> None:
    stats = read_stats(filled, AT + DAY)
    rows = {table.name: table.rows for table in stats.tables}
    assert (rows["event"], rows["content"], rows["run"], rows["store_state"]) == (1, 2, 0, 1)
    assert stats.bytes > 0
    assert all(table.bytes is None or table.bytes >= 0 for table in stats.tables)
    assert len(stats.days) == DAYS
    assert [day for day in stats.days if day.events] == [("2024-05-01", 1)]
    assert stats.events_per_day == pytest.approx(1 / (DAYS - 1))
    assert 0 < stats.bytes_per_day <= stats.bytes / (DAYS - 1)


def test_stats_of_a_store_without_tables(empty_engine: Engine) -> None:
    stats = read_stats(empty_engine, AT)
    assert (stats.tables, stats.days, stats.events_per_day, stats.bytes_per_day) == ([], [], 0, 0)
