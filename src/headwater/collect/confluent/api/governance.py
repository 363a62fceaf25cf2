"""Stream Governance of an environment: its Schema Registry and its Stream Catalog."""

import re
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any
from urllib.parse import quote

from headwater.collect.confluent.http import Endpoint
from headwater.collect.confluent.reports import (
    CatalogEntry,
    EnvironmentReport,
    Json,
    SubjectReport,
    inner,
    text,
)
from headwater.collect.schema_registry.fetch import RegistryApi

_CATALOG_PAGE = 500
_TOPIC = re.compile(r"(?:.*:)?(?P<cluster>lkc-[^:]+):(?P<topic>.+)")
_GONE = 404


def read_subjects(registry: RegistryApi, environment: EnvironmentReport) -> str:
    """The newest version of every subject, with all that it refers to."""
    environment.compatibility = registry.read_default_compatibility()
    environment.subjects = [
        SubjectReport(each, registry.read_references(each)) for each in registry.read_newest()
    ]
    return f"{len(environment.subjects):,} subjects"


def read_catalog(api: Endpoint, environment: EnvironmentReport, pool: Executor) -> str:
    """Tags, owners and descriptions of topics, and business metadata where there is any."""
    entities = [each for each in _search(api) if _place(each) is not None]
    has_metadata = bool(api.find("/catalog/v1/types/businessmetadatadefs", _GONE, 403))
    names = [text(each, "attributes", "qualifiedName") for each in entities]
    needed = names if has_metadata else ()
    metadata = list(pool.map(lambda name: _business_metadata(api, name), needed))
    for number, each in enumerate(entities):
        place = _place(each)
        if place is not None:
            entry = _entry(each, metadata[number] if has_metadata else {})
            environment.catalog[place] = entry
    return f"{len(environment.catalog):,} topics in the Stream Catalog"


def _search(api: Endpoint) -> Iterator[Json]:
    offset = 0
    seen: set[str] = set()
    while True:
        params = {"type": "kafka_topic", "limit": str(_CATALOG_PAGE), "offset": str(offset)}
        found = api.get("/catalog/v1/search/basic", params)
        entities = found.get("entities") if isinstance(found, dict) else None
        listed = [each for each in entities or () if isinstance(each, dict)]
        yield from listed
        if len(listed) < _CATALOG_PAGE:
            return
        guid = text(listed[0], "guid")
        if guid in seen:
            api.fail("the list /catalog/v1/search/basic does not end: a page repeats")
        seen.add(guid)
        offset += len(listed)


def _place(entity: Json) -> tuple[str, str] | None:
    """The cluster and the topic that an entity is of; None of one that is deleted."""
    found = _TOPIC.fullmatch(text(entity, "attributes", "qualifiedName"))
    is_there = text(entity, "status") in ("ACTIVE", "")
    return (found["cluster"], found["topic"]) if found and is_there else None


def _entry(entity: Json, metadata: Json) -> CatalogEntry:
    names = entity.get("classificationNames")
    return CatalogEntry(
        tuple(sorted(map(str, names))) if isinstance(names, list) else (),
        text(entity, "attributes", "owner"),
        text(entity, "attributes", "ownerEmail"),
        text(entity, "attributes", "description"),
        metadata,
    )


def _business_metadata(api: Endpoint, name: str) -> Json:
    path = f"/catalog/v1/entity/type/kafka_topic/name/{quote(name, safe='')}/businessmetadata"
    found: Any = api.find(path, _GONE)
    entries = [each for each in found or () if isinstance(each, dict)]
    return {text(each, "typeName"): inner(each, "attributes") for each in entries}
