"""How datasets of each system are named, so that names from different producers meet.

OpenLineage's rules: the namespace says which system, the name which dataset in it. Kinesis has no
rule there; it is named as OpenLineage's Spark integration does.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

_UNKNOWN = "unknown://"


class DatasetName(NamedTuple):
    namespace: str
    name: str


def _in_schema(
    scheme: str, default_port: int, host: str, port: int | None, parent: str, schema: str, name: str
) -> DatasetName:
    """Name a table of a server that has schemas; no port means the system's usual one."""
    return DatasetName(f"{scheme}://{host}:{port or default_port}", f"{parent}.{schema}.{name}")


def _in_database(
    scheme: str, default_port: int, host: str, port: int | None, parent: str, name: str
) -> DatasetName:
    """Name a table of a server without schemas; no port means the system's usual one."""
    return DatasetName(f"{scheme}://{host}:{port or default_port}", f"{parent}.{name}")


# (host, port, database, schema, table); Oracle's database is a service, Trino's a catalog.
postgres = partial(_in_schema, "postgres", 5432)
mssql = partial(_in_schema, "mssql", 1433)
db2 = partial(_in_schema, "db2", 50000)
crate = partial(_in_schema, "crate", 5432)
oracle = partial(_in_schema, "oracle", 1521)
trino = partial(_in_schema, "trino", 8080)

# (host, port, database, table); Cassandra's database is a keyspace.
mysql = partial(_in_database, "mysql", 3306)
mariadb = partial(_in_database, "mariadb", 3306)
teradata = partial(_in_database, "teradata", 1025)
hive = partial(_in_database, "hive", 10000)
cassandra = partial(_in_database, "cassandra", 9042)


def redshift(
    cluster: str, region: str, port: int | None, database: str, schema: str, table: str
) -> DatasetName:
    """Name a table of a Redshift cluster."""
    return _in_schema("redshift", 5439, f"{cluster}.{region}", port, database, schema, table)


def snowflake(account: str, database: str, schema: str, table: str) -> DatasetName:
    """Name a Snowflake table; `org-account` and the legacy locator are two names, not joined."""
    return DatasetName(f"snowflake://{account}", f"{database}.{schema}.{table}")


def bigquery(project: str, dataset: str, table: str) -> DatasetName:
    """Name a BigQuery table; the namespace is the same for all projects."""
    return DatasetName("bigquery", f"{project}.{dataset}.{table}")


def unity_catalog(host: str, catalog: str, schema: str, table: str) -> DatasetName:
    """Name a table of a Unity Catalog."""
    return DatasetName(f"unitycatalog://{host}", f"{catalog}.{schema}.{table}")


def athena(region: str, catalog: str, database: str, table: str) -> DatasetName:
    """Name an Athena table."""
    namespace = f"awsathena://athena.{region}.amazonaws.com"
    return DatasetName(namespace, f"{catalog}.{database}.{table}")


def glue(region: str, account: str, database: str, table: str) -> DatasetName:
    """Name a table of the Glue catalog."""
    return DatasetName(f"arn:aws:glue:{region}:{account}", f"table/{database}/{table}")


def kafka(bootstrap: str | Sequence[str], topic: str) -> DatasetName:
    """Name a topic by the first broker of a bootstrap list, as OpenLineage's integrations do.

    A security protocol before it (`SASL_SSL://`) is dropped, and a missing port is 9092.
    """
    brokers = bootstrap.split(",") if isinstance(bootstrap, str) else bootstrap
    broker = brokers[0].strip().rpartition("://")[2] if brokers else ""
    if not broker:
        raise ValueError("a bootstrap list names at least one broker")
    # Behind the bracket of an IPv6 address only a port has a colon.
    has_port = ":" in broker.rpartition("]")[2]
    return DatasetName(f"kafka://{broker}" if has_port else f"kafka://{broker}:9092", topic)


def kinesis(authority: str, stream: str) -> DatasetName:
    """Name a Kinesis stream."""
    return DatasetName(f"kinesis://{authority}", stream)


def pubsub(project: str, topic: str) -> DatasetName:
    """Name a Pub/Sub topic."""
    return DatasetName("pubsub", f"topic:{project}:{topic}")


def s3(bucket: str, key: str) -> DatasetName:
    """Name objects under a key of an S3 bucket, whichever scheme (s3a, s3n) reads them."""
    return DatasetName(f"s3://{bucket}", _object_key(key))


def gcs(bucket: str, key: str) -> DatasetName:
    """Name objects under a key of a Google Cloud Storage bucket."""
    return DatasetName(f"gs://{bucket}", _object_key(key))


def abfss(container: str, service: str, path: str) -> DatasetName:
    """Name a path of Azure's data lake; `service` is the host (`account.dfs.core.windows.net`)."""
    return DatasetName(f"abfss://{container}@{service}", _object_key(path))


def wasbs(container: str, service: str, path: str) -> DatasetName:
    """Name a path of Azure's blobs; `service` is the host (`account.blob.core.windows.net`)."""
    return DatasetName(f"wasbs://{container}@{service}", _object_key(path))


def hdfs(host: str, port: int | None, path: str) -> DatasetName:
    """Name a path of HDFS by its name node."""
    return DatasetName(f"hdfs://{host}:{port or 8020}", _file_path(path))


def local_file(path: str) -> DatasetName:
    """Name a path of the machine an event comes from."""
    return DatasetName("file", _file_path(path))


def by_location(location: str) -> DatasetName:
    """Name what is at a location of any file system: `s3a://bucket/key`, `file:/a/b`, `/a/b`."""
    parts = urlsplit(location)
    match parts.scheme:
        case "s3" | "s3a" | "s3n":
            return s3(parts.netloc, parts.path)
        case "gs":
            return gcs(parts.netloc, parts.path)
        case "hdfs":
            return hdfs(parts.hostname or "", parts.port, parts.path)
        case "abfs" | "abfss":
            container, _, service = parts.netloc.partition("@")
            return abfss(container, service, parts.path)
        case "wasb" | "wasbs":
            container, _, service = parts.netloc.partition("@")
            return wasbs(container, service, parts.path)
        case "" | "file":
            return local_file(parts.path)
    return DatasetName(f"{parts.scheme}://{parts.netloc}", parts.path)


def in_warehouse(namespace: str, folder: str, table: str) -> DatasetName:
    """Name a table as its catalog calls it, for one whose files are in a folder of a namespace.

    It is the other name of such a table, spelled as OpenLineage's Spark integration does.
    """
    root = "file:" if namespace == "file" else namespace
    return DatasetName(f"{root}/{folder.strip('/')}".rstrip("/"), table)


def _object_key(key: str) -> str:
    """A key has no slash around it; a whole bucket is `/`."""
    return key.strip("/") or "/"


def _file_path(path: str) -> str:
    """A path keeps its first slash and drops its last."""
    return path.rstrip("/") or "/"


def unknown_namespace(job_namespace: str, job_name: str) -> str:
    """Where a job's datasets are whose namespace its events leave empty."""
    return f"{_UNKNOWN}{job_namespace}/{job_name}"


def is_unknown(namespace: str) -> bool:
    """Whether it is not known where a dataset is."""
    return namespace.startswith(_UNKNOWN)
