"""The dataset or job that a path of these routes names, by its node id."""

from typing import Annotated

from fastapi import Path

from headwater.answers.nodes import find_node
from headwater.errors import InvalidRequest
from headwater.graph.answer import NodeKind
from headwater.graph.node_id import ParsedNodeId
from headwater.graph.view import View
from headwater.store.engine import Connection

DatasetNode = Annotated[
    str,
    Path(
        description="dataset:NAMESPACE:NAME, percent-encoded.",
        examples=["dataset:postgres://db:5432:shop.public.orders"],
    ),
]
JobNode = Annotated[
    str,
    Path(
        description="job:NAMESPACE:NAME, percent-encoded.", examples=["job:scheduler:load_orders"]
    ),
]


def find_dataset_node(connection: Connection, view: View, text: str) -> ParsedNodeId:
    """Find a dataset by its node id; a column is not one."""
    node = find_node(connection, view, text, "id")
    if node.kind is not NodeKind.DATASET or node.field:
        raise InvalidRequest("id", f"'{text[:100]}' is not a dataset; use dataset:NAMESPACE:NAME")
    return node


def find_job_node(connection: Connection, view: View, text: str) -> ParsedNodeId:
    node = find_node(connection, view, text, "id")
    if node.kind is not NodeKind.JOB:
        raise InvalidRequest("id", f"'{text[:100]}' is not a job; use job:NAMESPACE:NAME")
    return node
