"""Names in Unity Catalog: of its tables, and of the objects that stand for what lies outside."""

import re
from collections.abc import Sequence

from headwater.answers.inventory.entries import DatasetRef
from headwater.model.uses import Name
from headwater.model.values.ids import dataset_id, job_id

LONGEST_NAME = 255
_SUFFIX = 9
# A securable's name has no dot, slash, space or control character.
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_-]+")

_SYSTEM_TYPES = {
    "bigquery": "GOOGLE_BIGQUERY",
    "confluent": "CONFLUENT",
    "databricks": "DATABRICKS",
    "kafka": "KAFKA",
    "mongodb": "MONGODB",
    "mssql": "MICROSOFT_SQL_SERVER",
    "mysql": "MYSQL",
    "oracle": "ORACLE",
    "postgres": "POSTGRESQL",
    "pulsar": "STREAM_NATIVE",
    "redshift": "AMAZON_REDSHIFT",
    "salesforce": "SALESFORCE",
    "sap": "SAP",
    "snowflake": "SNOWFLAKE",
    "synapse": "AZURE_SYNAPSE",
    "teradata": "TERADATA",
    "unitycatalog": "DATABRICKS",
}
_JOB_SYSTEM_TYPES = {"kafka_connect": "KAFKA", "databricks": "DATABRICKS", "confluent": "CONFLUENT"}
_PATHS = frozenset(("s3", "gcs", "azure", "hdfs", "file"))


def system_type(system: str) -> str:
    """Unity Catalog's word for a system of datasets; `OTHER` where it has none."""
    return _SYSTEM_TYPES.get(system, "OTHER")


def job_system_type(system: str) -> str:
    return _JOB_SYSTEM_TYPES.get(system, _SYSTEM_TYPES.get(system, "OTHER"))


def dataset_entity_type(system: str) -> str:
    if system in ("kafka", "confluent", "pulsar", "pubsub"):
        return "Topic"
    if system == "kinesis":
        return "Stream"
    return "Path" if system in _PATHS else "Table"


def job_entity_type(integration: str, kind: str) -> str:
    if integration.upper() == "KAFKA_CONNECT":
        return "Connector"
    return kind.replace("_", " ").capitalize() or "Job"


def object_name(system: str, name: Name, id: bytes) -> str:
    """A name that is allowed, and the same for good: what was cut or replaced of it is made up for
    by a part of the id."""
    readable = _NOT_ALLOWED.sub("_", f"{system}_{name.name}" if system else name.name).strip("_")
    return f"{readable[: LONGEST_NAME - _SUFFIX]}-{id.hex()[: _SUFFIX - 1]}"


def dataset_object_name(system: str, name: Name) -> str:
    return object_name(system, name, dataset_id(*name))


def job_object_name(system: str, name: Name) -> str:
    return object_name(system or "job", name, job_id(*name))


def table_name(dataset: DatasetRef, namespaces: Sequence[str]) -> str | None:
    """The table of this Unity Catalog that a dataset is, under any of its names."""
    for name in dataset.names:
        parts = name.name.split(".")
        if name.namespace in namespaces and len(parts) == 3 and all(parts):
            return name.name
    return None
