"""Replacing a store as a rebuild does, without Spark; as a program of its own it can be killed.

python -m tests.store.replacing STORE POINT
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event, select, text

from headwater.errors import Busy, StoreUnavailable
from headwater.store import tables
from headwater.store.engine import open_engine
from headwater.store.maintenance.replacement import Replacement, replacement
from headwater.store.write.writer import open_writer
from testing import load
from testing.wait import wait_until
from tests.properties.strategies import facts_of

ROOT = Path(__file__).parents[2]
# Where a replacement may be interrupted, in the order of its way.
POINTS = ("made", "filled", "brought over", "holding writers", "moved")
NOTHING: tuple[bytes, ...] = ()


def fill(new: Replacement, events: Iterable[bytes]) -> None:
    with closing(new.writer()) as writer:
        writer.write([facts_of(event_) for event_ in events])


def bring_over(new: Replacement) -> None:
    """What a rebuild does with what only the old store has."""
    with closing(new.writer(notes_for_lake=True)) as writer:
        for events in new.read_missing():
            writer.write([facts_of(kept.payload) for kept in events])


def replace(engine: Engine, events: Iterable[bytes] = NOTHING) -> None:
    """Make a store of these events, and of those that the old one has, and put it in its place."""
    with replacement(engine) as new:
        fill(new, events)
        bring_over(new)
        new.take_place(lambda: bring_over(new))


def write(engine: Engine, events: Iterable[bytes], notes_for_lake: bool = False) -> None:
    with closing(open_writer(engine, notes_for_lake)) as writer:
        writer.write([facts_of(event_) for event_ in events])


def generation(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.scalar(select(tables.store_state.c.generation)) or 0)


def waiting(engine: Engine) -> set[bytes]:
    """The digests of what waits for the lake."""
    with engine.connect() as connection:
        return set(connection.scalars(select(tables.outbox.c.digest)))


def leftovers(engine: Engine) -> list[str]:
    """What is there of a replacement that has not ended in order."""
    if engine.dialect.name == "sqlite":
        folder = Path(engine.url.database or "").parent
        return sorted(file.name for file in folder.glob("*.rebuilding*"))
    query = text("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'headwater%'")
    with engine.connect() as connection:
        return list(connection.scalars(query))


class LiveWriter:
    """A thread that writes one event after another; what is stored is in `stored`."""

    def __init__(self, engine: Engine, start_run: int) -> None:
        self.stored: list[bytes] = []
        self.refusals: list[StoreUnavailable] = []
        self.failures: list[BaseException] = []
        self._engine = engine
        self._events = load.events(100_000, start_run=start_run)
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        with closing(open_writer(self._engine, notes_for_lake=True)) as writer:
            for event_ in self._events:
                if self.stopped.is_set():
                    return
                try:
                    writer.write([facts_of(event_)])
                    self.stored.append(event_)
                except StoreUnavailable as error:
                    self.refusals.append(error)
                except BaseException as error:
                    self.failures.append(error)
                    return

    def wait_for_more(self, number: int = 5) -> None:
        goal = len(self.stored) + number
        wait_until(lambda: len(self.stored) >= goal or bool(self.failures))


@contextmanager
def live_writers(engine: Engine, number: int = 2) -> Iterator[list[LiveWriter]]:
    writers = [LiveWriter(engine, start_run=10_000 * (each + 1)) for each in range(number)]
    for writer in writers:
        writer.thread.start()
    try:
        for writer in writers:
            writer.wait_for_more()
        yield writers
        for writer in writers:
            writer.wait_for_more()
    finally:
        for writer in writers:
            writer.stopped.set()
            writer.thread.join()
    assert [failure for writer in writers for failure in writer.failures] == []


def replace_until_killed(url: str, point: str) -> int:
    """Run this module up to a point at which it kills itself; its exit status."""
    command = [sys.executable, "-m", "tests.store.replacing", url, point]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=environment, cwd=ROOT, timeout=300).returncode


def replace_when_free(engine: Engine, events: Iterable[bytes] = NOTHING) -> None:
    """PostgreSQL may take a moment to notice that a process is gone, and its lock with it."""

    def is_replaced() -> bool:
        try:
            replace(engine, events)
        except Busy:
            return False
        return True

    wait_until(is_replaced)


def main(url: str, point: str) -> None:
    engine = open_engine(url)
    _die_when_moved(engine, point)
    with replacement(engine) as new:
        die_at("made", point)
        fill(new, load.events(40))
        die_at("filled", point)
        bring_over(new)
        die_at("brought over", point)
        new.take_place(lambda: die_at("holding writers", point))


def die_at(here: str, point: str) -> None:
    if here == point:
        os.kill(os.getpid(), signal.SIGKILL)


def _die_when_moved(engine: Engine, point: str) -> None:
    """Die when all is done and nothing is committed: by the last statement of each database."""
    last = {"postgresql": "DROP SCHEMA headwater_replaced", "sqlite": "UPDATE main.store_state"}

    def on_statement(_: Any, __: Any, statement: str, *___: Any) -> None:
        if statement.startswith(last[engine.dialect.name]):
            die_at("moved", point)

    # Of all engines: a replacement of SQLite's opens one of its own.
    event.listen(Engine, "after_cursor_execute", on_statement)


if __name__ == "__main__":
    main(*sys.argv[1:])
