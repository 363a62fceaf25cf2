"""Stream Governance of the stand-in: an environment's schema registry and Stream Catalog."""

from typing import Any

from headwater.demo.confluent.estate import CatalogTopic, CloudEnvironment
from headwater.demo.confluent.protocol import CloudRequest, Json, RequestRefused, Route


def _environment(request: CloudRequest) -> CloudEnvironment:
    found = request.estate.environments.get(request.place["environment"])
    if found is None:
        raise RequestRefused(404, "there is no such registry")
    request.check_key(found.registry)
    return found


def _number(request: CloudRequest, name: str, default: int, most: int) -> int:
    given = request.query.get(name, [str(default)])
    if len(given) != 1 or not given[0].isdecimal() or int(given[0]) > most:
        raise RequestRefused(422, f"{name} is a number up to {most}")
    return int(given[0])


def get_config(request: CloudRequest) -> Json:
    _environment(request)
    return {"compatibilityLevel": "BACKWARD"}


def list_schemas(request: CloudRequest) -> list[Json]:
    environment = _environment(request)
    only_latest = request.query.get("latestOnly") == ["true"]
    found = [
        version
        for subject in sorted(environment.subjects)
        for version in environment.subjects[subject][-1 if only_latest else 0 :]
    ]
    start = _number(request, "offset", 0, 10**9)
    return found[start : start + _number(request, "limit", 1_000, 1_000)]


def list_subjects(request: CloudRequest) -> list[str]:
    return sorted(_environment(request).subjects)


def get_version(request: CloudRequest) -> Json:
    versions = _environment(request).subjects.get(request.place["subject"], [])
    version = request.place["version"]
    found = versions[-1:] if version == "latest" else versions
    chosen = [each for each in found if version in ("latest", str(each["version"]))]
    if not chosen:
        raise RequestRefused(404, "Subject or version not found.")
    return chosen[0]


def search_catalog(request: CloudRequest) -> Json:
    environment = _environment(request)
    if request.query.get("type") != ["kafka_topic"]:
        raise RequestRefused(400, "this stand-in has entities of the type kafka_topic")
    start, limit = _number(request, "offset", 0, 10**9), _number(request, "limit", 100, 500)
    entries = [_entity(each) for each in environment.catalog]
    return {
        "searchParameters": {"includeDeleted": False, "limit": limit, "offset": start},
        "types": ["kafka_topic"],
        "entities": entries[start : start + limit],
    }


def _name(found: CatalogTopic) -> str:
    return f"{found.cluster}:{found.topic}"


def _entity(found: CatalogTopic) -> Json:
    attributes = {
        "name": found.topic,
        "qualifiedName": _name(found),
        "owner": found.owner,
        "ownerEmail": found.owner_email,
        "description": found.description,
    }
    return {
        "typeName": "kafka_topic",
        "attributes": {key: value for key, value in attributes.items() if value},
        "guid": _name(found),
        "status": "ACTIVE",
        "displayText": found.topic,
        "classificationNames": list(found.tags),
    }


def list_metadata_definitions(request: CloudRequest) -> list[Json]:
    kinds = {kind for each in _environment(request).catalog for kind in each.business_metadata}
    return [{"category": "BUSINESS_METADATA", "name": kind} for kind in sorted(kinds)]


def get_business_metadata(request: CloudRequest) -> list[Any]:
    entities = {_name(each): each for each in _environment(request).catalog}
    found = entities.get(request.place["name"])
    if found is None or request.place["type"] != "kafka_topic":
        raise RequestRefused(404, "there is no such entity")
    return [
        {
            "typeName": kind,
            "attributes": attributes,
            "entityType": "kafka_topic",
            "entityName": _name(found),
        }
        for kind, attributes in found.business_metadata.items()
    ]


_REGISTRY = "/registry/{environment}"
_LIST = ("subjectPrefix", "deleted", "latestOnly", "offset", "limit", "aliases", "ruleType")
_SEARCH = ("query", "type", "attr", "tag", "sortBy", "sortOrder", "deleted", "limit", "offset")
_METADATA = f"{_REGISTRY}/catalog/v1/entity/type/{{type}}/name/{{name}}/businessmetadata"

ROUTES = (
    Route("GET", f"{_REGISTRY}/config", get_config),
    Route("GET", f"{_REGISTRY}/schemas", list_schemas, _LIST),
    Route("GET", f"{_REGISTRY}/subjects", list_subjects, _LIST),
    Route("GET", f"{_REGISTRY}/subjects/{{subject}}/versions/{{version}}", get_version),
    Route("GET", f"{_REGISTRY}/catalog/v1/search/basic", search_catalog, _SEARCH),
    Route(
        "GET",
        f"{_REGISTRY}/catalog/v1/types/businessmetadatadefs",
        list_metadata_definitions,
        ("prefix",),
    ),
    Route("GET", _METADATA, get_business_metadata),
)
