"""How each adapter's tables are named: as dbt-ol names them, with the names others give them.

Other names are symlinks, so that a table is one node whoever reports it: OpenLineage's own rules
differ from dbt-ol's for some warehouses, and Snowflake keeps what is not quoted in upper case.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from headwater.collect.dbt.fetch import ProjectFiles
from headwater.collect.dbt.profiles import ProfileOutput, read_profile
from headwater.collect.dbt.settings import DbtSettings
from headwater.errors import BadConfig
from headwater.model import naming
from headwater.model.naming import DatasetName

# Dialects of the SQL engine by adapter; of others the best fitting is chosen.
_DIALECTS = {
    **{
        each: each
        for each in (
            *("athena", "bigquery", "clickhouse", "databricks", "doris", "dremio", "drill"),
            *("duckdb", "exasol", "fabric", "hive", "mysql", "oracle", "postgres", "presto"),
            *("redshift", "risingwave", "singlestore", "snowflake", "spark", "sqlite"),
            *("starrocks", "teradata", "trino"),
        )
    },
    "glue": "spark",
    "fabricspark": "spark",
    "watsonx_spark": "spark",
    "watsonx_presto": "presto",
    "materialize": "postgres",
    "greenplum": "postgres",
    "cratedb": "postgres",
    "mariadb": "mysql",
    "mysql5": "mysql",
    "sqlserver": "tsql",
    "synapse": "tsql",
}
# What a host without a port means in a profile.
_PORTS = {
    "postgres": "5432",
    "greenplum": "5432",
    "cratedb": "5432",
    "redshift": "5439",
    "materialize": "6875",
    "risingwave": "4566",
    "trino": "8080",
    "presto": "8080",
    "watsonx_presto": "8080",
    "dremio": "9047",
    "sqlserver": "1433",
    "synapse": "1433",
    "mysql": "3306",
    "mysql5": "3306",
    "mariadb": "3306",
    "singlestore": "3306",
    "oracle": "1521",
    "teradata": "1025",
    "starrocks": "9030",
    "doris": "9030",
    "exasol": "8563",
}
_SCHEMES = {
    "sqlserver": "mssql",
    "synapse": "mssql",
    "mysql5": "mysql",
    "greenplum": "postgres",
    "cratedb": "crate",
    "watsonx_presto": "presto",
}
_NAME_PART = re.compile(r'"[^"]*"|[^."]+')
# Without TLS, and with it.
_CLICKHOUSE_HTTP = ("8123", "8443")
_CLICKHOUSE_NATIVE = ("9000", "9440")
_SPARK_PORTS = {"http": ":443", "odbc": ":443", "thrift": ":10001"}


class TableParts(NamedTuple):
    """A table as dbt knows it; an adapter without databases or schemas has none."""

    database: str
    schema: str
    table: str
    relation_name: str = ""
    """As SQL has it, quoted or not."""

    @property
    def name(self) -> str:
        return ".".join(filter(None, (self.database, self.schema, self.table)))


class Warehouse(NamedTuple):
    """Where the tables of a project are."""

    adapter: str
    namespace: str
    other_name: Callable[[TableParts], DatasetName | None] = lambda parts: None
    other_namespaces: tuple[str, ...] = ()
    """What others call the same place; tables have the same names there."""

    @property
    def dialect(self) -> str | None:
        return _DIALECTS.get(self.adapter)

    def dataset(self, parts: TableParts) -> DatasetName:
        return DatasetName(self.namespace, parts.name)

    def other_names(self, parts: TableParts) -> list[DatasetName]:
        """The names that others give a table, where they differ."""
        own = self.dataset(parts)
        found = [self.other_name(parts)]
        if self.adapter == "snowflake" and parts.relation_name:
            found.append(DatasetName(own.namespace, _kept_by_snowflake(parts.relation_name)))
        names = [own, *filter(None, found)]
        found += [name._replace(namespace=each) for each in self.other_namespaces for name in names]
        return [each for each in dict.fromkeys(found) if each is not None and each != own]


def _kept_by_snowflake(relation_name: str) -> str:
    """A name as Snowflake keeps it: each part that is not quoted in upper case."""
    parts = _NAME_PART.findall(relation_name)
    return ".".join(each.strip('"') if each[0] == '"' else each.upper() for each in parts)


def name_warehouse(adapter: str, profile: ProfileOutput | None, namespace: str = "") -> Warehouse:
    """The warehouse of an adapter by its profile; a namespace that is given counts."""
    if namespace:
        return Warehouse(adapter, namespace)
    if adapter == "bigquery":
        return Warehouse(adapter, "bigquery")
    assert profile is not None
    make = _NAMERS.get(adapter, _by_host)
    return make(adapter, profile)


def find_warehouse(settings: DbtSettings, files: ProjectFiles) -> Warehouse:
    """The warehouse of a project; raises BadConfig where nothing tells how it is called."""
    adapter = files.manifest.metadata.adapter_type or ""
    if settings.namespace or adapter == "bigquery":
        return name_warehouse(adapter, None, settings.namespace)
    profile = read_profile(settings, files.results)
    kind = profile.find("type")
    if adapter and kind and kind != adapter:
        reason = f"is of type {kind}, and the files were made with {adapter}"
        raise BadConfig(profile.place, f"{reason}; --profile-target names another target")
    return name_warehouse(adapter or profile.get("type"), profile)


def _by_host(adapter: str, profile: ProfileOutput) -> Warehouse:
    host = profile.get("host", "server", "hostname", "software_host", "dsn")
    port = profile.find("port") or _PORTS.get(adapter, "")
    if port and not port.isdecimal():
        raise BadConfig(profile.place, f"'port' is no number: {port!r}")
    scheme = _SCHEMES.get(adapter, adapter)
    return Warehouse(adapter, f"{scheme}://{host}:{port}" if port else f"{scheme}://{host}")


def _clickhouse(adapter: str, profile: ProfileOutput) -> Warehouse:
    """A server has a port for each protocol, and others may use another of them."""
    is_secure = profile.find("secure").lower() == "true"
    is_native = profile.find("driver") == "native" or profile.find("port") in _CLICKHOUSE_NATIVE
    usual = (_CLICKHOUSE_NATIVE if is_native else _CLICKHOUSE_HTTP)[is_secure]
    port = profile.find("port") or usual
    own = f"clickhouse://{profile.get('host')}:{port}"
    ports = (*_CLICKHOUSE_HTTP, *_CLICKHOUSE_NATIVE)
    others = [f"clickhouse://{profile.get('host')}:{each}" for each in ports if each != port]
    return Warehouse(adapter, own, other_namespaces=tuple(others) if port in ports else ())


def _redshift(adapter: str, profile: ProfileOutput) -> Warehouse:
    """dbt-ol names the host; others the cluster and region that the host begins with."""
    found = _by_host(adapter, profile)
    cluster, _, rest = profile.get("host").partition(".")
    region = rest.split(".")[1] if rest.endswith(".amazonaws.com") and rest.count(".") > 3 else ""
    port = int(found.namespace.rpartition(":")[2])

    def other(parts: TableParts) -> DatasetName | None:
        if not region:
            return None
        return naming.redshift(cluster, region, port, parts.database, parts.schema, parts.table)

    return found._replace(other_name=other)


def _snowflake(adapter: str, profile: ProfileOutput) -> Warehouse:
    """An account's name has no region; its older locator has one, and the cloud.

    Connectors name it by its URL, in which the case means nothing, and which may leave out both.
    """
    account = stated = profile.get("account")
    parts = account.split(".")
    if "-" in parts[0]:
        account = parts[0]
    elif len(parts) < 3:
        account = ".".join([*parts, *("us-west-1", "aws")[len(parts) - 1 :]])
    own = f"snowflake://{account}"
    others = [stated, stated.lower(), stated.lower().removesuffix(".aws"), account.lower()]
    places = dict.fromkeys(f"snowflake://{each}" for each in others)
    return Warehouse(adapter, own, other_namespaces=tuple(each for each in places if each != own))


def _databricks(adapter: str, profile: ProfileOutput) -> Warehouse:
    host = profile.get("host")

    def other(parts: TableParts) -> DatasetName | None:
        if not parts.database:
            return None
        return naming.unity_catalog(host, parts.database, parts.schema, parts.table)

    return Warehouse(adapter, f"databricks://{host}", other)


def _athena(adapter: str, profile: ProfileOutput) -> Warehouse:
    region = profile.get("region_name")
    role = profile.find("assume_role_arn").split(":")
    account = role[4] if len(role) > 4 else ""

    def other(parts: TableParts) -> DatasetName | None:
        return naming.glue(region, account, parts.schema, parts.table) if account else None

    return Warehouse(adapter, f"awsathena://athena.{region}.amazonaws.com", other)


def _glue(adapter: str, profile: ProfileOutput) -> Warehouse:
    """As dbt-ol: the account of the profile, or of its role."""
    region = profile.get("region")
    account = profile.find("account_id") or _account_of(profile)

    def other(parts: TableParts) -> DatasetName | None:
        return naming.glue(region, account, parts.schema, parts.table)

    return Warehouse(adapter, f"arn:aws:glue:{region}:{account}", other)


def _account_of(profile: ProfileOutput) -> str:
    parts = profile.get("role_arn").split(":")
    if len(parts) < 5:
        raise BadConfig(profile.place, "'role_arn' is none of AWS, which has an account in it")
    return parts[4]


def _spark(adapter: str, profile: ProfileOutput) -> Warehouse:
    port = profile.find("port")
    end = f":{port}" if port else _SPARK_PORTS.get(profile.find("method"), "")
    return Warehouse(adapter, f"spark://{profile.get('host')}{end}")


def _fabric(adapter: str, profile: ProfileOutput) -> Warehouse:
    port = profile.find("port")
    server = profile.get("server", "host")
    return Warehouse(adapter, f"fabric-warehouse://{server}{f':{port}' if port else ''}")


def _file(adapter: str, profile: ProfileOutput) -> Warehouse:
    """A database in a file; the path as the profile has it, as dbt-ol takes it.

    What follows a `?` is settings of MotherDuck, such as its token.
    """
    return Warehouse(adapter, f"{adapter}://{profile.get('path').partition('?')[0]}")


_NAMERS: Mapping[str, Callable[[str, ProfileOutput], Warehouse]] = {
    "clickhouse": _clickhouse,
    "redshift": _redshift,
    "snowflake": _snowflake,
    "databricks": _databricks,
    "athena": _athena,
    "glue": _glue,
    "spark": _spark,
    "fabric": _fabric,
    "duckdb": _file,
}
