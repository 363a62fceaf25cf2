"""One line for a PySpark program: from then on its streams tell their lineage."""

import atexit
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from headwater.spark.executions import listen_to_executions
from headwater.spark.sending import Sender, http_post
from headwater.spark.watching import Watcher

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Listener(StreamingQueryListener):
    """What Spark tells of its queries, passed on; it does nothing that takes time."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def onQueryStarted(self, event: Any) -> None:
        self._watcher.started(str(event.id), str(event.runId), event.name)

    def onQueryProgress(self, event: Any) -> None:
        progress = event.progress
        self._watcher.moved(str(progress.runId), json.loads(progress.json))

    def onQueryIdle(self, event: Any) -> None:
        """Nothing came; the next batch tells more."""

    def onQueryTerminated(self, event: Any) -> None:
        self._watcher.ended(str(event.runId), event.exception)


class Listening:
    """Lineage of one session, until it is closed."""

    def __init__(
        self, spark: "SparkSession", sender: Sender, namespace: str, batch: bool = False
    ) -> None:
        self._spark = spark
        self._sender = sender
        watcher = Watcher(spark, sender, namespace, batch)
        self._listener = Listener(watcher)
        spark.streams.addListener(self._listener)
        self._stop_executions = listen_to_executions(spark, watcher.executed)
        atexit.register(self.close)

    @property
    def sent(self) -> int:
        return self._sender.sent

    @property
    def dropped(self) -> int:
        return self._sender.dropped

    def close(self) -> None:
        """Send what waits, and listen no more."""
        atexit.unregister(self.close)
        # The session may have ended before.
        with suppress(Exception):
            self._spark.streams.removeListener(self._listener)
            self._stop_executions()
        self._sender.close()


def listen(
    spark: "SparkSession",
    url: str | None = None,
    *,
    namespace: str | None = None,
    api_key: str | None = None,
    batch: bool = False,
) -> Listening:
    """Tell a server what the streams of a session read and write, by column, while they run.

    With `batch`, writes that are no stream's are told as well, each as a job by what it writes to.
    What is not given is taken from the settings of the session: `spark.headwater.url`,
    `spark.headwater.namespace` (or else the application's name) and `spark.headwater.apiKey`.
    """
    address = url or _setting(spark, "url")
    if not address:
        raise ValueError("no server: give `url`, or set spark.headwater.url")
    post = http_post(address, api_key or _setting(spark, "apiKey"))
    space = namespace or _setting(spark, "namespace") or str(spark.sparkContext.appName)
    return Listening(spark, Sender(post), space, batch)


def _setting(spark: "SparkSession", name: str) -> str:
    return spark.conf.get(f"spark.headwater.{name}", "") or ""
