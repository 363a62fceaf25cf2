"""`listen`: one line that makes the streams of a PySpark program report their lineage."""

import atexit
import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from pyspark.sql.streaming.listener import StreamingQueryListener

from headwater.emit.sender import Sender, http_post
from headwater.spark.application import SparkApplication
from headwater.spark.connect import (
    ConnectWatcher,
    add_listener,
    at_exit,
    is_connect,
    remove_listener,
)
from headwater.spark.executions import listen_to_executions, wait_for_listeners
from headwater.spark.queries import listen_to_queries
from headwater.spark.query_tracker import QueryTracker
from headwater.spark.settings import ConfiguredParent, read_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


log = logging.getLogger("headwater.spark")

# A program's end is held up by five seconds at most: what is begun last takes its time as well.
_END_SECONDS = 4.7
# Of these, for notifications that Spark has yet to deliver.
_BUS_MILLISECONDS = 2_000


class Listener(StreamingQueryListener):
    """Passes on the query notifications of Spark Connect."""

    def __init__(self, watcher: QueryTracker) -> None:
        self._watcher = watcher

    def onQueryStarted(self, event: Any) -> None:
        self._watcher.started(str(event.id), str(event.runId), event.name)

    def onQueryProgress(self, event: Any) -> None:
        progress = event.progress
        self._watcher.moved(str(progress.runId), json.loads(progress.json))

    def onQueryIdle(self, event: Any) -> None:
        self._watcher.idle(str(event.runId))

    def onQueryTerminated(self, event: Any) -> None:
        self._watcher.ended(str(event.runId), event.exception)


class LineageListener:
    """Lineage of one session, until it is closed."""

    def __init__(
        self,
        spark: "SparkSession",
        sender: Sender,
        namespace: str,
        batch: bool = False,
        parent: ConfiguredParent | None = None,
    ) -> None:
        self.is_closed = False
        self._spark = spark
        self._sender = sender
        self._application: SparkApplication | None = None
        if is_connect(spark):
            self._watcher: QueryTracker = ConnectWatcher(spark, sender, namespace)
            self._stop = self._listen_over_connect()
        else:
            if batch:
                self._application = SparkApplication(spark, namespace, parent)
                self._send_application("START")
            self._watcher = QueryTracker(spark, sender, namespace, self._application)
            self._stop = self._listen()
        self._failures = Failures()
        atexit.register(self._end)

    def _send_application(self, kind: str, error: str | None = None) -> None:
        if self._application is not None:
            event = self._application.event(kind, error)
            self._sender.send(f"{self._application.run} {kind}", event)

    def _listen(self) -> Callable[[], None]:
        """Begin; gives what ends it."""
        spark = self._spark
        stop_queries = listen_to_queries(spark, self._watcher)
        stop_executions = listen_to_executions(spark, self._watcher.executed)

        def stop() -> None:
            # A query that was stopped just now: that is still on its way to us.
            wait_for_listeners(spark, _BUS_MILLISECONDS)
            stop_queries()
            stop_executions()

        return stop

    def _listen_over_connect(self) -> Callable[[], None]:
        listener = Listener(self._watcher)
        add_listener(self._spark, listener)
        at_exit(self.close)
        return lambda: remove_listener(self._spark, listener)

    @property
    def sent(self) -> int:
        return self._sender.sent

    @property
    def dropped(self) -> int:
        return self._sender.dropped

    def close(self, seconds: float = _END_SECONDS) -> None:
        """Send what waits, for so long at most, and listen no more."""
        if self.is_closed:
            return
        give_up = time.monotonic() + seconds
        self.is_closed = True
        atexit.unregister(self._end)
        self._hear_no_more(seconds)
        self._watcher.close(max(give_up - time.monotonic(), 0))
        error = self._failures.close()
        self._send_application("COMPLETE" if error is None else "FAIL", error)
        self._sender.close(max(give_up - time.monotonic(), 0))

    def _hear_no_more(self, seconds: float) -> None:
        """Listen no more; a JVM that does not answer is not waited for any longer than so long."""
        stop, self._stop = self._stop, lambda: None

        def try_it() -> None:
            # The session may have ended before.
            with suppress(Exception):
                stop()

        thread = threading.Thread(target=try_it, name="headwater-end", daemon=True)
        thread.start()
        thread.join(seconds)

    def _end(self) -> None:
        """The program ends, and with it the queries that run still."""
        self._hear_no_more(_seconds_left())
        self._watcher.end_all()
        self.close(_seconds_left())


def _seconds_left() -> float:
    """How long the end of the program may still take, for all that listens in it."""
    global _gives_up_at
    if _gives_up_at is None:
        _gives_up_at = time.monotonic() + _END_SECONDS
    return max(_gives_up_at - time.monotonic(), 0)


# When the program has waited long enough at its end; None while it runs.
_gives_up_at: float | None = None


class Failures:
    """The error that ends the program, if one does."""

    def __init__(self) -> None:
        self._error: str | None = None
        self._before = sys.excepthook
        # Kept as one object: a method is another each time that it is requested.
        self._hook = self._keep
        sys.excepthook = self._hook

    def _keep(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, Exception):
            self._error = f"{kind.__name__}: {str(error).partition(chr(10))[0]}"
        self._before(kind, error, trace)

    def close(self) -> str | None:
        """Listen no more; gives the error."""
        if sys.excepthook is self._hook:
            sys.excepthook = self._before
        return self._error


def listen(
    spark: "SparkSession",
    url: str | None = None,
    *,
    namespace: str | None = None,
    api_key: str | None = None,
    batch: bool | None = None,
) -> LineageListener:
    """Report what a session's streams and batch writes read and write to a server, by column.

    Every write outside streams is a job, named by its target, under the application's run; with
    `batch=False`, or where OpenLineage's own listener runs, streams alone are reported. What is
    not given is taken from the settings of the session (`spark.headwater.url`, `.namespace`,
    `.token`, `.batch`) or from the environment (`HEADWATER_SPARK_URL` and so on). The namespace is
    else that of OpenLineage's own listener, or the application's name.

    A session that is listened to already goes on as it is.
    """
    known = _of_sessions.get(spark)
    if known is not None and not known.is_closed:
        log.info("this session already has a listener")
        return known
    settings = read_settings(spark)
    address = url or settings.url
    if not address:
        raise ValueError("no server: give `url`, or set spark.headwater.url")
    is_batch = settings.batch if batch is None else batch
    if is_batch and settings.has_stock_listener:
        log.info("batch jobs are left to OpenLineage's own listener, which runs as well")
    sender = Sender(http_post(address, api_key or settings.token))
    found = LineageListener(
        spark,
        sender,
        namespace or settings.namespace,
        is_batch and not settings.has_stock_listener,
        settings.parent,
    )
    _of_sessions[spark] = found
    return found


_of_sessions: "WeakKeyDictionary[SparkSession, LineageListener]" = WeakKeyDictionary()
