"""Delta in a Spark session: its catalog in the place of Spark's own."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"


def new_session(spark: "SparkSession") -> "SparkSession":
    """Another session of the same application, whose catalog has Delta's tables."""
    session = spark.newSession()
    catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    session.conf.set("spark.sql.catalog.spark_catalog", catalog)
    # By default 50 tasks read the log of a table, however short it is.
    session.conf.set("spark.databricks.delta.snapshotPartitions", "2")
    return session
