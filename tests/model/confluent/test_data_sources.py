"""The documented forms of databases outside of Kafka."""

from headwater.model.confluent.data_sources import data_source, jdbc_name


def test_a_table_of_a_database_has_a_documented_name() -> None:
    namespace, name = "postgres://db.example.com:5432", "shop.public.orders"
    assert jdbc_name(namespace, name) == ("jdbc://db.example.com:5432", "orders")
    assert data_source(namespace, name) == (
        "PostgreSQL",
        "jdbc:postgresql://db.example.com:5432/shop",
    )


def test_what_is_no_database_has_none() -> None:
    assert jdbc_name("s3://bucket", "key") is None
    assert data_source("s3://bucket", "key") == ("s3", "s3://bucket")
