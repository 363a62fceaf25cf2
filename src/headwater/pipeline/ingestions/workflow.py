"""OpenMetadata's workflow file -> the body that describes an ingestion."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.pipeline.ingestions.shapes import UnusableConfig, UnusedKey
from headwater.pipeline.ingestions.unused import WORKFLOW, WORKFLOW_CONFIG

_SOURCE_KEYS = ("type", "serviceName", "serviceConnection", "sourceConfig")
_BODY_KEYS = ("displayName", "description", "schedule", "airflowConfig")
_TYPE = "openlineage"


class Workflow(NamedTuple):
    """What a file says: a name if it has one, the body of a request, and what is not used."""

    name: str
    body: dict[str, Any]
    unused: list[UnusedKey]


def read_workflow(document: Any) -> Workflow:
    """Read a workflow, or the body of a request as it is; raises UnusableConfig."""
    if not isinstance(document, dict):
        raise UnusableConfig("source", "missing: the file holds no keys")
    if "source" not in document:
        if "connection" in document:
            return Workflow(str(document.get("name") or ""), dict(document), [])
        raise UnusableConfig("source", "missing")
    unused: list[UnusedKey] = []
    source = _object(document, "source")
    _check_keys(source, "source", _SOURCE_KEYS)
    if str(source.get("type", _TYPE)).lower() != _TYPE:
        raise UnusableConfig("source.type", f"'{source['type']}' is not {_TYPE}")
    body: dict[str, Any] = {key: document[key] for key in _BODY_KEYS if key in document}
    if "serviceConnection" not in source:
        raise UnusableConfig("source.serviceConnection", "missing; it is not fetched from a server")
    body["connection"] = source["serviceConnection"]
    if "sourceConfig" in source:
        body["sourceConfig"] = source["sourceConfig"]
    if (level := _logger_level(document, unused)) is not None:
        body["loggerLevel"] = level
    known = ("source", "workflowConfig", *_BODY_KEYS, *WORKFLOW)
    _check_keys(document, "", known)
    unused += [UnusedKey(key, WORKFLOW[key]) for key in document if key in WORKFLOW]
    return Workflow(str(source.get("serviceName") or ""), body, unused)


def _logger_level(document: Mapping[str, Any], unused: list[UnusedKey]) -> Any:
    if document.get("workflowConfig") is None:
        return None
    config = _object(document, "workflowConfig")
    _check_keys(config, "workflowConfig", ("loggerLevel", *WORKFLOW_CONFIG))
    reasons = WORKFLOW_CONFIG
    unused += [UnusedKey(f"workflowConfig.{key}", reasons[key]) for key in config if key in reasons]
    return config.get("loggerLevel")


def _object(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = document[key]
    if not isinstance(found, dict):
        raise UnusableConfig(key, "holds no keys")
    return found


def _check_keys(given: Mapping[str, Any], place: str, known: tuple[str, ...]) -> None:
    for key in given:
        if key not in known:
            where = f"{place}.{key}" if place else str(key)
            raise UnusableConfig(where, f"no such key is known; there are {', '.join(known)}")
