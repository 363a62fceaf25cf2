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
    gaps: Iterable[str] | None = None,
) -> Json:
    """What a run says: `parent` is the number of the run of an application that it is part of.

    `gaps` are what its producer did not understand, as `input LogicalRDD`.
    """
    above = {"run": {"runId": run_id(parent or 0)}, "job": {"namespace": JOBS, "name": "app"}}
    facets: Json = {"parent": above} if parent else {}
    if gaps is not None:
        pairs = [gap.partition(" ")[::2] for gap in gaps]
        facets["headwater_gaps"] = {"gaps": [{"kind": kind, "name": name} for kind, name in pairs]}
    return {
        "eventType": event_type,
        "eventTime": _text(at),
        "run": {"runId": run_id(number), "facets": facets},
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
    inputs: Iterable[str] | None = None,
) -> Json:
    """A dataset with what is said of it.

    `columns` gives the sources of each output column as `orders.price` or, if it decides without
    being in the value, `?orders.price`, or if it is copied, `=orders.price`; that of a nested field
    as `orders:item.price`. `rows_by` are the same for all rows, `symlinks` pairs of name and kind.
    `inputs` are those of its job that it comes from.
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
    if inputs is not None:
        facets["lineage"] = {"inputs": [{**split(each), "type": "DATASET"} for each in inputs]}
    return {**split(name), "facets": facets}


def split(name: str) -> dict[str, str]:
    """A name, in another namespace where it has one: `s3://lake|orders`."""
    namespace, _, own = name.rpartition("|")
    return {"namespace": namespace or TABLES, "name": own}


def _source(text: str) -> Json:
    way: Json = {"type": "INDIRECT" if text.startswith("?") else "DIRECT"}
    if text.startswith("="):
        way["subtype"] = "IDENTITY"
    named = text.lstrip("?=")
    is_nested = ":" in named.rpartition("|")[2]
    name, _, field = named.rpartition(":") if is_nested else named.rpartition(".")
    return {**split(name), "field": field, "transformations": [way]}


def _symlinks(links: Iterable[tuple[str, str]]) -> Json:
    return {"identifiers": [{**split(name), "type": kind} for name, kind in links]}


def _job(name: str, facets: Json) -> Json:
    return {"namespace": JOBS, "name": name, "facets": facets}


def _dataset(named: Named) -> Json:
    return named if isinstance(named, dict) else split(named)


def _text(at: float) -> str:
    return instant.format_instant(minute(at))
