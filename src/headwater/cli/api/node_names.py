"""Names of nodes: NAMESPACE|NAME, and the parts of a node id."""

from typing import Any, NamedTuple

DATASET = "DATASET"
JOB = "JOB"
COLUMN = "DATASET_FIELD"
_TYPES = {"dataset": DATASET, "job": JOB, "datasetField": COLUMN}


class FoundNode(NamedTuple):
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


def node_of_shape(id: str, shape: dict[str, Any]) -> FoundNode:
    """A node as answers of the API name it."""
    return FoundNode(id, shape["type"], shape["namespace"], shape["name"], shape["field"] or "")


def node_of_id(id: str) -> FoundNode:
    """A node of which nothing but its id is known: where its namespace ends is not."""
    prefix, _, rest = id.partition(":")
    return FoundNode(id, _TYPES.get(prefix, DATASET), "", rest)
