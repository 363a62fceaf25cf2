"""Who uses which dataset as of a time: the rows that lineage is derived from, and first rules.

As of a time, what is later takes no part: `said_at` is the newest time up to it at which a row was
stated. Now is the time after all others.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from headwater.model.relations import Direction
from headwater.model.values.ids import NO_CONTENT, UNREPORTED

NOW = 2**62


class Evidence(IntEnum):
    """How a use is known: reported by a run, declared by an author, no longer declared, or
    derived from the job's SQL."""

    OBSERVED = 0
    DECLARED = 1
    TAKEN_BACK = 2
    INFERRED = 3


class Use(NamedTuple):
    """A job's use of a dataset, described in one way."""

    job: bytes
    dataset: bytes
    direction: int
    schema: bytes
    columns: bytes
    first_seen: int
    reported_at: int
    word: int


class Execution(NamedTuple):
    """A job's newest execution with datasets: when it began, and its newest run."""

    job: bytes
    began: int
    run: bytes
    parent_run: bytes | None
    emits_snapshots: bool


class RunAt(NamedTuple):
    """A job's newest run by a time: its state and since when, digests of its code and SQL."""

    run: bytes
    began: int
    state: str
    since: int
    code: bytes | None
    sql: bytes | None


class GapReport(NamedTuple):
    """What a run reported that its producer did not understand, from one time to another."""

    job: bytes
    run: bytes
    gaps: bytes
    first_seen: int
    last_seen: int


class Mark(NamedTuple):
    """What happened to a dataset, and when: created, altered, dropped, ..."""

    change: str
    at: int


class Succession(NamedTuple):
    """A dataset that took over from another, as by a RENAME."""

    previous: bytes
    dataset: bytes
    at: int


class Name(NamedTuple):
    namespace: str
    name: str


class StatedInputs(NamedTuple):
    """The inputs that an event of a job stated for one of its outputs; there may be none."""

    job: bytes
    output: bytes
    inputs: frozenset[bytes]


class Uses(NamedTuple):
    """Rows of some ids, and for those with too many how many more there are, by direction."""

    rows: list[Use]
    left_out: dict[tuple[bytes, int], int]


# When it was stated, since when, the digest, and by whom: in this order words are compared.
_Word = tuple[int, int, bytes, Use]


class DatasetSummary(NamedTuple):
    """The summary of the evidence on a dataset: what counts, and the times."""

    schema: Use | None = None
    columns: Use | None = None
    first_seen: int | None = None
    last_seen: int | None = None
    written_at: int | None = None


def sum_up(uses: Iterable[Use]) -> DatasetSummary:
    """Summarise the evidence on a dataset: schema and columns are the newest of the best kind."""
    schemas: dict[int, _Word] = {}
    columns: dict[int, _Word] = {}
    first: int | None = None
    last: int | None = None
    written: int | None = None
    for use in uses:
        _, _, direction, schema, column_map, first_seen, reported_at, word = use
        if first is None or first_seen < first:
            first = first_seen
        if last is None or reported_at > last:
            last = reported_at
        is_write = direction == Direction.OUTPUT and word == Evidence.OBSERVED
        if is_write and (written is None or reported_at > written):
            written = reported_at
        if schema != UNREPORTED:
            _keep_newest(schemas, STRENGTH[direction], (reported_at, first_seen, schema, use))
        if column_map != UNREPORTED:
            strength = _INFERRED if word == Evidence.INFERRED else STRENGTH[direction]
            _keep_newest(columns, strength, (reported_at, first_seen, column_map, use))
    return DatasetSummary(_strongest(schemas), _strongest(columns), first, last, written)


def newest_schema(uses: Iterable[Use]) -> Use | None:
    """The word on a dataset's schema that counts."""
    return sum_up(uses).schema


# A description of the dataset itself knows best, then who writes it; readers see a projection.
STRENGTH: dict[int, int] = {Direction.ITSELF: 2, Direction.OUTPUT: 1, Direction.INPUT: 0}
_INFERRED = -1


def _keep_newest(newest: dict[int, _Word], strength: int, word: _Word) -> None:
    known = newest.get(strength)
    if known is None or word[:3] > known[:3]:
        newest[strength] = word


def _strongest(newest: dict[int, _Word]) -> Use | None:
    """The strongest kind that has a word; one that takes it all back has none."""
    stated = [strength for strength, word in newest.items() if word[2] != NO_CONTENT]
    return newest[max(stated)][3] if stated else None
