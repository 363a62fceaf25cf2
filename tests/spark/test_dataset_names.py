"""Names of tables by where they are, as OpenLineage's own listener has them."""

import pytest

from headwater.model.naming import DatasetName
from headwater.spark.dataset_names import name_files, name_topics
from headwater.spark.datasets.catalogs import table_at


@pytest.mark.parametrize(
    ("location", "table", "path", "other"),
    [
        (
            "file:/data/lake/db/orders",
            "db.orders",
            ("file", "/data/lake/db/orders"),
            "file:/data/lake",
        ),
        (
            "/data/tables/orders",
            "default.orders",
            ("file", "/data/tables/orders"),
            "file:/data/tables",
        ),
        ("s3a://lake/wh/db/orders", "db.orders", ("s3://lake", "wh/db/orders"), "s3://lake/wh"),
        ("s3://lake/db/orders", "db.orders", ("s3://lake", "db/orders"), "s3://lake"),
    ],
)
def test_a_table_by_its_path_and_its_catalog(
    location: str, table: str, path: tuple[str, str], other: str
) -> None:
    relation = table_at(location, table)
    assert relation.name == DatasetName(*path)
    assert relation.other == DatasetName(other, table)


@pytest.mark.parametrize(
    ("options", "topics"),
    [
        ({"subscribe": "a, b"}, ["a", "b"]),
        ({"assign": '{"a": [0], "b": [1]}'}, ["a", "b"]),
        ({"assign": "nonsense"}, []),
        ({"topic": "a"}, ["a"]),
        ({}, []),
    ],
)
def test_topics_by_options(options: dict[str, str], topics: list[str]) -> None:
    found = name_topics({"kafka.bootstrap.servers": "h:9092", **options})
    assert [relation.name.name for relation in found] == topics
    assert name_topics(options) == []


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("file:/orders", ("file", "/orders")),
        ("file:/orders/", ("file", "/orders")),
        ("/orders/day=2026-11-18/hour=7", ("file", "/orders")),
        ("/orders/day=2026-11-18/part-00000-a1.c000.snappy.parquet", ("file", "/orders")),
        ("s3a://lake/orders/day=1", ("s3://lake", "orders")),
        ("/orders/2026.csv", ("file", "/orders/2026.csv")),
        ("/a=b", ("file", "/a=b")),
    ],
)
def test_parts_of_a_table_are_the_table(location: str, name: tuple[str, str]) -> None:
    """Whoever reads one day of it reads what others write."""
    assert name_files(location) == DatasetName(*name)
