"""DataHub's OpenAPI v3, as far as lineage is written: aspects by its published schemas, no more."""

import re
from typing import Any

from testing.stand_ins.recording import Call, Json, Refusal, Reply, WrittenStandIn, require_fields

_ROOT = "/openapi/v3/entity/"
_ENVS = "DEV|TEST|QA|UAT|EI|PRE|STG|NON_PROD|PROD|CORP|RVW|PRD|TST|SIT|SBX|SANDBOX|CERT"
_NAME = r"[^,()]+"
_DATASET = rf"urn:li:dataset:\(urn:li:dataPlatform:{_NAME},{_NAME},({_ENVS})\)"
_FLOW = rf"urn:li:dataFlow:\({_NAME},{_NAME},{_NAME}\)"
_URNS = {
    "dataset": re.compile(_DATASET),
    "dataFlow": re.compile(_FLOW),
    "dataJob": re.compile(rf"urn:li:dataJob:\({_FLOW},{_NAME}\)"),
    "schemaField": re.compile(rf"urn:li:schemaField:\({_DATASET},{_NAME}\)"),
}
_ASPECTS = {
    "dataset": {"upstreamLineage", "status"},
    "dataFlow": {"dataFlowInfo", "status"},
    "dataJob": {"dataJobInfo", "dataJobInputOutput", "status"},
}
_INFO = {"customProperties", "externalUrl", "name", "description", "created", "lastModified"}
_STAMPS = {"auditStamp", "created"}


class DataHubStandIn(WrittenStandIn):
    """Entities by their urns; aspects are replaced as a whole."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token
        self.entities: dict[str, Json] = {}

    def answer(self, call: Call) -> Reply:
        if call.headers.get("authorization") != f"Bearer {self.token}":
            raise Refusal(401, {"message": f"Unauthorized: {call.headers.get('authorization')}"})
        kind, _, rest = call.path.removeprefix(_ROOT).partition("/")
        if not call.path.startswith(_ROOT) or kind not in _ASPECTS:
            raise Refusal(404, {"message": f"no such entity {kind}"})
        if call.method == "POST" and not rest:
            return Reply(200, self._write(kind, call))
        if call.method == "GET" and not rest:
            return Reply(200, {"entities": []})
        if call.method == "GET":
            return Reply(200, self._read(rest, call))
        raise Refusal(405, {"message": "method not allowed"})

    def aspect(self, urn: str, name: str) -> Json:
        """What an aspect holds."""
        found: Json = self.entities[urn][name]
        return found

    def _read(self, rest: str, call: Call) -> Json:
        urn, is_of_aspect, _ = rest.partition("/upstreamLineage")
        aspect = "upstreamLineage" if is_of_aspect else ""
        found = self.entities.get(urn)
        if found is None or (aspect and aspect not in found):
            raise Refusal(404, {"message": "not found"})
        if aspect:
            return {"value": found[aspect], "systemMetadata": {"version": "1"}}
        names = call.query.get("aspects", [",".join(found)])[0].split(",")
        return {"urn": urn} | {name: {"value": found[name]} for name in names if name in found}

    def _write(self, kind: str, call: Call) -> list[Json]:
        if call.query != {"async": ["false"]}:
            raise Refusal(400, {"message": f"unexpected parameters {call.query}"})
        try:
            entities = [_check_entity(kind, each) for each in call.body]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise Refusal(400, {"message": f"cannot be read: {error}"}) from None
        for entity in entities:
            aspects = {name: each["value"] for name, each in entity.items() if name != "urn"}
            self.entities.setdefault(entity["urn"], {}).update(aspects)
        return entities


def _check_entity(kind: str, given: Any) -> Json:
    entity = require_fields(given, {"urn", *_ASPECTS[kind]}, {"urn"}, kind)
    _check_urn(kind, entity["urn"])
    for name, aspect in entity.items():
        if name != "urn":
            value = require_fields(aspect, {"value", "headers"}, {"value"}, name)["value"]
            _CHECKS[name](value)
    return entity


def _check_urn(kind: str, urn: str) -> None:
    if len(urn.encode()) > 512 and kind != "schemaField":
        raise ValueError("a urn is longer than 512 bytes")
    if not _URNS[kind].fullmatch(urn):
        raise ValueError(f"{urn} is no urn of a {kind}")


def _check_status(value: Any) -> None:
    if not isinstance(require_fields(value, {"removed"}, {"removed"}, "status")["removed"], bool):
        raise ValueError("removed is no boolean")


def _check_flow(value: Any) -> None:
    require_fields(value, _INFO | {"project", "env"}, {"name"}, "dataFlowInfo")
    _check_texts(value.get("customProperties", {}))


def _check_job(value: Any) -> None:
    require_fields(value, _INFO | {"type", "flowUrn", "status"}, {"name", "type"}, "dataJobInfo")
    require_fields(value["type"], {"string"}, {"string"}, "type")
    _check_urn("dataFlow", value["flowUrn"])
    _check_texts(value.get("customProperties", {}))


def _check_uses(value: Any) -> None:
    lists = {"inputDatasets", "outputDatasets"}
    edges = {"inputDatasetEdges", "outputDatasetEdges"}
    more = {"inputDatajobs", "inputDatajobEdges", "inputDatasetFields", "outputDatasetFields"}
    require_fields(
        value, lists | edges | more | {"fineGrainedLineages"}, lists, "dataJobInputOutput"
    )
    fields = {"sourceUrn", "destinationUrn", "created", "lastModified", "properties"}
    for name in edges:
        for edge in value.get(name, []):
            require_fields(edge, fields, {"destinationUrn"}, name)
            _check_urn("dataset", edge["destinationUrn"])
    _check_columns(value.get("fineGrainedLineages", []))


def _check_lineage(value: Any) -> None:
    require_fields(value, {"upstreams", "fineGrainedLineages"}, {"upstreams"}, "upstreamLineage")
    allowed = {"dataset", "type", "properties", "query", "matchType"} | _STAMPS
    for each in value["upstreams"]:
        require_fields(each, allowed, {"dataset", "type"}, "upstream")
        _check_urn("dataset", each["dataset"])
        if each["type"] not in ("COPY", "TRANSFORMED", "VIEW"):
            raise ValueError(f"no type {each['type']}")
        _check_texts(each.get("properties", {}))
    _check_columns(value.get("fineGrainedLineages", []))


def _check_columns(given: Any) -> None:
    required = {"upstreamType", "downstreamType"}
    allowed = required | {"upstreams", "downstreams", "transformOperation", "confidenceScore"}
    for each in given:
        require_fields(each, allowed | {"query", "matchType"}, required, "fineGrainedLineage")
        if each["upstreamType"] not in ("FIELD_SET", "DATASET", "NONE"):
            raise ValueError(f"no upstreamType {each['upstreamType']}")
        if each["downstreamType"] not in ("FIELD", "FIELD_SET"):
            raise ValueError(f"no downstreamType {each['downstreamType']}")
        for urn in (*each.get("upstreams", []), *each.get("downstreams", [])):
            _check_urn("schemaField", urn)


def _check_texts(given: Any) -> None:
    if not all(isinstance(value, str) for value in given.values()):
        raise ValueError("properties are texts")


_CHECKS = {
    "dataFlowInfo": _check_flow,
    "dataJobInfo": _check_job,
    "dataJobInputOutput": _check_uses,
    "status": _check_status,
    "upstreamLineage": _check_lineage,
}
