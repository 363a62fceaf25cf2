"""Which system a dataset or a job belongs to, for display."""

from functools import lru_cache

# Schemes that are another name of a system.
_SAME = {
    "s3a": "s3",
    "s3n": "s3",
    "postgresql": "postgres",
    "gs": "gcs",
    "abfss": "azure",
    "abfs": "azure",
    "wasbs": "azure",
    "sqlserver": "mssql",
    "dbfs": "databricks",
}


@lru_cache(maxsize=1_024)
def system_of_dataset(namespace: str) -> str:
    """The scheme of a namespace: `kafka` of `kafka://broker:9092`, `bigquery` of `bigquery`."""
    scheme = namespace.partition("://")[0].partition(":")[0].lower()
    return _SAME.get(scheme, scheme)


def system_of_job(integration: object, namespace: str) -> str:
    """What a producer calls itself in `jobType.integration`; else a scheme in the namespace."""
    if isinstance(integration, str) and integration:
        return integration.lower()
    return system_of_dataset(namespace) if "://" in namespace else ""
