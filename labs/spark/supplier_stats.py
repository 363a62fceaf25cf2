"""The batch job of the lab: what each supplier sold by day and hour, out of all orders."""

from contextlib import closing

from pyspark.sql import SparkSession
from pyspark.sql.functions import lit

import headwater.spark
from labs.spark.sessions import make_parser, open_spark

_STATS = """
    SELECT supplier, to_date(bid_time) AS bid_date, hour(bid_time) AS bid_hour,
        CAST(sum(price) AS decimal(10,2)) AS total_price, count(*) AS total_count
    FROM lake.db.orders
    GROUP BY supplier, to_date(bid_time), hour(bid_time)
"""


def write_stats(spark: SparkSession) -> None:
    spark.sql(
        "CREATE TABLE IF NOT EXISTS lake.db.supplier_stats (supplier string, bid_date date, "
        "bid_hour int, total_price decimal(10,2), total_count bigint) USING iceberg"
    )
    spark.sql(_STATS).writeTo("lake.db.supplier_stats").overwrite(lit(True))


def main() -> None:
    options = make_parser(__doc__).parse_args()
    with open_spark("SupplierStats", options.folder) as spark:
        url = options.server
        listening = headwater.spark.listen(spark, url=url, namespace="fh-local", batch=True)
        with closing(listening):
            write_stats(spark)


if __name__ == "__main__":
    main()
