"""Rebuilding a store from the lake: facts of every event in bulk, then replacing the old store."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from headwater.errors import InvalidEvent, LakeUnavailable
from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.intake import reject
from headwater.model.project import project
from headwater.model.values.instant import now
from headwater.pipeline.driver_store import Totals, take_in_frame
from headwater.pipeline.lake.compaction import is_compacted
from headwater.pipeline.lake.files import read_footer
from headwater.pipeline.lake.lake import FileGone, Lake, read_file
from headwater.pipeline.spark.scratch import Scratch
from headwater.pipeline.tasks import Message, Task
from headwater.store.engine import Engine
from headwater.store.maintenance.replacement import EVER, Kept, Replacement, replacement
from headwater.store.migrate import upgrade

# Called with the step, how much of it is done, and the total if known.
Progress = Callable[[str, int, int | None], None]

# Of events in one task, as they are when read: many tasks end at about the same time.
SHARE_BYTES = 64_000_000
SHARES_A_TASK = 16
# How often to bring over what came meanwhile, and how much may be left for the end.
_ROUNDS = 10
_FEW = 5_000


@dataclass(frozen=True)
class Share:
    """What one task reads: parts of files, and how many events they hold."""

    pieces: tuple[tuple[Path, range], ...]
    events: int


@dataclass(frozen=True)
class ReadShares:
    """Reads the shares whose numbers are in a batch."""

    shares: tuple[Share, ...]

    def __call__(self, batch: Any) -> Iterator[Message]:
        for number in batch.column(0).to_pylist():
            for file, parts in self.shares[number].pieces:
                # Compacted away: what was in it is in a file that the next look finds.
                with suppress(FileGone):
                    for event in read_file(file, parts):
                        yield Message(
                            event.payload,
                            event.received_at,
                            ("lake ", file),
                            digest=event.digest,
                        )


def rebuild(
    engine: Engine,
    spark: SparkSession,
    lake: Lake,
    folder: Path,
    progress: Progress = lambda step, done, total: None,
) -> Totals:
    """Rebuild the store behind an engine; the old one serves until the new one is complete.

    Events that the store has and the lake lacks are brought over, those that came meanwhile too.
    """
    upgrade(engine)
    refused: set[bytes] = set()
    with replacement(engine) as new, closing(Scratch(folder)) as scratch:
        if (expired_before := lake.expired_before) is not None:
            new.note_pruned(expired_before)
        totals = fill(new, spark, lake, scratch.path, progress)
        # Most of what came meanwhile; the rest while nobody writes, which must not take long. Not
        # all that still comes: under load that has no end.
        for _ in range(_ROUNDS):
            if _bring_over(new, totals, refused, progress, received_before=now()) < _FEW:
                break
        progress("replacing the store", 0, None)
        new.take_place(lambda: _bring_over(new, totals, refused, progress))
    totals.messages += len(refused)
    totals.rejected += len(refused)
    return totals


def fill(
    new: Replacement,
    spark: SparkSession,
    lake: Lake,
    folder: Path,
    progress: Progress = lambda step, done, total: None,
) -> Totals:
    """Take in all files; and if some were compacted away, those that hold now what was in them.

    What comes meanwhile is in the old store as well. But a list that is made while a day is
    compacted may lack its files of before and of after: those of after are looked for again.
    """
    totals = Totals()
    done: set[Path] = set()
    files = lake.files()
    while files:
        shares = share_out(files)
        is_whole = len({file for share in shares for file, _ in share.pieces}) == len(files)
        expected = totals.messages + sum(share.events for share in shares)
        for wave in _waves(shares, spark.sparkContext.defaultParallelism):

            def show(found: Totals, before: int = totals.messages, total: int = expected) -> None:
                progress("events", before + found.messages, total)

            show(Totals())
            found = _take_in(new, spark, wave, folder, show)
            _check_seen(wave, found)
            totals.add(found)
        done.update(files)
        files = [file for file in lake.files() if file not in done]
        if is_whole and totals.messages >= expected:
            files = [file for file in files if is_compacted(file)]
    return totals


def _waves(shares: Sequence[Share], tasks: int) -> Iterator[Sequence[Share]]:
    """Several shares a task at a time: enough to keep all at work, and to tell how far it is."""
    size = tasks * SHARES_A_TASK
    for start in range(0, len(shares), size):
        yield shares[start : start + size]


def _check_seen(shares: Sequence[Share], found: Totals) -> None:
    """Files may go while they are read; but where none is seen, the new store would be empty."""
    if found.messages >= sum(share.events for share in shares):
        return
    files = [file for share in shares for file, _ in share.pieces]
    if all(file.exists() for file in files):
        raise LakeUnavailable(
            f"Spark's tasks cannot read the lake's files, such as {files[0]}; "
            "the folder must exist on every machine of the cluster"
        )


def _take_in(
    new: Replacement,
    spark: SparkSession,
    shares: Sequence[Share],
    folder: Path,
    show: Callable[[Totals], None],
) -> Totals:
    frame = spark.range(0, len(shares), 1, len(shares))
    is_sqlite = new.url.startswith("sqlite")
    task = Task(
        read=ReadShares(tuple(shares)),
        max_ahead=0,
        max_bytes=2**31,
        store="" if is_sqlite else new.url,
        is_known=True,
    )
    if not is_sqlite:
        return take_in_frame(frame, task, None, folder, show)
    with closing(new.writer()) as writer:
        return take_in_frame(frame, task, writer, folder, show)


def share_out(files: Sequence[Path]) -> list[Share]:
    """Share files out, so that each task has about as much to read."""
    shares: list[Share] = []
    pieces: list[tuple[Path, range]] = []
    events = size = 0
    for file in files:
        with suppress(FileGone):
            first = 0
            parts = read_footer(file).parts
            for number, (rows, unpacked) in enumerate(parts, 1):
                events, size = events + rows, size + unpacked
                if size >= SHARE_BYTES or number == len(parts):
                    pieces.append((file, range(first, number)))
                    first = number
                if size >= SHARE_BYTES:
                    shares.append(Share(tuple(pieces), events))
                    pieces, events, size = [], 0, 0
    if pieces:
        shares.append(Share(tuple(pieces), events))
    return shares


def _bring_over(
    new: Replacement,
    totals: Totals,
    refused: set[bytes],
    progress: Progress,
    received_before: int = EVER,
) -> int:
    """Project what the old store has and the new one lacks, and note it for the lake.

    Returns how many events that were.
    """
    count = 0
    with closing(new.writer(notes_for_lake=True)) as writer:
        for events in new.read_missing(received_before):
            stated = [_state(kept, refused) for kept in events]
            writer.write(stated)
            count += sum("event" in facts.rows for facts in stated)
            progress("copying what the lake does not have", count, None)
    totals.messages += count
    totals.events += count
    return count


def _state(kept: Kept, refused: set[bytes]) -> Facts:
    """What an event states; another version has taken it in, and this one may see it otherwise."""
    try:
        return project(decode_event(kept.payload), kept.received_at)
    except InvalidEvent as error:
        refused.add(kept.digest)
        return reject(kept.payload, kept.received_at, "store", error.path, error.reason)
