"""The streams of the lab: plain PySpark, but for the one line that has their lineage told.

    orders-source      made-up orders           -> topic orders
    iceberg-ingestion  topic orders             -> table lake.db.orders
    supplier-stats     topic orders, by window  -> topic supplier-stats

Commands come by standard input, a line each:

    start NAME [OPTION...]   from where the query's checkpoint is
    stop NAME
    sql STATEMENT

Options: with `currency` orders have one; with `lenient` iceberg-ingestion leaves out messages that
are no orders, which otherwise fail it.
"""

import sys
from collections.abc import Callable, Collection, Iterable
from contextlib import closing
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, count, from_json, window
from pyspark.sql.functions import sum as total
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

import headwater.spark
from labs.spark.sessions import make_parser, open_spark

Options = Collection[str]


class Streams:
    """The queries of a session, by name."""

    def __init__(self, spark: SparkSession, brokers: str, folder: Path) -> None:
        self._spark = spark
        self._brokers = brokers
        self._checkpoints = folder / "checkpoints"
        self._running: dict[str, StreamingQuery] = {}

    def obey(self, lines: Iterable[str]) -> None:
        """Do what each line says, until there are no more."""
        for line in lines:
            command, _, rest = line.strip().partition(" ")
            match command:
                case "start":
                    name, *options = rest.split()
                    self._running[name] = _QUERIES[name](self, options)
                case "stop":
                    self._running.pop(rest).stop()
                case "sql":
                    self._spark.sql(rest)
                case _:
                    raise SystemExit(f"there is no command {command!r}")

    def stop_all(self) -> None:
        for query in self._running.values():
            query.stop()

    def make_orders(self, options: Options) -> StreamingQuery:
        rows = self._spark.readStream.format("rate").option("rowsPerSecond", 20).load()
        orders = rows.selectExpr(
            "format_string('order-%06d', value) AS order_id",
            "element_at(array('chair', 'desk', 'lamp', 'shelf'), int(value % 4) + 1) AS item",
            "format_string('%d.%02d', 5 + value * 7 % 95, value * 13 % 100) AS price",
            "element_at(array('acme', 'globex', 'initech'), int(value % 3) + 1) AS supplier",
            "date_format(timestamp, \"yyyy-MM-dd'T'HH:mm:ss.SSS'Z'\") AS bid_time",
            "element_at(array('EUR', 'USD'), int(value % 2) + 1) AS currency",
        )
        message = f"to_json(struct({', '.join(_columns(options))})) AS value"
        messages = orders.selectExpr("order_id AS key", message)
        return self._into_topic("orders-source", messages, "orders")

    def ingest_orders(self, options: Options) -> StreamingQuery:
        is_lenient = "lenient" in options
        orders = self._read_orders(options, mode="PERMISSIVE" if is_lenient else "FAILFAST")
        if is_lenient:
            orders = orders.filter("order_id IS NOT NULL")
        return self._writer("iceberg-ingestion", orders).toTable("lake.db.orders")

    def sum_up(self, options: Options) -> StreamingQuery:
        windows = (
            self._read_orders(options, mode="PERMISSIVE")
            .withWatermark("bid_time", "2 seconds")
            .groupBy(window("bid_time", "5 seconds"), "supplier")
            .agg(total("price").cast("double").alias("total_price"), count("*").alias("count"))
        )
        stats = windows.selectExpr(
            "supplier AS key",
            "to_json(struct(window.start AS window_start, window.end AS window_end, supplier, "
            "total_price, count)) AS value",
        )
        return self._into_topic("supplier-stats", stats, "supplier-stats")

    def _read_orders(self, options: Options, mode: str) -> DataFrame:
        """The topic's messages as typed columns; the mode says what becomes of all else."""
        source = self._spark.readStream.format("kafka").option("subscribe", "orders")
        source = source.option("kafka.bootstrap.servers", self._brokers)
        messages = source.option("startingOffsets", "earliest").load()
        schema = ", ".join(f"{column} string" for column in _columns(options))
        order = from_json(col("value").cast("string"), schema, {"mode": mode})
        parsed = messages.select(order.alias("order")).select("order.*")
        typed = {"price": col("price").cast("decimal(10,2)")}
        typed["bid_time"] = col("bid_time").cast("timestamp")
        return parsed.withColumns(typed)

    def _into_topic(self, name: str, messages: DataFrame, topic: str) -> StreamingQuery:
        writer = self._writer(name, messages).format("kafka").option("topic", topic)
        return writer.option("kafka.bootstrap.servers", self._brokers).start()

    def _writer(self, name: str, frame: DataFrame) -> DataStreamWriter:
        writer = frame.writeStream.queryName(name).trigger(processingTime="2 seconds")
        return writer.option("checkpointLocation", str(self._checkpoints / name))


_QUERIES: dict[str, Callable[[Streams, Options], StreamingQuery]] = {
    "orders-source": Streams.make_orders,
    "iceberg-ingestion": Streams.ingest_orders,
    "supplier-stats": Streams.sum_up,
}


def _columns(options: Options) -> list[str]:
    """What is in an order's message, all of it text."""
    columns = ["order_id", "item", "price", "supplier", "bid_time"]
    return [*columns, "currency"] if "currency" in options else columns


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--brokers", required=True, help="Kafka's bootstrap servers")
    options = parser.parse_args()
    with open_spark("lab-streams", options.folder) as spark:
        # Spark asks for offsets without a group, unless it is told to be a member of one.
        spark.conf.set("spark.sql.streaming.kafka.useDeprecatedOffsetFetching", "true")
        listening = headwater.spark.listen(spark, url=options.server, namespace="fh-local")
        streams = Streams(spark, options.brokers, options.folder)
        with closing(listening):
            try:
                streams.obey(sys.stdin)
            finally:
                streams.stop_all()


if __name__ == "__main__":
    main()
