"""The stores that these tests empty and fill."""

from tests.graph.conftest import postgresql_store, sqlite_store, store

__all__ = ["postgresql_store", "sqlite_store", "store"]
