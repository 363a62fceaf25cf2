"""OpenMetadata's API, as far as lineage is written: requests by its published schemas, no more."""

import re
from typing import Any
from uuid import UUID, uuid5

from testing.stand_ins.recording import Call, Json, Refusal, Reply, WrittenStandIn, require_fields

_IDS = UUID("0d6b2a9e-5c0f-4c5e-9d0a-3f1b6d2a7c11")
_TYPES = {"table": "tables", "topic": "topics", "container": "containers", "pipeline": "pipelines"}
_NAME = re.compile(r"^((?!::)[^>\"\x00-\x1f])*$")
_REFERENCE = {"id", "type", "name", "fullyQualifiedName", "description", "displayName", "deleted"}
_DETAILS = {
    "sqlQuery", "columnsLineage", "pipeline", "description", "source", "createdAt", "createdBy",
    "updatedAt", "updatedBy", "assetEdges", "tempLineageTables",
}  # fmt: skip
_SOURCES = {
    "Manual", "ViewLineage", "QueryLineage", "PipelineLineage", "DashboardLineage", "DbtLineage",
    "SparkLineage", "OpenLineage", "ExternalTableLineage", "CrossDatabaseLineage", "ChildAssets",
}  # fmt: skip


class OpenMetadataStandIn(WrittenStandIn):
    """Entities by type and name, and the links between them by their ids."""

    def __init__(self, token: str, pipeline_service: str = "") -> None:
        super().__init__()
        self.token = token
        self.pipeline_service = pipeline_service
        self.entities: dict[tuple[str, str], Json] = {}
        self.links: dict[tuple[str, str], Json] = {}
        self.dropped_columns: list[str] = []
        """Columns that it does not know: OpenMetadata leaves these out, and does not say so."""

    def add(self, kind: str, fqn: str, *columns: str) -> str:
        """Have an entity; gives its id."""
        fields = [{"name": each, "fullyQualifiedName": f"{fqn}.{each}"} for each in columns]
        entity: Json = {"id": str(uuid5(_IDS, f"{kind} {fqn}")), "fullyQualifiedName": fqn}
        if kind == "topic":
            record = {"name": "Value", "fullyQualifiedName": f"{fqn}.Value", "children": [
                {**each, "fullyQualifiedName": f"{fqn}.Value.{each['name']}"} for each in fields
            ]}  # fmt: skip
            entity["messageSchema"] = {"schemaFields": [record]}
        elif kind == "container":
            entity["dataModel"] = {"columns": fields}
        else:
            entity["columns"] = fields
        self.entities[kind, fqn] = entity
        return str(entity["id"])

    def link(self, source: str, target: str) -> Json | None:
        """The details of a link, by the full names of its ends."""
        by_name = {fqn: entity["id"] for (_, fqn), entity in self.entities.items()}
        return self.links.get((by_name[source], by_name[target]))

    def answer(self, call: Call) -> Reply:
        if call.headers.get("authorization") != f"Bearer {self.token}":
            raise Refusal(401, {"code": 401, "message": "Token not valid"})
        parts = call.path.removeprefix("/api/v1/").split("/", 2)
        if not call.path.startswith("/api/v1/"):
            raise _missing(call.path)
        try:
            return self._answer(call, parts)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise Refusal(400, {"code": 400, "message": f"cannot be read: {error}"}) from None

    def _answer(self, call: Call, parts: list[str]) -> Reply:
        kinds = {path: kind for kind, path in _TYPES.items()}
        if parts[0] == "lineage":
            return self._lineage(call, parts[1:])
        if parts[:2] == ["services", "pipelineServices"] and call.method == "GET":
            if parts[2] != f"name/{self.pipeline_service}":
                raise _missing(parts[2])
            return Reply(200, {"id": "x", "name": self.pipeline_service})
        if parts[0] not in kinds:
            raise _missing(call.path)
        if len(parts) == 1:
            return self._all(call, kinds[parts[0]])
        if parts[1] != "name" or len(parts) != 3:
            raise _missing(call.path)
        return self._by_name(call, kinds[parts[0]], parts[2])

    def _all(self, call: Call, kind: str) -> Reply:
        if call.method == "GET":
            return Reply(200, {"data": [], "paging": {"total": 0}})
        if call.method != "PUT" or kind != "pipeline":
            raise Refusal(405, {"code": 405, "message": "HTTP 405 Method Not Allowed"})
        given = require_fields(
            call.body, {"name", "displayName", "description", "service"}, {"name", "service"}, kind
        )
        if not 0 < len(given["name"]) <= 256 or not _NAME.match(given["name"]):
            raise ValueError("name")
        if given["service"] != self.pipeline_service:
            raise _missing(given["service"])
        quoted = f'"{given["name"]}"' if "." in given["name"] else given["name"]
        self.add(kind, f"{given['service']}.{quoted}")
        self.entities[kind, f"{given['service']}.{quoted}"] |= given
        return Reply(201, self.entities[kind, f"{given['service']}.{quoted}"])

    def _by_name(self, call: Call, kind: str, fqn: str) -> Reply:
        if (kind, fqn) not in self.entities:
            raise _missing(fqn)
        entity = self.entities[kind, fqn]
        if call.method == "DELETE" and call.query == {"hardDelete": ["false"]}:
            return Reply(200, self.entities.pop((kind, fqn)))
        if call.method != "GET":
            raise Refusal(405, {"code": 405, "message": "HTTP 405 Method Not Allowed"})
        fields = call.query.get("fields", [""])[0]
        if fields and (kind, fields) != ("table", "columns"):
            raise ValueError(f"Invalid field name {fields}")
        hidden = {"columns"} if kind == "table" and not fields else set()
        return Reply(200, {key: value for key, value in entity.items() if key not in hidden})

    def _lineage(self, call: Call, rest: list[str]) -> Reply:
        if call.method == "PUT" and not rest:
            return self._link(call.body)
        parts = "/".join(rest).split("/")
        if call.method == "GET" and parts[0] == "getLineageEdge":
            ends = (parts[1], parts[2])
            if ends not in self.links:
                raise _missing("Lineage edge")
            return Reply(200, {"edge": self.links[ends]})
        if call.method == "DELETE" and len(parts) == 4:
            if self.links.pop((parts[1], parts[3]), None) is None:
                raise _missing("Lineage edge")
            return Reply(200)
        raise Refusal(405, {"code": 405, "message": "HTTP 405 Method Not Allowed"})

    def _link(self, body: Any) -> Reply:
        edge = require_fields(body, {"edge"}, {"edge"}, "AddLineage")["edge"]
        ends = {"fromEntity", "toEntity"}
        require_fields(edge, ends | {"description", "lineageDetails"}, ends, "edge")
        source, target = (self._entity(edge[end]) for end in ("fromEntity", "toEntity"))
        details = require_fields(edge.get("lineageDetails", {}), _DETAILS, set(), "lineageDetails")
        if details.get("source", "Manual") not in _SOURCES:
            raise ValueError("source")
        if "pipeline" in details:
            self._entity(details["pipeline"])
        columns = self._known(details.get("columnsLineage", []), source, target)
        stored = {**details, "columnsLineage": columns, "updatedBy": "ingestion-bot"}
        self.links[source["id"], target["id"]] = stored
        return Reply(200)

    def _entity(self, given: Any) -> Json:
        require_fields(given, _REFERENCE, {"id", "type"}, "entityReference")
        for (kind, _), entity in self.entities.items():
            if (kind, entity["id"]) == (given["type"], str(UUID(given["id"]))):
                return entity
        raise _missing(given["id"])

    def _known(self, columns: list[Json], source: Json, target: Json) -> list[Json]:
        found = []
        for each in columns:
            require_fields(
                each, {"fromColumns", "toColumn", "function"}, {"fromColumns", "toColumn"}, "column"
            )
            names = [*each["fromColumns"], each["toColumn"]]
            ends = [source] * len(each["fromColumns"]) + [target]
            missing = [n for n, end in zip(names, ends, strict=True) if f"'{n}'" not in str(end)]
            self.dropped_columns += missing
            if not missing:
                found.append(each)
        return found


def _missing(what: str) -> Refusal:
    return Refusal(404, {"code": 404, "message": f"instance for {what} not found"})
