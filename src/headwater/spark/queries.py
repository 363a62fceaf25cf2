"""Spark's notifications of streams: callbacks that query the JVM as little as possible."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.spark.query_tracker import QueryTracker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class QueryListener:
    """Called by the JVM; PySpark's own listeners ask it for each value of a progress in turn."""

    def __init__(self, watcher: QueryTracker) -> None:
        self._watcher = watcher

    def onQueryStarted(self, event: Any) -> None:
        self._watcher.started(event.id().toString(), event.runId().toString(), event.name())

    def onQueryProgress(self, event: Any) -> None:
        progress = json.loads(event.progress().json())
        self._watcher.moved(progress["runId"], progress)

    def onQueryIdle(self, event: Any) -> None:
        self._watcher.idle(event.runId().toString())

    def onQueryTerminated(self, event: Any) -> None:
        error = event.exception()
        self._watcher.ended(event.runId().toString(), error.get() if error.isDefined() else None)

    class Java:
        implements = ("org.apache.spark.sql.streaming.PythonStreamingQueryListener",)


def listen_to_queries(spark: "SparkSession", watcher: QueryTracker) -> Callable[[], None]:
    """Observe every stream of a session; gives what ends that."""
    from pyspark.java_gateway import ensure_callback_server_started

    session: Any = spark
    ensure_callback_server_started(spark.sparkContext._gateway)  # type: ignore[no-untyped-call]
    streaming = session._jvm.org.apache.spark.sql.streaming
    listener = streaming.PythonStreamingQueryListenerWrapper(QueryListener(watcher))
    manager = session._jsparkSession.streams()
    manager.addListener(listener)
    return lambda: manager.removeListener(listener)
