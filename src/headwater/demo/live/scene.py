"""The scene: Spark with both listeners, day by day orders and a run of the stream, the summary."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from headwater.config import SparkSettings
from headwater.demo.live.orders import write_day
from headwater.demo.live.place import APPLICATION, DAYS, NAMESPACE, STREAM, SUMMARY, Place
from headwater.errors import PackagesUnavailable
from headwater.pipeline.spark.packages import OPENLINEAGE
from headwater.pipeline.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Notify = Callable[[str], None]


def play(stack: ExitStack, place: Place, url: str, notify: Notify) -> None:
    """Run it all, telling a server; Spark goes on until the stack ends.

    What Spark says of a job may come a little after the job.
    """
    notify("starting Spark")
    spark = _start(stack, place, url, notify)
    # Not before: they need Spark's package, and a missing one is reported in order.
    import headwater.spark
    from headwater.demo.live.batch import summarise_by_supplier
    from headwater.demo.live.stream import clean_orders

    listening = headwater.spark.listen(spark, url=url, batch=True)
    stack.callback(listening.close)
    today = datetime.now(UTC).date()
    for back in reversed(range(DAYS)):
        day = today - timedelta(days=back)
        files = write_day(place.orders, day)
        notify(f"orders of {day}: {len(files)} files have come, {STREAM} reads them")
        clean_orders(spark, place.orders, place.checkpoint)
    notify(f"a batch job writes {SUMMARY}")
    summarise_by_supplier(spark)


def _start(stack: ExitStack, place: Place, url: str, notify: Notify) -> "SparkSession":
    """Start Spark, without OpenLineage's own listener where that cannot be had."""
    own = {
        "spark.headwater.namespace": NAMESPACE,
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(place.warehouse),
    }
    stock = {
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.namespace": NAMESPACE,
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": url,
    }
    try:
        return stack.enter_context(_session(place, {**own, **stock}, [OPENLINEAGE], notify))
    except PackagesUnavailable as error:
        notify(f"going on without OpenLineage's own listener ({error.message})")
    return stack.enter_context(_session(place, own, [], notify))


def _session(
    place: Place, conf: Mapping[str, str], needs: list[str], notify: Notify
) -> "AbstractContextManager[SparkSession]":
    settings = SparkSettings(master="local[2]", conf=dict(conf))
    return session(settings, APPLICATION, needs, folder=place.folder, notify=notify)
