"""The writes of an execution: mostly one, but a statement may insert into several tables."""

from collections.abc import Iterator
from typing import NamedTuple

from headwater.spark.created import is_creation, leaf_ids, plans_of_rows
from headwater.spark.relations import Java
from headwater.spark.targets import is_write

# What Spark puts on top of a stream's own batches.
_OF_STREAMS = ("WriteToMicroBatch", "WriteToContinuous")


class PlanWrite(NamedTuple):
    """A plan that writes, as Spark analysed it, and the execution that it is part of."""

    execution: Java
    plan: Java
    kind: str
    leaves: tuple[int, ...]
    """The ids of the first columns of what it reads, by which it is found to be a stream's."""
    part: int | None = None
    """Which of several writes of the execution this is."""


def find_writes(execution: Java) -> Iterator[PlanWrite]:
    """What an execution writes; nothing if it only reads.

    `FROM t INSERT INTO a SELECT ... INSERT INTO b SELECT ...` is a union of two writes.
    """
    plan = execution.analyzed()
    kind = _kind(plan)
    if kind != "Union":
        yield from _as_write(execution, plan, kind)
        return
    parts = plan.children()
    for place in range(parts.size()):
        part = parts.apply(place)
        yield from _as_write(execution, part, _kind(part), place)


def _as_write(
    execution: Java, plan: Java, kind: str, part: int | None = None
) -> Iterator[PlanWrite]:
    if kind.startswith(_OF_STREAMS):
        # A batch of a stream itself, which is reported as the stream.
        return
    if is_write(kind) or is_creation(kind):
        yield PlanWrite(execution, plan, kind, leaf_ids(plans_of_rows(plan, kind)), part)


def _kind(plan: Java) -> str:
    return str(plan.getClass().getSimpleName())
