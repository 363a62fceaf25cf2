"""OpenMetadata by its API: what it has, found by name, and the links between."""

from typing import Any, NamedTuple
from urllib.parse import quote

from headwater.publish.catalog import ItemRefused, ItemSkipped, Json
from headwater.publish.catalog.http import CatalogHttp
from headwater.publish.openmetadata.items import MARK
from headwater.publish.openmetadata.names import CONTAINER, TABLE, TOPIC, EntityName, quote_part

_PATHS = {TABLE: "tables", TOPIC: "topics", CONTAINER: "containers"}
_MOST_KEPT = 5_000


class FoundEntity(NamedTuple):
    """Something that OpenMetadata has, with the full names of its columns by their paths."""

    id: str
    type: str
    columns: dict[str, str]

    @property
    def reference(self) -> Json:
        return {"id": self.id, "type": self.type}


class OpenMetadataClient:
    """Reads each entity once in a pass."""

    def __init__(self, http: CatalogHttp, pipeline_service: str) -> None:
        self._http = http
        self._service = pipeline_service
        self._known: dict[EntityName, FoundEntity | None] = {}
        self._pipelines: dict[str, str] = {}

    def find(self, name: EntityName) -> FoundEntity:
        """Raises ItemSkipped where it is not there."""
        if name not in self._known:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[name] = self._read(name)
        found = self._known[name]
        if found is None:
            raise ItemSkipped(f"OpenMetadata has no {name.type} {name.fqn}")
        return found

    def _read(self, name: EntityName) -> FoundEntity | None:
        params = {"fields": "columns"} if name.type == TABLE else None
        path = f"{_PATHS[name.type]}/name/{quote(name.fqn, safe='')}"
        try:
            found = self._http.call("GET", path, params=params)
        except ItemSkipped:
            return None
        return FoundEntity(_id(found), name.type, _columns(found))

    def read_link(self, source: FoundEntity, target: FoundEntity) -> Json | None:
        """The details of a link; None where there is none."""
        try:
            found = self._http.call("GET", f"lineage/getLineageEdge/{source.id}/{target.id}")
        except ItemSkipped:
            return None
        edge = found.get("edge")
        return edge if isinstance(edge, dict) else {}

    def write_link(self, source: FoundEntity, target: FoundEntity, details: Json) -> None:
        edge = {
            "fromEntity": source.reference,
            "toEntity": target.reference,
            "lineageDetails": details,
        }
        self._http.call("PUT", "lineage", {"edge": edge})

    def remove_link(self, reference: str) -> None:
        """By the types and ids that it was written with."""
        try:
            self._http.call("DELETE", f"lineage/{reference}")
        except ItemSkipped:
            return

    def link_details(self, source: FoundEntity, target: FoundEntity, body: Json) -> Json:
        """What a link is to say; columns that OpenMetadata does not know are counted."""
        columns, missing = [], 0
        for each in body["columns"]:
            to_column = target.columns.get(each["to"])
            sources = [source.columns[name] for name in each["from"] if name in source.columns]
            missing += len(each["from"]) - len(sources) if to_column else len(each["from"])
            if to_column and sources:
                more = {"function": each["function"]} if each["function"] else {}
                columns.append({"fromColumns": sources, "toColumn": to_column, **more})
        text = body["description"]
        if missing:
            text += f" (columns that are not known here are left out: {missing:,} links)"
        details: Json = {"source": "OpenLineage", "description": text, "columnsLineage": columns}
        if body["pipeline"]:
            details["pipeline"] = {"id": self._pipeline_id(body["pipeline"]), "type": "pipeline"}
        return details

    def write_pipeline(self, body: Json) -> None:
        found = self._http.call("PUT", "pipelines", {**body, "service": self._service})
        self._pipelines[body["name"]] = _id(found)

    def remove_pipeline(self, name: str) -> None:
        """It is marked as deleted, and can be restored there."""
        try:
            self._http.call("DELETE", self._pipeline_path(name), params={"hardDelete": "false"})
        except ItemSkipped:
            return

    def read_pipeline(self, name: str) -> Json | None:
        try:
            return self._http.call("GET", self._pipeline_path(name))
        except ItemSkipped:
            return None

    def _pipeline_id(self, name: str) -> str:
        if name not in self._pipelines:
            found = self.read_pipeline(name)
            if found is None:
                raise ItemSkipped(f"OpenMetadata has no pipeline {name}")
            self._pipelines[name] = _id(found)
        return self._pipelines[name]

    def _pipeline_path(self, name: str) -> str:
        return f"pipelines/name/{quote(f'{self._service}.{quote_part(name)}', safe='')}"

    def check_services(self) -> None:
        self._http.call("GET", "tables", params={"limit": "1"})
        if self._service:
            self._http.call("GET", f"services/pipelineServices/name/{quote(self._service)}")


def is_ours(details: Json) -> bool:
    return str(details.get("description") or "").startswith(MARK)


def link_reference(source: FoundEntity, target: FoundEntity) -> str:
    return f"{source.type}/{source.id}/{target.type}/{target.id}"


def _id(found: Json) -> str:
    if not isinstance(found.get("id"), str):
        raise ItemRefused("answered without an id; is the address right?")
    return str(found["id"])


def _columns(entity: Json) -> dict[str, str]:
    """The full names of columns: of tables, of messages and of files, by the path of each."""
    found: dict[str, str] = {}
    schema, model = entity.get("messageSchema"), entity.get("dataModel")
    _collect(entity.get("columns"), "", found)
    _collect(model.get("columns") if isinstance(model, dict) else None, "", found)
    for record in _dicts(schema.get("schemaFields") if isinstance(schema, dict) else None):
        # The fields of a message are below its record, whose name no event has.
        inner = record.get("children")
        _collect(inner or [record], "", found)
    return found


def _collect(columns: Any, path: str, found: dict[str, str]) -> None:
    for column in _dicts(columns):
        name, full = column.get("name"), column.get("fullyQualifiedName")
        if isinstance(name, str) and isinstance(full, str):
            here = f"{path}.{name}" if path else name
            found.setdefault(here, full)
            _collect(column.get("children"), here, found)


def _dicts(values: Any) -> list[Json]:
    return [each for each in values or [] if isinstance(each, dict)]
