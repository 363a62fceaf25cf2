"""Nodes as people know them: NAMESPACE|NAME, and what a node id says of itself."""

import re
from typing import NamedTuple

# Where a namespace ends in an id cannot be seen, only guessed from the forms that are common:
# `scheme://host:port/path`, `arn:aws:glue:region:account`, or no colon at all.
_NAMESPACE = re.compile(
    r"(?P<namespace>[\w+.-]+://[^:]*(?::\d+(?=[:,/])[^:]*)*|arn(?::[^:]*){4}|[^:]*):(?P<name>.*)",
    re.DOTALL,
)

DATASET = "DATASET"
JOB = "JOB"
COLUMN = "DATASET_FIELD"
_TYPES = {"dataset": DATASET, "job": JOB, "datasetField": COLUMN}


class Node(NamedTuple):
    """A dataset, a job or a dataset's column."""

    id: str
    type: str
    namespace: str
    name: str
    field: str = ""

    @property
    def label(self) -> str:
        return f"{self.name}.{self.field}" if self.field else self.name

    @property
    def whole_name(self) -> str:
        return f"{self.namespace}|{self.label}"


def is_node_id(text: str) -> bool:
    return text.partition(":")[0] in _TYPES


def guess_node(id: str) -> Node:
    """As much as an id tells, for answers that have nothing but ids. To be read, not looked up."""
    prefix, _, rest = id.partition(":")
    field = ""
    if prefix == "datasetField":
        rest, _, field = rest.rpartition(":")
    found = _NAMESPACE.fullmatch(rest)
    namespace, name = (found["namespace"], found["name"]) if found else ("", rest)
    return Node(id, _TYPES.get(prefix, DATASET), namespace, name, field)
