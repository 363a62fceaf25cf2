"""The documented forms of databases outside: `jdbc://HOST:PORT` and the `dataSource` facet."""

from typing import NamedTuple
from urllib.parse import urlsplit

from headwater.model.naming import DatasetName


class DataSource(NamedTuple):
    """What a `dataSource` facet says: a system's name and where it is."""

    name: str
    uri: str


class _System(NamedTuple):
    name: str
    jdbc: str


_SYSTEMS = {
    "postgres": _System("PostgreSQL", "postgresql"),
    "mysql": _System("MySQL", "mysql"),
    "mariadb": _System("MariaDB", "mariadb"),
    "mssql": _System("SQL Server", "sqlserver"),
    "oracle": _System("Oracle", "oracle:thin"),
    "db2": _System("Db2", "db2"),
    "redshift": _System("Redshift", "redshift"),
}


def jdbc_name(namespace: str, name: str) -> DatasetName | None:
    """The documented name of a table of a database: `jdbc://HOST:PORT`, `TABLE`.

    Tables of several schemas may share it: it is accepted where it means one, and joins nothing.
    """
    scheme, _, authority = namespace.partition("://")
    if scheme not in _SYSTEMS:
        return None
    return DatasetName(f"jdbc://{authority}", name.rpartition(".")[2])


def data_source(namespace: str, name: str) -> DataSource:
    """What is known of the system that a dataset is in."""
    scheme, _, authority = namespace.partition("://")
    system = _SYSTEMS.get(scheme)
    if system is None:
        return DataSource(urlsplit(namespace).scheme or namespace, namespace)
    database = name.partition(".")[0]
    return DataSource(system.name, f"jdbc:{system.jdbc}://{authority}/{database}")
