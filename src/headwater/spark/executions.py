"""Executions outside the plans of streams: writes of batches, reported by a listener."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headwater.spark.relations import Java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Called with what Spark calls the action, its execution, the duration in nanoseconds, and the
# error, if any.
OnExecution = Callable[[str, Java, int, str | None], None]


class ExecutionListener:
    """Called by the JVM after each action; it passes on what it is given, and does no more."""

    def __init__(self, on_execution: OnExecution) -> None:
        self._on_execution = on_execution

    def onSuccess(self, action: str, execution: Java, nanoseconds: int) -> None:
        self._on_execution(action, execution, nanoseconds, None)

    def onFailure(self, action: str, execution: Java, error: Java) -> None:
        self._on_execution(action, execution, 0, str(error))

    class Java:
        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)


def listen_to_executions(spark: "SparkSession", on_execution: OnExecution) -> Callable[[], None]:
    """Observe every action of a session; gives what ends that."""
    from pyspark.java_gateway import ensure_callback_server_started

    ensure_callback_server_started(spark.sparkContext._gateway)  # type: ignore[no-untyped-call]
    manager: Any = spark._jsparkSession.listenerManager()
    listener = ExecutionListener(on_execution)
    manager.register(listener)
    return lambda: manager.unregister(listener)


def wait_for_listeners(spark: "SparkSession", milliseconds: int) -> None:
    """Wait until Spark has delivered all notifications so far, up to a time limit."""
    # Not where it takes longer, or where there is no Spark any more.
    with suppress(Exception):
        bus: Any = spark.sparkContext._jsc.sc().listenerBus()
        bus.waitUntilEmpty(milliseconds)
