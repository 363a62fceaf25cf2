"""Tables and queries behind JDBC, by URL; user, password and other options of it are left out."""

import hashlib
import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from headwater.model import naming
from headwater.model.naming import DatasetName

# Spark's own name of a query in the place of a table, with a new number each time.
_QUERY = re.compile(
    r"^\s*\((?P<query>.*)\)\s*(?:AS\s+)?[\w\"`\[\]]*\s*$", re.DOTALL | re.IGNORECASE
)
_ORACLE = re.compile(
    r"oracle:thin:(?:[^@]*)@(?://)?(?P<host>[^:/]+):?(?P<port>\d+)?[:/](?P<name>\w+)"
)
_REDSHIFT_HOST = re.compile(r"([\w-]+)\.[\w-]+\.([\w-]+)\.redshift")
# Databases in a file: the URL has a path in the place of a host.
_IN_FILES = ("derby", "duckdb", "h2", "sqlite")


class JdbcQuery(NamedTuple):
    """A query that a database answers in the place of a table."""

    text: str
    dialect: str


class _Address(NamedTuple):
    """Where a database is."""

    scheme: str
    host: str
    port: int | None
    database: str
    schema: str | None


def name_jdbc(url: str, table: str) -> DatasetName:
    """A JDBC table, as OpenLineage names those of its database."""
    address = _read(url)
    table = _unquote(table)
    if address.scheme in _IN_FILES:
        return DatasetName(f"{address.scheme}:{address.database}", table)
    named = _NAMED.get(address.scheme)
    if named is None:
        name = f"{address.database}.{table}" if address.database else table
        return DatasetName(_server(address), name)
    return named(address, table)


def name_jdbc_query(url: str, query: str) -> tuple[DatasetName, JdbcQuery]:
    """The name that stands for a query of a database: the same whenever it is the same query."""
    address = _read(url)
    text = query.strip().rstrip(";").strip()
    # How a query is laid out does not make it another.
    digest = hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]
    table = name_jdbc(url, "x")
    database = table.name.split(".")[0] if "." in table.name else ""
    name = f"{database}.(query {digest})" if database else f"(query {digest})"
    return DatasetName(table.namespace, name), JdbcQuery(
        text, _DIALECTS.get(address.scheme, address.scheme)
    )


def find_query(table: str) -> str | None:
    """The query in the place of a table, if there is one: `(SELECT ...) t`."""
    found = _QUERY.match(table)
    return found["query"].strip() if found else None


def _read(url: str) -> _Address:
    rest = url.removeprefix("jdbc:")
    scheme = rest.partition(":")[0].lower()
    scheme = _SCHEMES.get(scheme, scheme)
    if scheme in _IN_FILES:
        path = re.split(r"[;?]", rest.partition(":")[2])[0]
        return _Address(scheme, "", None, path.removeprefix("file:"), None)
    if scheme == "oracle" and (found := _ORACLE.match(rest)):
        return _Address(scheme, found["host"], _port(found["port"]), found["name"], None)
    # SQL Server and others have their properties behind semicolons.
    address, *properties = rest.split(";")
    given = dict(_property(each) for each in properties)
    parts = urlsplit(address)
    # A list of hosts is named by the first.
    first = parts.netloc.rpartition("@")[2].split(",")[0]
    host, port = _split_port(first)
    path = parts.path.strip("/")
    database = given.get("databasename") or given.get("database") or path
    schema = parse_qs(parts.query).get("currentSchema", [""])[0] or None
    if scheme == "teradata":
        # jdbc:teradata://host/DATABASE=sales,CHARSET=UTF8
        database = dict(_property(each) for each in path.split(",")).get("database", "")
    return _Address(scheme, host, port, database, schema)


def _property(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key.strip().lower(), value.strip()


def _split_port(text: str) -> tuple[str, int | None]:
    host, colon, port = text.rpartition(":")
    return (host, _port(port)) if colon and port.isdigit() else (text, None)


def _port(text: str | None) -> int | None:
    return int(text) if text else None


def _unquote(table: str) -> str:
    return ".".join(part.strip('"`[]') for part in table.strip().split("."))


def _server(address: _Address) -> str:
    port = f":{address.port}" if address.port else ""
    return f"{address.scheme}://{address.host}{port}"


def _in_schema(name: Callable[..., DatasetName], default: str) -> "_Namer":
    def named(address: _Address, table: str) -> DatasetName:
        *before, table = table.split(".")
        schema = before[-1] if before else address.schema or default
        database = before[-2] if len(before) > 1 else address.database
        return name(address.host, address.port, database, schema, table)

    return named


def _in_database(name: Callable[..., DatasetName]) -> "_Namer":
    def named(address: _Address, table: str) -> DatasetName:
        database, dot, rest = table.partition(".")
        parts = (database, rest) if dot else (address.database, table)
        return name(address.host, address.port, *parts)

    return named


def _redshift(address: _Address, table: str) -> DatasetName:
    schema, dot, rest = table.partition(".")
    parts = (schema, rest) if dot else (address.schema or "public", table)
    found = _REDSHIFT_HOST.match(address.host)
    if found is None:
        return DatasetName(
            f"redshift://{address.host}:{address.port or 5439}",
            ".".join((address.database, *parts)),
        )
    return naming.redshift(found[1], found[2], address.port, address.database, *parts)


def _trino(address: _Address, table: str) -> DatasetName:
    """A URL has a catalog, and may have a schema: `trino://host:8080/hive/sales`."""
    whole = ".".join((*address.database.split("/"), table)).split(".")[-3:]
    catalog, schema, name = whole if len(whole) == 3 else (whole[0], "default", whole[-1])
    return naming.trino(address.host, address.port, catalog, schema, name)


_Namer = Callable[[_Address, str], DatasetName]
_NAMED: dict[str, _Namer] = {
    "db2": _in_schema(naming.db2, "public"),
    "mssql": _in_schema(naming.mssql, "dbo"),
    "mariadb": _in_database(naming.mariadb),
    "mysql": _in_database(naming.mysql),
    "oracle": _in_schema(naming.oracle, "public"),
    "postgres": _in_schema(naming.postgres, "public"),
    "redshift": _redshift,
    "teradata": _in_database(naming.teradata),
    "trino": _trino,
}
# Schemes of URLs, as OpenLineage has them.
_SCHEMES = {"postgresql": "postgres", "sqlserver": "mssql"}
# By the names that SQL parsers have for them.
_DIALECTS = {"mssql": "tsql"}
