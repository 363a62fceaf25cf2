"""Histories by chance: a few jobs, datasets and minutes, so that most of what happens meets."""

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from testing.events.full import Json
from testing.events.history import (
    SNAPSHOTS,
    dataset,
    declare,
    delete_dataset,
    delete_job,
    describe,
    edit,
    join,
    run,
    split,
)

T = TypeVar("T")

JOBS = ("one", "two", "three")
DATASETS = ("a", "b", "c", "d", "e")
COLUMNS = ("x", "y")
# Fields inside a column, and others beside them.
NESTED = ("x", "x.a", "x.b", "x.b[].c", "xy")
LAST = 20
TIMES = st.integers(0, LAST)
TYPES = st.sampled_from(("START", "RUNNING", "RUNNING", "COMPLETE"))
AUTHORS = st.sampled_from(
    ("https://p.example", "https://q.example", "https://headwater.example/sql-lineage")
)
PARENTS = (None, None, 90, 91)
GAPS = st.sampled_from((None, None, (), ("input LogicalRDD",), ("operator Generate",)))


def _some(pool: Sequence[T], most: int = 2) -> SearchStrategy[list[T]]:
    """Few, so that what is used changes from event to event."""
    return st.lists(st.sampled_from(pool), max_size=most, unique=True)


@st.composite
def _described(
    draw: DrawFn,
    name: str,
    sources: Sequence[str],
    maps: bool | None,
    names: Sequence[str] = COLUMNS,
) -> Json:
    """A dataset with or without a schema and a column map: `maps` says whether there must be one.

    Sources are columns of other datasets, directly or not.
    """
    schema = draw(st.sampled_from(((), (), "x", "xy")))
    has_map = draw(st.booleans()) if maps is None else maps
    columns = None
    rows_by: list[str] = []
    if has_map:
        pool = [
            f"{way}{source}:{column}"
            for way in ("", "?", *("=" for _ in names[2:]))
            for source in sources
            for column in names
        ]
        some = _some(pool) if pool else st.just([])
        columns = {column: draw(some) for column in draw(_some(names))}
        rows_by = draw(some) if maps is None and draw(st.booleans()) else []
    return dataset(name, schema=schema, columns=columns, rows_by=rows_by)


@st.composite
def _uses(
    draw: DrawFn, maps: bool | None = None, names: Sequence[str] = COLUMNS
) -> tuple[list[Json], list[Json]]:
    reads, writes = draw(_some(DATASETS)), draw(_some(DATASETS))
    return (
        [draw(_described(name, (), False)) for name in reads],
        [draw(_described(name, reads, maps, names)) for name in writes],
    )


@st.composite
def run_events(draw: DrawFn, maps: bool | None = None, names: Sequence[str] = COLUMNS) -> Json:
    """A run of any job; its number says which job it is of, and whether it has a parent."""
    index = draw(st.integers(0, len(JOBS) - 1))
    number = draw(st.integers(1, 3))
    is_snapshot = index == 0
    reads, writes = draw(_uses(maps, names))
    return run(
        JOBS[index],
        draw(TYPES),
        draw(TIMES),
        10 * index + number,
        reads,
        writes,
        parent=PARENTS[(index + number) % len(PARENTS)],
        job_type=SNAPSHOTS if is_snapshot else None,
        gaps=draw(GAPS),
    )


@st.composite
def _declarations(draw: DrawFn) -> Json:
    reads, writes = draw(_uses())
    return declare(draw(st.sampled_from(JOBS)), draw(TIMES), reads, writes, draw(AUTHORS))


@st.composite
def _descriptions(draw: DrawFn) -> Json:
    """A dataset by itself: a schema, a symlink, or a rename."""
    one, other = draw(st.lists(st.sampled_from(DATASETS), min_size=2, max_size=2, unique=True))
    kind = st.sampled_from(("TABLE", "LOCATION", "OTHER"))
    described = draw(
        st.sampled_from(
            (
                dataset(one, schema="xy"),
                dataset(one, symlinks=[(other, draw(kind))]),
                dataset(one, renamed_from=other),
                dataset(one, lifecycle="DROP"),
            )
        )
    )
    return describe(draw(TIMES), described)


@st.composite
def _edits(draw: DrawFn) -> Json:
    """A person deletes, restores, joins or cuts."""
    at = draw(TIMES)
    one, other = draw(st.lists(st.sampled_from(DATASETS), min_size=2, max_size=2, unique=True))
    word = partial(join, at, one, other)
    return draw(
        st.sampled_from(
            (
                delete_dataset(at, one),
                delete_job(at, draw(st.sampled_from(JOBS))),
                edit(at, {"type": "dataset", **split(one)}, unset=["deleted"]),
                word("TABLE"),
                word("CUT"),
            )
        )
    )


@st.composite
def histories(draw: DrawFn, max_size: int = 12) -> list[Json]:
    """Events of every kind; those of runs are most."""
    events = st.one_of(
        run_events(), run_events(), run_events(), _declarations(), _descriptions(), _edits()
    )
    return draw(st.lists(events, min_size=1, max_size=max_size))


def mapped_histories(max_size: int = 10) -> SearchStrategy[list[Json]]:
    """Runs that state a column map for all they write."""
    return st.lists(run_events(maps=True), min_size=1, max_size=max_size)


def nested_histories(max_size: int = 10) -> SearchStrategy[list[Json]]:
    """The same with fields inside columns."""
    return st.lists(run_events(maps=True, names=NESTED), min_size=1, max_size=max_size)


@st.composite
def orderly_histories(draw: DrawFn) -> list[Json]:
    """Runs of a job that do not overlap, each with events at later and later times."""
    events = []
    used = st.builds(dataset, st.sampled_from(DATASETS[:3]), schema=st.sampled_from(("x", "xy")))
    some = st.lists(used, max_size=2, unique_by=lambda each: each["name"])
    for index, job in enumerate(JOBS[:2]):
        at = draw(st.integers(0, 5))
        for number in range(1, 1 + draw(st.integers(0, 3))):
            parent = draw(st.sampled_from(PARENTS))
            for _ in range(draw(st.integers(1, 4))):
                told = (draw(some), draw(some))
                events.append(run(job, draw(TYPES), at, 10 * index + number, *told, parent=parent))
                at += draw(st.integers(1, 2))
    return events
