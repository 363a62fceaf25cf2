"""Reading the versions of a dataset: the schemas it had, each since it was first reported."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, select

from headwater.model.relations import Direction
from headwater.model.uses import NOW, STRENGTH, Evidence, Use
from headwater.model.values.ids import NO_CONTENT, UNREPORTED
from headwater.store import tables
from headwater.store.lineage.uses import read_uses

_AT_ONCE = 500


class DatasetVersion(NamedTuple):
    """A schema, or none; the column map reported with it last; the job that reported it first."""

    schema: bytes | None
    columns: bytes | None
    first_seen: int
    last_seen: int
    job: bytes | None


def list_dataset_versions(connection: Connection, dataset: bytes) -> list[DatasetVersion]:
    """List the versions, newest first: as those say who know best, a reader may see a part."""
    uses, _ = read_uses(connection, "dataset", [dataset], Direction, NOW)
    stated = [use for use in uses if use.schema not in (UNREPORTED, NO_CONTENT)]
    if not stated:
        return [_version(None, uses)] if uses else []
    strongest = max(STRENGTH[use.direction] for use in stated)
    known_best = [use for use in stated if STRENGTH[use.direction] == strongest]
    return _versions(known_best)


def list_seen_versions(connection: Connection, dataset: bytes) -> list[DatasetVersion]:
    """List every state in which anybody saw a dataset, such as a run that read a part of it."""
    uses, _ = read_uses(connection, "dataset", [dataset], Direction, NOW)
    return _versions(uses)


def _versions(uses: Iterable[Use]) -> list[DatasetVersion]:
    by_schema: defaultdict[bytes | None, list[Use]] = defaultdict(list)
    for use in uses:
        by_schema[None if use.schema in (UNREPORTED, NO_CONTENT) else use.schema].append(use)
    found = [_version(schema, some) for schema, some in by_schema.items()]
    return sorted(found, key=lambda each: (each.first_seen, each.schema or b""), reverse=True)


def _version(schema: bytes | None, uses: list[Use]) -> DatasetVersion:
    first = min(uses, key=lambda use: (use.first_seen, -use.direction, use.job))
    maps = [use for use in uses if use.columns not in (UNREPORTED, NO_CONTENT)]
    newest = max(maps, key=_rank_of_map, default=None)
    return DatasetVersion(
        schema,
        newest.columns if newest else None,
        first.first_seen,
        max(use.reported_at for use in uses),
        first.job if first.word == Evidence.OBSERVED else None,
    )


def _rank_of_map(use: Use) -> tuple[bool, int, bytes]:
    """The newest, unless it was inferred and another was stated."""
    return use.word != Evidence.INFERRED, use.reported_at, use.columns


def find_stating_runs(
    connection: Connection, versions: Iterable[DatasetVersion]
) -> dict[tuple[bytes, int], bytes]:
    """Find the run whose event was first to say a version, by job and time; if it is still kept."""
    times = sorted({version.first_seen for version in versions if version.job is not None})
    event = tables.event
    listed = bindparam("times", type_=BigInteger, expanding=True)
    query = select(event.c.job, event.c.at, event.c.run).where(
        event.c.at.in_(listed), event.c.run.is_not(None)
    )
    found: dict[tuple[bytes, int], bytes] = {}
    for start in range(0, len(times), _AT_ONCE):
        part = times[start : start + _AT_ONCE]
        for job, at, run in connection.execute(query, {"times": part}):
            found[job, at] = min(run, found.get((job, at), run))
    return found
