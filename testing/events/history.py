"""Events of a history, a line each: who, when, in which run, read and wrote what.

Times are minutes since noon, runs are numbers, datasets are names in one namespace.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from headwater.model.values import instant
from testing.events.full import PRODUCER, Json

JOBS = "scheduler"
TABLES = "db"
NOON = instant.parse_instant("2024-05-01T12:00:00Z")

# A run's events each name all that it reads and writes.
SNAPSHOTS: Json = {
    "processingType": "STREAMING",
    "integration": "FLINK",
    "emissionPattern": {
        "eventTrigger": "PERIODIC",
        "eventContentMode": "COMPLETE_SNAPSHOT",
    },
}

Named = str | Json


def minute(minutes: float) -> int:
    """A time as the store has it."""
    return NOON + int(minutes * instant.MINUTE)


def run_id(number: int) -> str:
    return str(UUID(int=number))


def run(
    job: str,
    event_type: str,
    at: float,
    number: int,
    reads: Iterable[Named] = (),
    writes: Iterable[Named] = (),
    *,
    parent: int | None = None,
    job_type: Json | None = None,
) -> Json:
    """What a run says: `parent` is the number of the run of an application that it is part of."""
    above = {"run": {"runId": run_id(parent or 0)}, "job": {"namespace": JOBS, "name": "app"}}
    return {
        "eventType": event_type,
        "eventTime": _text(at),
        "run": {"runId": run_id(number), "facets": {"parent": above} if parent else {}},
        "job": _job(job, {"jobType": job_type} if job_type else {}),
        "inputs": [_dataset(each) for each in reads],
        "outputs": [_dataset(each) for each in writes],
        "producer": PRODUCER,
    }


def declare(
    job: str,
    at: float,
    reads: Iterable[Named] = (),
    writes: Iterable[Named] = (),
    author: str = PRODUCER,
) -> Json:
    """What an author says a job uses, without a run."""
    return {
        "eventTime": _text(at),
        "job": _job(job, {}),
        "inputs": [_dataset(each) for each in reads],
        "outputs": [_dataset(each) for each in writes],
        "producer": author,
    }


def describe(at: float, named: Named, author: str = PRODUCER) -> Json:
    """What a registry says of a dataset."""
    return {"eventTime": _text(at), "dataset": _dataset(named), "producer": author}


def edit(at: float, entity: Json, **rest: Any) -> Json:
    return {"eventTime": _text(at), "edit": {"actor": "ada", "entity": entity, **rest}}


def delete_dataset(at: float, name: str) -> Json:
    return edit(at, {"type": "dataset", **split(name)}, set={"deleted": True})


def delete_job(at: float, name: str) -> Json:
    return edit(at, {"type": "job", "namespace": JOBS, "name": name}, set={"deleted": True})


def join(at: float, one: str, other: str, kind: str = "TABLE") -> Json:
    """A person's word on two names; of kind CUT it parts them."""
    links = {"symlinks": _symlinks([(other, kind)])}
    return edit(at, {"type": "dataset", **split(one)}, set=links)


def dataset(
    name: str,
    *,
    schema: Iterable[str] = (),
    columns: Json | None = None,
    rows_by: Iterable[str] = (),
    symlinks: Iterable[tuple[str, str]] = (),
    lifecycle: str | None = None,
    renamed_from: str | None = None,
) -> Json:
    """A dataset with what is said of it.

    `columns` gives the sources of each output column as `orders.price` or, if it decides without
    being in the value, `?orders.price`; `rows_by` the same for all rows. `symlinks` are pairs of
    name and kind.
    """
    facets: Json = {}
    if fields := list(schema):
        facets["schema"] = {"fields": [{"name": field} for field in fields]}
    if columns is not None or rows_by:
        facets["columnLineage"] = {
            "fields": {
                output: {"inputFields": [_source(source) for source in sources]}
                for output, sources in (columns or {}).items()
            },
            "dataset": [_source(source) for source in rows_by],
        }
    if links := list(symlinks):
        facets["symlinks"] = _symlinks(links)
    if lifecycle is not None:
        facets["lifecycleStateChange"] = {"lifecycleStateChange": lifecycle}
    if renamed_from is not None:
        facets["lifecycleStateChange"] = {
            "lifecycleStateChange": "RENAME",
            "previousIdentifier": split(renamed_from),
        }
    return {**split(name), "facets": facets}


def split(name: str) -> dict[str, str]:
    """A name, in another namespace where it has one: `s3://lake|orders`."""
    namespace, _, own = name.rpartition("|")
    return {"namespace": namespace or TABLES, "name": own}


def _source(text: str) -> Json:
    name, _, field = text.removeprefix("?").rpartition(".")
    kind = "INDIRECT" if text.startswith("?") else "DIRECT"
    return {**split(name), "field": field, "transformations": [{"type": kind}]}


def _symlinks(links: Iterable[tuple[str, str]]) -> Json:
    return {"identifiers": [{**split(name), "type": kind} for name, kind in links]}


def _job(name: str, facets: Json) -> Json:
    return {"namespace": JOBS, "name": name, "facets": facets}


def _dataset(named: Named) -> Json:
    return named if isinstance(named, dict) else split(named)


def _text(at: float) -> str:
    return instant.format_instant(minute(at))
