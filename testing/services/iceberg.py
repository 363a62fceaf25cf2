"""Iceberg in a Spark session: tables in a folder, under a catalog named `lake`."""

from pathlib import Path

_CLASSES = "org.apache.iceberg.spark"


def catalog_conf(warehouse: Path) -> dict[str, str]:
    """Settings of a session."""
    return {
        "spark.sql.extensions": f"{_CLASSES}.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.lake": f"{_CLASSES}.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(warehouse),
        # Else a session counts stale rows.
        "spark.sql.catalog.lake.cache-enabled": "false",
    }
