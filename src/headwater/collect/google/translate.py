"""BigQuery's tables, and the processes of the Data Lineage API as jobs between them; no I/O."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headwater.collect.catalog.entries import ColumnEntry, LinkedJob, StatedJobType, TableEntry
from headwater.collect.google.fetch import AssetReport
from headwater.collect.google.names import dataset_name, other_names
from headwater.emit.events import Producer
from headwater.emit.gaps import GapEntry
from headwater.emit.spec import PUBLISHED_BY, PUBLISHED_TEXT
from headwater.model.confluent.job_kinds import CATALOG_QUERY

Json = dict[str, Any]
PRODUCER = Producer.of_part("collect/google")
_DEEPEST = 12


def translate_table(report: AssetReport) -> TableEntry | None:
    """A table of BigQuery; None for anything else, of which only the name is known."""
    if report.table is None:
        return None
    table, name = report.table, dataset_name(report.name)
    description = _text(table, "description")
    labels: Mapping[str, Any] = table.get("labels") or {}
    return TableEntry(
        name,
        other_names(name),
        columns=tuple(_columns((table.get("schema") or {}).get("fields") or ())),
        description="" if description.startswith(PUBLISHED_TEXT) else description,
        tags=tuple((key, str(value)) for key, value in labels.items()),
        facets={"bigquery_table": PRODUCER.custom_facet(**_properties(table))},
    )


def _columns(fields: Iterable[Json], prefix: str = "", depth: int = 0) -> Iterator[ColumnEntry]:
    """Columns; those in records by their paths."""
    for field in fields:
        name = f"{prefix}{_text(field, 'name')}"
        repeated = _text(field, "mode") == "REPEATED"
        kind = _text(field, "type")
        shown = f"ARRAY<{kind}>" if repeated else kind
        yield ColumnEntry(name, shown, _text(field, "description"))
        if depth < _DEEPEST:
            yield from _columns(field.get("fields") or (), f"{name}.", depth + 1)


def _properties(table: Json) -> Json:
    view = table.get("view") or table.get("materializedView") or {}
    found = {
        "tableType": _text(table, "type"),
        "location": _text(table, "location"),
        "created": _text(table, "creationTime"),
        "view": _text(view, "query"),
        "friendlyName": _text(table, "friendlyName"),
    }
    return {key: value for key, value in found.items() if value}


def linked_assets(report: AssetReport) -> Iterator[str]:
    for link in report.links:
        yield from _ends(link)


def _ends(link: Json) -> tuple[str, str]:
    source, target = (
        _text(link.get(side) or {}, "fullyQualifiedName") for side in ("source", "target")
    )
    return source, target


def translate_processes(
    namespace: str, processes: Iterable[tuple[Json, list[str]]], links: Mapping[str, Json]
) -> tuple[list[LinkedJob], list[GapEntry]]:
    """A job for each process that is not made of what Headwater has published."""
    jobs, gaps, explained = [], [], set[str]()
    for process, names in processes:
        explained.update(names)
        if _is_published(process):
            continue
        job = _job(namespace, process)
        for name in names:
            if link := links.get(name):
                source, target = _ends(link)
                job.add_flow(dataset_name(source), dataset_name(target))
        jobs.append(job)
    for name in sorted(links.keys() - explained):
        source, target = _ends(links[name])
        reason = f"No process is named that makes this of {source}."
        gaps.append(GapEntry("input", target, reason))
    return jobs, gaps


def _is_published(process: Json) -> bool:
    given: Mapping[str, Any] = process.get("attributes") or {}
    return PUBLISHED_BY.items() <= given.items()


def _job(namespace: str, process: Json) -> LinkedJob:
    """Its id is what stays the same; what it is called may be changed."""
    id = _text(process, "name").rpartition("/")[2]
    origin = process.get("origin") or {}
    source = _text(origin, "sourceType") or "CUSTOM"
    kind = StatedJobType("GOOGLE", CATALOG_QUERY.job_type if source == "BIGQUERY" else source)
    job = LinkedJob(namespace, id, kind, description=_text(process, "displayName"))
    attributes = {
        str(key): value if isinstance(value, (str, int, float, bool)) else str(value)
        for key, value in sorted((process.get("attributes") or {}).items())
    }
    facet = {"process": _text(process, "name"), "origin": source, "attributes": attributes}
    if name := _text(origin, "name"):
        facet["originName"] = name
    job.facets["google_process"] = PRODUCER.custom_facet(**facet)
    return job


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key)
    return str(value) if isinstance(value, (str, int)) else ""
