"""What is wrong upstream of a node: the problems of what it comes from, nearest first."""

from typing import Any

from headwater.answers.drawings import name_nodes
from headwater.answers.health import judge_datasets, judge_jobs
from headwater.answers.nodes import WalkRequest
from headwater.answers.problems.listing import (
    FoundProblem,
    complete_problems,
    problem_shape,
    problems_of_datasets,
    problems_of_jobs,
)
from headwater.graph.answer import Graph, NodeKind, Towards
from headwater.graph.node_id import ParsedNodeId
from headwater.graph.view import View
from headwater.graph.walk import Limits
from headwater.model.values.instant import DAY
from headwater.store.engine import Connection
from headwater.store.query.paging import Page
from headwater.store.stats.failures import FailedRun, read_failed_runs
from headwater.store.stats.health import Judging

# Nodes that are looked at, the nearest first. Each is judged by its newest runs or writes.
MOST_NODES = 300
_MOST_FAILED = 1_000


def upstream_problems(
    connection: Connection, view: View, node: ParsedNodeId, silent_after: int, page: Page, time: int
) -> dict[str, Any]:
    """The problems upstream of a dataset or a job, with how many jobs lie between."""
    graph = WalkRequest(node, Towards.UPSTREAM, Limits(MOST_NODES, MOST_NODES)).walk(view)
    own = set(graph.starts)
    found = _find(connection, graph, own, silent_after, time)
    open_problems = [problem for problem in found if problem.acknowledged is None]
    open_problems.sort(key=lambda problem: (_hops(graph, problem.entity), problem.rank))
    shown = open_problems[page.offset : page.offset + page.limit]
    start = name_nodes(view, own if node.kind is NodeKind.DATASET else (), own)
    return {
        "node": next(iter(start.values()), None),
        "problems": [
            problem_shape(problem) | {"hops": _hops(graph, problem.entity)} for problem in shown
        ],
        "totalCount": len(open_problems),
        "acknowledgedCount": len(found) - len(open_problems),
        "checked": len(graph) - len(own),
        "isCut": graph.is_cut,
    }


def _find(
    connection: Connection, graph: Graph, own: set[bytes], silent_after: int, time: int
) -> list[FoundProblem]:
    jobs = sorted(graph.jobs.keys() - own)
    datasets = sorted(graph.datasets.keys() - own)
    judged = judge_jobs(connection, Judging(ids=jobs), time, silent_after) if jobs else []
    problems = [
        *problems_of_jobs(connection, judged, _failed(connection, graph, time), time),
        *problems_of_datasets(
            judge_datasets(connection, Judging(ids=datasets), time) if datasets else []
        ),
    ]
    return complete_problems(connection, problems, time)


def _failed(connection: Connection, graph: Graph, time: int) -> list[FailedRun]:
    """Failed runs of the last day: of jobs that have recovered since as well."""
    failed = read_failed_runs(connection, time - DAY, _MOST_FAILED)
    return [run for run in failed if run.job in graph.jobs]


def _hops(graph: Graph, entity: bytes) -> int:
    found = graph.jobs.get(entity)
    return graph.datasets.get(entity, 0) if found is None else found
