"""Glue's tables, crawlers and jobs: what crawlers make of their targets, and jobs of tables; no
I/O."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from headwater.collect.catalog.entries import ColumnEntry, LinkedJob, StatedJobType, TableEntry
from headwater.emit.events import Producer
from headwater.emit.gaps import GapEntry
from headwater.emit.spec import PUBLISHED_TEXT
from headwater.model import naming
from headwater.model.confluent.names import glue_table
from headwater.model.naming import DatasetName, by_location

Json = dict[str, Any]
PRODUCER = Producer.of_part("collect/glue")
CRAWLER, JOB = StatedJobType("GLUE", "CRAWLER"), StatedJobType("GLUE", "JOB")
# As Glue's crawlers mark the tables that they write.
_CRAWLED_BY = "UPDATED_BY_CRAWLER"
# Parameters of tables that change with each crawl, or are ours.
_COUNTS = frozenset(
    ("averageRecordSize", "objectCount", "recordCount", "sizeKey", "transient_lastDdlTime")
)
_PATHS = {"S3Targets": "Path", "DynamoDBTargets": "Path"}
_PATH_LISTS = {"DeltaTargets": "DeltaTables", "IcebergTargets": "Paths", "HudiTargets": "Paths"}


class GlueNames:
    """Names in the catalog of one account and region."""

    def __init__(self, region: str, account: str) -> None:
        self.region, self.account = region, account

    def table(self, database: str, table: str) -> DatasetName:
        """As OpenLineage and dbt have it; as LineageBridge where the account is not known."""
        if not self.account:
            return glue_table(self.region, database, table)
        return naming.glue(self.region, self.account, database, table)

    def others(self, database: str, table: str) -> tuple[DatasetName, ...]:
        return (glue_table(self.region, database, table),) if self.account else ()


def account_of(tables: Iterable[Json], stated: str) -> str:
    """The account of a catalog, which its tables have."""
    return stated or next((_text(each, "CatalogId") for each in tables), "")


def translate_table(names: GlueNames, table: Json, own_prefix: str = "headwater.") -> TableEntry:
    database, name = _text(table, "DatabaseName"), _text(table, "Name")
    storage = table.get("StorageDescriptor") or {}
    listed = [*(storage.get("Columns") or ()), *(table.get("PartitionKeys") or ())]
    columns = tuple(
        ColumnEntry(_text(each, "Name"), _text(each, "Type"), _text(each, "Comment"))
        for each in listed
        if _text(each, "Name")
    )
    description = _text(table, "Description")
    return TableEntry(
        names.table(database, name),
        names.others(database, name),
        # What a crawler has found there is made of the files, and is not the same.
        None if _crawler_of(table) else location_of(table),
        columns,
        "" if description.startswith(PUBLISHED_TEXT) else description,
        _text(table, "Owner"),
        facets={"glue_table": PRODUCER.custom_facet(**_properties(table, own_prefix))},
    )


def _properties(table: Json, own_prefix: str) -> Json:
    storage = table.get("StorageDescriptor") or {}
    given: Mapping[str, Any] = table.get("Parameters") or {}
    parameters = {
        key: str(value)
        for key, value in given.items()
        if key not in _COUNTS and not key.startswith((own_prefix, "lineage_bridge."))
    }
    found = {
        "catalogId": _text(table, "CatalogId"),
        "tableType": _text(table, "TableType"),
        "location": _text(storage, "Location"),
        "inputFormat": _text(storage, "InputFormat"),
        "createdBy": _text(table, "CreatedBy"),
        "parameters": parameters,
        "partitionKeys": [_text(each, "Name") for each in table.get("PartitionKeys") or ()],
    }
    return {key: value for key, value in found.items() if value}


def location_of(table: Json) -> DatasetName | None:
    """Where a table's files are; None for a whole bucket, which is no table's name."""
    location = _text(table.get("StorageDescriptor") or {}, "Location")
    if "://" not in location:
        return None
    found = by_location(location)
    return None if found.name in ("", "/") else found


def _crawler_of(table: Json) -> str:
    return _text(table.get("Parameters") or {}, _CRAWLED_BY)


def translate_crawler(
    names: GlueNames, crawler: Json, tables: Sequence[Json], tags: Mapping[str, str]
) -> tuple[LinkedJob, list[GapEntry]]:
    """A crawler: from its targets to the tables that have its mark."""
    name = _text(crawler, "Name")
    job = _job(f"aws://{names.region}/{_text(crawler, 'DatabaseName')}", name, CRAWLER, tags)
    job.description = _text(crawler, "Description")
    job.facets["glue_crawler"] = PRODUCER.custom_facet(
        role=_text(crawler, "Role"),
        schedule=_text(crawler.get("Schedule") or {}, "ScheduleExpression"),
        tablePrefix=_text(crawler, "TablePrefix"),
    )
    gaps: list[GapEntry] = []
    targets = list(_targets(names, crawler, gaps))
    made = [table for table in tables if _crawler_of(table) == name]
    for table in made:
        output = names.table(_text(table, "DatabaseName"), _text(table, "Name"))
        for source in _sources(table, targets):
            job.add_flow(source, output)
    if not made:
        job.reads.update(targets)
        reason = "No table has the mark of this crawler: what it makes is not known."
        gaps.append(GapEntry("output", name, reason))
    return job, gaps


def _sources(table: Json, targets: Sequence[DatasetName]) -> list[DatasetName | None]:
    """What a table was made of: its own folder, below a target; else all targets."""
    own = location_of(table)
    is_below = own is not None and any(
        own.namespace == target.namespace
        and (target.name == "/" or f"{own.name}/".startswith(f"{target.name}/"))
        for target in targets
    )
    return [own] if is_below else [*targets] or [None]


def _targets(names: GlueNames, crawler: Json, gaps: list[GapEntry]) -> Iterator[DatasetName]:
    for kind, listed in (crawler.get("Targets") or {}).items():
        for target in listed or ():
            if kind == "DynamoDBTargets":
                yield DatasetName(f"dynamodb://{names.region}", _text(target, "Path"))
            elif kind in _PATHS:
                yield by_location(_text(target, _PATHS[kind]))
            elif kind in _PATH_LISTS:
                yield from map(by_location, target.get(_PATH_LISTS[kind]) or ())
            elif kind == "CatalogTargets":
                database = _text(target, "DatabaseName")
                yield from (names.table(database, each) for each in target.get("Tables") or ())
            else:
                connection, path = _text(target, "ConnectionName"), _text(target, "Path")
                reason = f"Which server the connection '{connection}' is of is not read."
                gaps.append(GapEntry("input", f"{_text(crawler, 'Name')}: {path}", reason))


def translate_job(
    names: GlueNames, found: Json, tags: Mapping[str, str]
) -> tuple[LinkedJob, list[GapEntry]]:
    """A job: from the sources to the targets of its graph, if it was drawn as one."""
    name = _text(found, "Name")
    job = _job(f"aws://{names.region}/glue", name, JOB, tags)
    job.description = _text(found, "Description")
    command = found.get("Command") or {}
    script = _text(command, "ScriptLocation")
    facet = {"role": _text(found, "Role"), "command": _text(command, "Name"), "script": script}
    job.facets["glue_job"] = PRODUCER.custom_facet(**facet)
    nodes = found.get("CodeGenConfigurationNodes") or {}
    if not nodes:
        reason = f"Glue does not know what the script {script} reads and writes."
        return job, [GapEntry("other", name, reason)]
    gaps: list[GapEntry] = []
    places = {id: _place(names, node) for id, node in nodes.items()}
    for id, node in nodes.items():
        ((kind, settings),) = node.items()
        if not _is_end(kind):
            continue
        if places[id] is None:
            side = "input" if "Source" in kind else "output"
            reason = f"Which dataset this {kind} is, is not understood."
            gaps.append(GapEntry(side, f"{name}: {_text(settings, 'Name')}", reason))  # type: ignore[arg-type]
        elif "Source" in kind:
            job.add_flow(places[id], None)
        else:
            for source in _above(id, nodes):
                job.add_flow(places[source], places[id])
    return job, gaps


def _is_end(kind: str) -> bool:
    return "Source" in kind or "Target" in kind


def _place(names: GlueNames, node: Json) -> DatasetName | None:
    """The table or the files of an end of a drawn job; None for one that is not understood."""
    ((kind, settings),) = node.items()
    if not _is_end(kind):
        return None
    if _text(settings, "Database") and _text(settings, "Table"):
        return names.table(_text(settings, "Database"), _text(settings, "Table"))
    paths = settings.get("Paths") or [_text(settings, "Path")]
    if len(paths) == 1 and "://" in paths[0]:
        return by_location(paths[0])
    streaming = settings.get("StreamingOptions") or {}
    brokers, topic = _text(streaming, "BootstrapServers"), _text(streaming, "TopicName")
    return naming.kafka(brokers, topic) if brokers and topic else None


def _above(id: str, nodes: Mapping[str, Json]) -> Iterator[str]:
    """The sources that a node of a drawn job is made of."""
    seen, waiting = {id}, [id]
    while waiting:
        ((kind, settings),) = nodes[waiting.pop()].items()
        if "Source" in kind:
            continue
        for above in settings.get("Inputs") or ():
            if above in nodes and above not in seen:
                seen.add(above)
                waiting.append(above)
                if any("Source" in each for each in nodes[above]):
                    yield above


def _job(namespace: str, name: str, kind: StatedJobType, tags: Mapping[str, str]) -> LinkedJob:
    return LinkedJob(namespace, name, kind, tags=tuple(sorted(tags.items())))


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key)
    return str(value) if value is not None else ""
