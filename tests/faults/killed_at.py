"""Runs the program, which with all its processes is killed at a point of an ingest's batch.

python killed_at.py POINT ingest kafka ...
"""

import os
import signal
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from headwater.cli.commands.ingest import ingest_run
from headwater.cli.main import run
from headwater.pipeline import ingest
from headwater.pipeline.feeds.kafka_feed import KafkaFeed
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.tasks import Task
from headwater.store.positions import move_position
from headwater.store.write.connections import SqliteConnection
from headwater.store.write.writer import Writer

# Tasks get it with their code: they are of another group.
GROUP = os.getpgrp()


def die(*_: Any) -> NoReturn:
    os.killpg(GROUP, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def put(owner: type | ModuleType, name: str, method: Callable[..., None]) -> None:
    """Give a module another function, or all objects of a class another method."""
    setattr(owner, name, method)


class KilledInTask(Task):
    """Dies when its first events are in the lake, and not in the store."""

    def __call__(self, batches: Any) -> Any:
        # Here, in the process of the executor.
        add = Lake.add

        def add_and_die(lake: Lake, events: Any) -> None:
            add(lake, events)
            die()

        put(Lake, "add", add_and_die)
        return super().__call__(batches)


def in_a_task() -> None:
    """Between the lake and a store that tasks write to."""
    make = ingest_run.make_task
    ingest_run.make_task = lambda *given: KilledInTask(**vars(make(*given)))


def before_the_store() -> None:
    """Between the lake and a store that the driver writes to."""
    put(Writer, "write_rows", die)


def before_the_commit() -> None:
    """All is written, and the transaction not at its end."""
    write = Writer.write_rows

    def write_rows(self: Writer, rows: Any) -> None:
        put(SqliteConnection, "commit", die)
        write(self, rows)

    put(Writer, "write_rows", write_rows)


def before_the_position() -> None:
    """All is stored, but nobody knows how far that is. The beginning was noted before."""
    begun: set[str] = set()

    def move(connection: Any, source: str, partition: str, *rest: Any) -> None:
        if partition in begun:
            die()
        begun.add(partition)
        move_position(connection, source, partition, *rest)

    put(ingest, "move_position", move)


def before_the_group() -> None:
    """The store knows how far it is, and Kafka does not."""
    put(KafkaFeed, "commit", die)


POINTS: dict[str, Callable[[], None]] = {
    point.__name__: point
    for point in (
        in_a_task,
        before_the_store,
        before_the_commit,
        before_the_position,
        before_the_group,
    )
}

if __name__ == "__main__":
    POINTS[sys.argv.pop(1)]()
    run()
