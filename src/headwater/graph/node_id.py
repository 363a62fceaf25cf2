"""Node ids as Marquez writes them: `dataset:NAMESPACE:NAME`, `job:...`, `datasetField:...:FIELD`.

Namespaces and names hold colons of their own (`kafka://broker:9092`), so that an id can be read in
several ways; which one is meant is decided by what exists.
"""

import re
from typing import NamedTuple

from headwater.errors import InvalidRequest
from headwater.graph.answer import NodeKind
from headwater.model.values.ids import dataset_id, job_id

_VERSION = re.compile(r"#[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
# More readings than this are not a name that anyone has given.
_MOST_COLONS = 40
_FORMS = "use dataset:NAMESPACE:NAME, job:NAMESPACE:NAME or datasetField:NAMESPACE:NAME:FIELD"


class ParsedNodeId(NamedTuple):
    """One way to read a node id; `field` is the column of a datasetField."""

    kind: NodeKind
    id: bytes
    namespace: str
    name: str
    field: str = ""


def dataset_node_id(namespace: str, name: str) -> str:
    return f"dataset:{namespace}:{name}"


def job_node_id(namespace: str, name: str) -> str:
    return f"job:{namespace}:{name}"


def field_node_id(namespace: str, name: str, field: str) -> str:
    return f"datasetField:{namespace}:{name}:{field}" if field else f"dataset:{namespace}:{name}"


def read_node_id(text: str, where: str = "nodeId") -> list[ParsedNodeId]:
    """All the ways to read an id, those with the longest namespace first."""
    kind, _, rest = text.partition(":")
    if kind not in ("dataset", "job", "datasetField"):
        raise InvalidRequest(where, f"'{text[:100]}' is not a node id; {_FORMS}")
    parts = rest.split(":")
    if len(parts) > _MOST_COLONS:
        raise InvalidRequest(where, f"more than {_MOST_COLONS} colons; {_FORMS}")
    if "\0" in rest:
        raise InvalidRequest(where, f"a name cannot contain NUL; {_FORMS}")
    readings = _read(kind, parts)
    if _VERSION.search(rest):
        # Of a version, unless there is something of just that name; no column is named so.
        unversioned = _read(kind, _VERSION.sub("", rest).split(":"))
        readings = unversioned if kind == "datasetField" else readings + unversioned
    if not readings:
        raise InvalidRequest(where, f"'{text[:100]}' lacks a part; {_FORMS}")
    return readings


def _read(kind: str, parts: list[str]) -> list[ParsedNodeId]:
    if kind != "datasetField":
        return _readings(NodeKind.DATASET if kind == "dataset" else NodeKind.JOB, parts)
    readings: list[ParsedNodeId] = []
    for end in range(len(parts) - 1, 1, -1):
        field = ":".join(parts[end:])
        readings += _readings(NodeKind.DATASET, parts[:end], field) if field else []
    return readings


def _readings(kind: NodeKind, parts: list[str], field: str = "") -> list[ParsedNodeId]:
    hash_of = dataset_id if kind is NodeKind.DATASET else job_id
    found = []
    for end in range(len(parts) - 1, 0, -1):
        namespace, name = ":".join(parts[:end]), ":".join(parts[end:])
        if namespace and name:
            found.append(ParsedNodeId(kind, hash_of(namespace, name), namespace, name, field))
    return found
