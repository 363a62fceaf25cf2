"""Names of the datasets outside Kafka, from what connectors are configured with."""

from headwater.model import naming
from headwater.model.naming import DatasetName


def name_system(namespace: str, name: str) -> DatasetName:
    """A dataset of a system, in OpenLineage's spelling."""
    if namespace.startswith("kafka://"):
        return naming.kafka(namespace.removeprefix("kafka://"), name)
    if namespace.startswith(("s3://", "gs://")):
        return DatasetName(namespace, _constant(name).strip("/") or "/")
    return DatasetName(namespace, name)


def name_location(
    warehouse: str, table: str, database_suffix: str = ""
) -> tuple[DatasetName, DatasetName]:
    """A table named by where it is, and its other name: what its catalog calls it."""
    database, _, name_in_it = table.rpartition(".")
    folder = f"{database.replace('.', '/')}{database_suffix}/" if database else ""
    name = naming.by_location(f"{warehouse.rstrip('/')}/{folder}{name_in_it}")
    return name, naming.in_warehouse(*naming.by_location(warehouse), table)


def in_database(within: str, table: str) -> str:
    """A table's whole name: what it leaves out of its database and schema is put before it."""
    above = within.split(".") if within else []
    missing = len(above) - table.count(".")
    return ".".join([*above[: max(missing, 0)], table])


def _constant(key: str) -> str:
    """The folder that is the same for all objects, of a key with expressions in it."""
    before, expression, _ = key.partition("${")
    return before.rpartition("/")[0] if expression else key
