"""Running a Spark job that takes events in, and storing on the driver what its tasks hand over."""

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyspark.sql import DataFrame

from headwater import errors
from headwater.errors import BadConfig, HeadwaterError, SparkUnavailable
from headwater.pipeline.tasks import RESULT, Chunk, Reached, Seen, Task, read_result, take_over
from headwater.store.write.bulk import write_or_reject
from headwater.store.write.writer import Writer

LOOK_SECONDS = 0.02


@dataclass
class Totals:
    """What became of the messages of one or more jobs."""

    messages: int = 0
    events: int = 0
    rejected: int = 0
    excluded: int = 0
    bytes: int = 0
    seen: Seen = field(default_factory=set, compare=False)
    """Jobs and datasets that the events named, where that was noted."""
    reached: dict[str, Reached] = field(default_factory=dict)

    @property
    def behind(self) -> float | None:
        """By how many seconds the ingest is behind its source, where tasks report that."""
        millis = (reached.behind for reached in self.reached.values())
        return max((each / 1000 for each in millis if each is not None), default=None)

    def add(self, other: "Totals | Chunk") -> None:
        self.messages += other.messages
        self.events += other.events
        self.rejected += other.rejected
        self.excluded += other.excluded
        self.bytes += other.bytes
        self.seen |= other.seen
        self.reached |= other.reached

    def counts(self) -> dict[str, int]:
        """The numbers by their names."""
        return {name: value for name, value in vars(self).items() if isinstance(value, int)}


Progress = Callable[[Totals], None]


def take_in_frame(
    frame: DataFrame,
    task: Task,
    writer: Writer | None,
    folder: Path,
    progress: Progress = lambda totals: None,
) -> Totals:
    """Take in all of a frame; returns once everything in it is stored.

    With a `writer` the driver stores what tasks put into a folder under `folder`; without, they
    store it themselves.
    """
    if writer is None:
        totals = Totals()
        for chunk in _run(frame, task):
            totals.add(chunk)
        progress(totals)
        return totals
    if not is_local(frame):
        raise BadConfig(
            "spark.master", "a cluster cannot write to SQLite; set `store` to a PostgreSQL URL"
        )
    with _spool(folder) as spool:
        return _run_and_store(frame, replace(task, spool=spool), writer, progress)


def is_local(frame: DataFrame) -> bool:
    """Whether the tasks run on this machine, and so see its files."""
    return str(frame.sparkSession.sparkContext.master).startswith("local")


def _run_and_store(frame: DataFrame, task: Task, writer: Writer, progress: Progress) -> Totals:
    results: list[Chunk] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.extend(_run(frame, task))
        except BaseException as error:
            failures.append(error)

    # Beside the tasks, so that none waits for the driver nor the driver for them.
    job = threading.Thread(target=run, name="headwater-job", daemon=True)
    job.start()
    totals = Totals()
    is_running = True
    while is_running:
        is_running = job.is_alive()
        if not _store_handed(task.spool, writer, totals, progress) and is_running:
            job.join(LOOK_SECONDS)
    if failures:
        raise failures[0]
    for chunk in results:
        totals.reached |= chunk.reached
    return totals


def _store_handed(spool: Path, writer: Writer, totals: Totals, progress: Progress) -> bool:
    """Store the chunks that are there; returns whether there were any."""
    files = [file for file in spool.iterdir() if not file.name.startswith(".")]
    for file in files:
        handed = take_over(file)
        handed.chunk.refuse(write_or_reject(writer, handed.rows))
        file.unlink()
        totals.add(handed.chunk)
        progress(totals)
    return bool(files)


def _run(frame: DataFrame, task: Task) -> list[Chunk]:
    rows = frame.mapInArrow(task, RESULT).toArrow().column(0).to_pylist()
    chunks = [read_result(row) for row in rows]
    for chunk in chunks:
        if chunk.error is not None:
            raise _failure(*chunk.error)
    return chunks


def _failure(kind: str, text: str) -> HeadwaterError:
    """The error that a task met, as itself."""
    if kind == "SourceUnavailable":
        return errors.SourceUnavailable(*text.split(": ", 1))
    known = {"StoreUnavailable": errors.StoreUnavailable, "LakeUnavailable": errors.LakeUnavailable}
    return known.get(kind, SparkUnavailable)(text)


@contextmanager
def _spool(folder: Path) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    spool = Path(tempfile.mkdtemp(prefix="spool-", dir=folder.absolute()))
    try:
        yield spool
    finally:
        shutil.rmtree(spool, ignore_errors=True)
