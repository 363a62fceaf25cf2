"""Names of the datasets outside Kafka, from what connectors are configured with."""

import re

from headwater.model import naming
from headwater.model.naming import DatasetName


def name_system(namespace: str, name: str, is_folder: bool = False) -> DatasetName:
    """A dataset of a system, in OpenLineage's spelling; of a file's name, its folder."""
    namespace = without_credentials(namespace)
    if namespace.startswith("kafka://"):
        return naming.kafka(namespace.removeprefix("kafka://"), name)
    if namespace.startswith(("s3://", "gs://", "wasbs://", "abfss://")):
        return DatasetName(namespace, _constant(name, is_folder).strip("/") or "/")
    if namespace == "file" or namespace.startswith("hdfs://"):
        return DatasetName(namespace, re.sub("/+", "/", name).rstrip("/") or "/")
    return DatasetName(namespace, name)


def name_location(
    warehouse: str,
    table: str,
    database_suffix: str = "",
    root_database: str = "",
    catalog: str = "",
) -> tuple[DatasetName, DatasetName]:
    """A table named by where it is, and its other name: what its catalog calls it.

    Tables of the root database have no folder of a database above them.
    """
    database, _, name_in_it = table.rpartition(".")
    is_below = database and database != root_database
    folder = f"{database.replace('.', '/')}{database_suffix}/" if is_below else ""
    name = naming.by_location(f"{warehouse.rstrip('/')}/{folder}{name_in_it}")
    if catalog:
        address = without_credentials(re.sub("^thrift://", "hive://", catalog))
        return name, DatasetName(address, table)
    return name, naming.in_warehouse(*naming.by_location(warehouse), table)


def without_credentials(address: str) -> str:
    """The address of a server without its user and its options, which may be secrets."""
    if not re.match("jdbc:|https?://|hive://", address):
        return address
    return re.sub(r"(?<=://)[^/]*@|[?;].*", "", address)


def in_database(within: str, table: str) -> str:
    """A table's whole name: what it leaves out of its database and schema is put before it."""
    above = within.split(".") if within else []
    missing = len(above) - table.count(".")
    return ".".join([*above[: max(missing, 0)], table])


def _constant(key: str, is_folder: bool) -> str:
    """The folder that is the same for all objects, of a key with expressions in it."""
    before, *expressions = re.split(r"\$\{|\{\{", key, maxsplit=1)
    return before.rpartition("/")[0] if expressions or is_folder else key
