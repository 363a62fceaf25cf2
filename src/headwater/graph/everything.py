"""The whole graph as of a time: every job with what it uses, and every dataset."""

from collections.abc import Iterable

from headwater.graph.answer import Graph, Side
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.view import View, Visit
from headwater.graph.walk import find_successions
from headwater.model.relations import Direction

# Jobs read at once.
_PART = 500


def find_everything(
    view: View, jobs: Iterable[bytes], datasets: Iterable[bytes], most: int
) -> Graph:
    """Gather jobs and datasets that were there at the view's time, and all edges between them."""
    graph = Graph(())
    requested = list(jobs)
    for start in range(0, len(requested), _PART):
        _add_jobs(view, graph, requested[start : start + _PART])
    others = list(datasets)
    view.classes.resolve(others)
    chosen = {view.classes.chosen(dataset) for dataset in others}
    view.load_users(chosen, Direction)
    hidden = view.hidden(chosen)
    for dataset in sorted(chosen - hidden):
        if view.users(dataset):
            graph.datasets.setdefault(dataset, 0)
    for succession in find_successions(view, graph.datasets):
        if graph.has(succession.previous) and graph.has(succession.dataset):
            graph.add_edge(succession.previous, succession.dataset, EdgeKind.SUCCESSION)
    if len(requested) + len(others) >= most:
        graph.more[b"", Side.DOWNSTREAM] = 1
    return graph


def _add_jobs(view: View, graph: Graph, jobs: list[bytes]) -> None:
    absent = view.reader.unseen_jobs(jobs, view.at) | view.hidden(jobs)
    there = [job for job in jobs if job not in absent]
    graph.jobs |= dict.fromkeys(there, 0)
    visits = [*map(Visit, there), *view.past_visits(there)]
    for visit, inputs in view.inputs(visits).items():
        for dataset, kind in inputs:
            graph.datasets.setdefault(dataset, 0)
            graph.add_edge(dataset, visit.job, kind)
    for visit, outputs in view.outputs(visits).items():
        for dataset, kind in outputs:
            graph.datasets.setdefault(dataset, 0)
            graph.add_edge(visit.job, dataset, kind)
