"""What Unity Catalog says as tables and jobs: who made what of what, and who may use it; no I/O."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headwater.collect.catalog.entries import (
    ColumnEntry,
    LinkedJob,
    StatedJobType,
    TableEntry,
)
from headwater.collect.unity_catalog.fetch import TableReport
from headwater.collect.unity_catalog.names import ENTITY_KINDS, EXTERNAL, UNNAMED, UnityNames
from headwater.emit.events import Producer
from headwater.emit.gaps import GapEntry
from headwater.emit.spec import PUBLISHED_BY, PUBLISHED_TEXT
from headwater.model.naming import DatasetName, by_location

Json = dict[str, Any]
PRODUCER = Producer.of_part("collect/unity-catalog")
_MOST_GRANTS = 100
_KINDS = {kind.key: kind for kind in ENTITY_KINDS}
_ENTITY = "databricks_entity"


def translate_table(names: UnityNames, report: TableReport) -> TableEntry:
    table = report.table
    columns = tuple(
        ColumnEntry(
            str(each.get("name") or ""), str(each.get("type_text") or ""), _text(each, "comment")
        )
        for each in table.get("columns") or ()
    )
    comment = _text(table, "comment")
    location = _text(table, "storage_location")
    # A table that Databricks manages has a folder that nobody else names.
    is_named = table.get("table_type") == "EXTERNAL" and bool(location)
    return TableEntry(
        names.table(report.name),
        names.others(report.name),
        by_location(location) if is_named else None,
        columns,
        # What publishing has written there is no news here.
        "" if comment.startswith(PUBLISHED_TEXT) else comment,
        _text(table, "owner"),
        tuple(
            (_text(each, "tag_key"), _text(each, "tag_value"))
            for each in report.tags or ()
            if _text(each, "tag_key")
        ),
        _facets(table, report.grants),
    )


def _facets(table: Json, grants: list[Json] | None) -> dict[str, Json]:
    named = {
        "tableId": "table_id",
        "tableType": "table_type",
        "format": "data_source_format",
        "location": "storage_location",
        "createdBy": "created_by",
    }
    known = {name: _text(table, key) for name, key in named.items() if _text(table, key)}
    facets = {"unity_catalog_table": PRODUCER.custom_facet(**known)}
    if listed := sorted(_grants(grants or ())):
        keys = ("principal", "privilege", "inheritedFrom")
        rules = [
            {key: value for key, value in zip(keys, each, strict=True) if value}
            for each in listed[:_MOST_GRANTS]
        ]
        more = {"grantCount": len(listed)} if len(listed) > _MOST_GRANTS else {}
        facets["unity_catalog_access"] = PRODUCER.custom_facet(grants=rules, **more)
    return facets


def _grants(grants: Iterable[Json]) -> Iterator[tuple[str, str, str]]:
    for each in grants:
        for privilege in each.get("privileges") or ():
            if isinstance(privilege, dict):
                where = _text(privilege, "inherited_from_name")
                yield _text(each, "principal"), _text(privilege, "privilege"), where
            else:
                yield _text(each, "principal"), str(privilege), ""


class UnityJobs:
    """What reads and writes tables, gathered over the lineage of all of them."""

    def __init__(self, names: UnityNames) -> None:
        self._names = names
        self.jobs: dict[str, LinkedJob] = {}
        self.gaps: list[GapEntry] = []

    def add(self, report: TableReport) -> None:
        table = self._names.table(report.name)
        writers = list(self._side(report, "upstreams", table))
        list(self._side(report, "downstreams", table))
        self._columns(report, table, writers)
        for link in report.external:
            self._external(link)

    def ids(self, kind: str) -> Iterator[tuple[str, LinkedJob]]:
        """The jobs of a kind with their ids in the workspace."""
        for name, job in self.jobs.items():
            prefix, _, id = name.partition("/")
            if prefix == kind:
                yield id, job

    def _side(self, report: TableReport, side: str, table: DatasetName) -> Iterator[LinkedJob]:
        """Note what one side of a table's lineage says; gives the jobs that it names."""
        for entry in report.lineage.get(side) or ():
            place = self._names.place(entry)
            if place is None and ("tableInfo" in entry or "fileInfo" in entry):
                self._hidden(report.name, side)
            if place == table:
                # What a table is merged into itself is no lineage of anything else.
                place = None
            source, target = (place, table) if side == "upstreams" else (table, place)
            jobs = list(self._entities(report.name, entry))
            if not jobs and place is not None:
                jobs = [self._unnamed(target)] if target is not None else []
            for job in jobs:
                job.add_flow(source, target)
                yield job

    def _entities(self, table: str, entry: Json) -> Iterator[LinkedJob]:
        for key, infos in entry.items():
            kind = _KINDS.get(key)
            if kind is None:
                if key.endswith("Infos") and infos:
                    reason = f"Its lineage names '{key}', which is not understood."
                    self.gaps.append(GapEntry("other", table, reason))
                continue
            for info in infos or ():
                if id := _text(info, kind.id_key):
                    yield self._job(f"{kind.name}/{id}", kind.job, info)

    def _job(self, name: str, kind: StatedJobType, info: Mapping[str, Any]) -> LinkedJob:
        job = self.jobs.get(name)
        if job is None:
            own = {"kind": name.partition("/")[0], "workspaceId": _text(info, "workspace_id")}
            facet = PRODUCER.custom_facet(**{key: value for key, value in own.items() if value})
            job = LinkedJob(self._names.namespace, name, kind, facets={_ENTITY: facet})
            self.jobs[name] = job
        return job

    def _unnamed(self, target: DatasetName) -> LinkedJob:
        return self._job(f"query of {target.name}", UNNAMED, {})

    def _columns(self, report: TableReport, table: DatasetName, writers: list[LinkedJob]) -> None:
        """Columns of a table by those they are made of; with each job that reads these."""
        for column, sources in report.columns.items():
            for each in sources:
                info = {**each, "name": each.get("table_name")}
                source = self._names.place({"tableInfo": info})
                field = _text(each, "name")
                if source is None or not field:
                    self._hidden(f"{report.name}.{column}", "upstreams")
                    continue
                made = [job for job in writers if source in job.flows.get(table, ())]
                if not made and source != table:
                    made = [self._unnamed(table)]
                    made[0].add_flow(source, table)
                for job in made:
                    job.add_column(table, column, (source, field))

    def _hidden(self, name: str, side: str) -> None:
        reason = "This token may not see everything that is linked to it."
        self.gaps.append(GapEntry("input" if side == "upstreams" else "output", name, reason))

    def _external(self, link: Json) -> None:
        """What somebody has stated about things outside; but for what Headwater has published."""
        if PUBLISHED_BY.items() <= (link.get("properties") or {}).items():
            return
        ends = [self._end(link.get(side)) for side in ("source", "target")]
        source, target = ends
        if source is None or target is None:
            reason = "External lineage names an end that is neither table, path nor object."
            self.gaps.append(GapEntry("other", _text(link, "id"), reason))
            return
        job = self._job(f"external_lineage/{source.name} -> {target.name}", EXTERNAL, {})
        job.add_flow(source, target)
        for pair in link.get("columns") or ():
            job.add_column(target, _text(pair, "target"), (source, _text(pair, "source")))

    def _end(self, end: Any) -> DatasetName | None:
        for kind, where in (end or {}).items():
            if not isinstance(where, dict):
                continue
            if kind == "table" and _text(where, "name"):
                return self._names.table(_text(where, "name"))
            if kind == "external_metadata" and _text(where, "name"):
                return self._names.external(_text(where, "name"))
            if kind == "path" and _text(where, "url"):
                return by_location(_text(where, "url"))
        return None


def describe_job(job: LinkedJob, found: Json) -> None:
    """Add what the Jobs API says of a job."""
    settings = found.get("settings") or {}
    job.description = _text(settings, "description") or _text(settings, "name")
    job.owner = _text(found, "creator_user_name")
    job.tags = tuple((str(key), str(value)) for key, value in (settings.get("tags") or {}).items())
    _add_name(job, _text(settings, "name"))


def describe_query(job: LinkedJob, found: Json) -> None:
    """Add what is saved of a query."""
    job.description = _text(found, "description") or _text(found, "display_name")
    job.owner = _text(found, "owner_user_name")
    job.tags = tuple((str(tag), "") for tag in found.get("tags") or ())
    job.sql = _text(found, "query_text")
    _add_name(job, _text(found, "display_name"))


def _add_name(job: LinkedJob, name: str) -> None:
    if name:
        job.facets[_ENTITY] = {**job.facets[_ENTITY], "name": name}


def linked_tables(report: TableReport) -> Iterator[str]:
    """The tables that the lineage of one names."""
    for side in ("upstreams", "downstreams"):
        for entry in report.lineage.get(side) or ():
            info = entry.get("tableInfo") or {}
            parts = [_text(info, key) for key in ("catalog_name", "schema_name", "name")]
            if all(parts):
                yield ".".join(parts)


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key)
    return str(value) if isinstance(value, (str, int)) and value != "" else ""
