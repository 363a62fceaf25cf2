"""The stream of the scene, as anybody would write it: orders in files become a clean table."""

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, lower, sha2, to_date, trim

from headwater.demo.live.place import CLEANED, STREAM

# As text, all of it: what is no number is to be found and left out, not to end the stream.
_ORDER = (
    "order_id string, item string, price string, supplier string, bid_time string, email string"
)


def clean_orders(spark: SparkSession, orders: Path, checkpoint: Path) -> None:
    """Read the files that came since the last time, two at once."""
    raw = spark.readStream.schema(_ORDER).option("maxFilesPerTrigger", 2).json(str(orders))
    typed = raw.select(
        col("order_id").try_cast("bigint").alias("order_id"),
        trim("item").alias("item"),
        col("price").try_cast("decimal(10,2)").alias("price"),
        trim("supplier").alias("supplier"),
        col("bid_time").try_cast("timestamp").alias("bid_time"),
        sha2(lower(trim("email")), 256).alias("customer"),
    )
    usable = typed.filter("order_id IS NOT NULL AND price > 0 AND bid_time IS NOT NULL")
    once = usable.withColumn("day", to_date("bid_time")).dropDuplicates(["order_id"])
    writer = once.writeStream.queryName(STREAM).option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).toTable(CLEANED).awaitTermination()
