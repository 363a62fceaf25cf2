"""How much passes through nodes now: means over the last minutes, and lag."""

from collections import defaultdict
from collections.abc import Iterable

from headwater.answers.nodes import list_existing
from headwater.answers.streams.results import FlowRate, NodeThroughput, Throughput
from headwater.graph.answer import NodeKind
from headwater.graph.node_id import (
    ParsedNodeId,
    dataset_node_id,
    job_node_id,
    read_node_id,
)
from headwater.graph.view import View
from headwater.model.relations import Direction
from headwater.model.values.instant import MINUTE, format_instant, now
from headwater.store.engine import Connection
from headwater.store.stats.run_volumes import read_run_volumes
from headwater.store.stats.runs_in_range import TimeRange, find_runs, find_runs_of
from headwater.store.stats.volume import VolumeBucket

# By node and direction: what each minute added.
_Flows = defaultdict[tuple[bytes, int], list[tuple[int, VolumeBucket]]]


def node_throughput(
    connection: Connection, view: View, texts: Iterable[str], minutes: int
) -> Throughput:
    """The throughput of jobs and datasets; what is unknown or counted nothing is left out."""
    until = -(-now() // MINUTE) * MINUTE
    interval = TimeRange(until - minutes * MINUTE, until)
    nodes = [node for text in texts for node in _existing(view, text)]
    flows = _read_flows(connection, view, nodes, interval)
    shapes = [
        NodeThroughput(
            _id_of(node),
            _flow(flows.get((node.id, Direction.OUTPUT), []), minutes),
            _flow(flows.get((node.id, Direction.INPUT), []), minutes),
        )
        for node in nodes
        if (node.id, Direction.OUTPUT) in flows or (node.id, Direction.INPUT) in flows
    ]
    return Throughput(minutes, format_instant(until), shapes)


def _existing(view: View, text: str) -> list[ParsedNodeId]:
    """The node an id means, if there is one; a graph may name one that has just been deleted."""
    return list_existing(view, read_node_id(text, "nodeId"))[:1]


def _read_flows(
    connection: Connection, view: View, nodes: list[ParsedNodeId], interval: TimeRange
) -> _Flows:
    jobs = {node.id for node in nodes if node.kind is NodeKind.JOB}
    datasets = {node.id for node in nodes if node.kind is NodeKind.DATASET}
    view.classes.resolve(datasets)
    node_of = {name: node for node in datasets for name in view.classes.names(node)}
    flows: _Flows = defaultdict(list)
    found = find_runs_of(connection, list(jobs), interval)
    users = find_runs(connection, node_of, interval)
    every = found._replace(jobs=found.jobs | users.jobs, earlier=found.earlier | users.earlier)
    for use, steps in read_run_volumes(connection, every, 1, interval).items():
        minutes = list(steps.items())
        if (job := every.jobs[use.run]) in jobs:
            flows[job, use.direction] += minutes
        if (node := node_of.get(use.dataset)) is not None:
            flows[node, use.direction] += minutes
    return flows


def _flow(counted: list[tuple[int, VolumeBucket]], minutes: int) -> FlowRate:
    lags = [(minute, volume.lag) for minute, volume in counted if volume.lag is not None]
    newest = max((minute for minute, _ in lags), default=None)
    return FlowRate(
        _per_second([volume.rows for _, volume in counted], minutes),
        _per_second([volume.bytes for _, volume in counted], minutes),
        max((lag for minute, lag in lags if minute == newest), default=None),
    )


def _per_second(counts: list[int | None], minutes: int) -> float | None:
    known = [count for count in counts if count is not None]
    return round(sum(known) / (minutes * 60), 3) if known else None


def _id_of(node: ParsedNodeId) -> str:
    name = job_node_id if node.kind is NodeKind.JOB else dataset_node_id
    return name(node.namespace, node.name)
