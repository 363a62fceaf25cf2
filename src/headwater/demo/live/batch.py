"""The batch job of the scene, as anybody would write it: what each supplier earned, by day."""

from pyspark.sql import SparkSession
from pyspark.sql.functions import count
from pyspark.sql.functions import sum as sum_of

from headwater.demo.live.place import CLEANED, SUMMARY

_COLUMNS = "supplier string, day date, orders bigint, revenue decimal(20,2)"


def summarise_by_supplier(spark: SparkSession) -> None:
    """Overwrite the summary."""
    by_day = spark.table(CLEANED).groupBy("supplier", "day")
    summary = by_day.agg(count("*").alias("orders"), sum_of("price").alias("revenue"))
    spark.sql(f"CREATE TABLE IF NOT EXISTS {SUMMARY} ({_COLUMNS}) USING parquet")
    summary.write.insertInto(SUMMARY, overwrite=True)
