"""A history of events to ask for lineage: of the rows in memory, or in a real store."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec

from headwater.graph.answer import Graph, Side, Towards
from headwater.graph.column_graph import ColumnEdge, ColumnGraph, ColumnKey
from headwater.graph.columns import walk_columns
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.reader import Reader
from headwater.graph.view import View
from headwater.graph.walk import Limits, walk_from_dataset, walk_from_job
from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.gaps import describe_gaps
from headwater.model.merge import Merged
from headwater.model.project import project
from headwater.model.relations import Direction
from headwater.model.uses import NOW, Name, newest_schema
from headwater.model.values.ids import dataset_id, job_id
from headwater.store.lineage.graph_reader import StoreReader
from testing.events.full import Json, encode
from testing.events.history import JOBS, TABLES, minute, split
from tests.graph.memory_reader import MemoryReader
from tests.store.stores import Store

ALL = Limits(depth=10**9, nodes=10**9)


def facts_of(events: Iterable[Json]) -> list[Facts]:
    return [project(decode_event(encode(event))) for event in events]


def merged(stated: Iterable[Facts]) -> Merged:
    found = Merged()
    for facts in stated:
        found.add(facts.all_rows())
    return found


def memory_reader(stated: Iterable[Facts]) -> MemoryReader:
    return MemoryReader(merged(stated))


@contextmanager
def store_reader(store: Store, stated: Sequence[Facts]) -> Iterator[StoreReader]:
    """A reader of a store that holds these facts and no others."""
    store.empty()
    store.writer.write(stated)
    with store.engine.connect() as connection:
        yield StoreReader(connection)


class Lineage:
    """Questions by name, as of a minute or now; answers are sets of edges one can read.

    `orders -> load` is observed; what is not is said behind it: `load -> totals (past)`.
    """

    def __init__(self, reader: Reader, contents: Mapping[bytes, bytes] | None = None) -> None:
        self.reader = reader
        self._contents = contents or {}

    def view(self, as_of: float | None = None) -> View:
        return View(self.reader, NOW if as_of is None else minute(as_of))

    def upstream(self, name: str, as_of: float | None = None, limits: Limits = ALL) -> set[str]:
        return self.edges(self.walk(name, Towards.UPSTREAM, as_of, limits))

    def downstream(self, name: str, as_of: float | None = None, limits: Limits = ALL) -> set[str]:
        return self.edges(self.walk(name, Towards.DOWNSTREAM, as_of, limits))

    def connected(self, name: str, as_of: float | None = None) -> set[str]:
        return self.edges(self.walk(name, Towards.CONNECTED, as_of))

    def of_job(self, name: str, as_of: float | None = None) -> set[str]:
        """What a job uses, and all that lies behind."""
        view = self.view(as_of)
        return self.edges(walk_from_job(view, job_id(JOBS, name), Towards.BOTH, ALL))

    def walk(
        self, name: str, towards: Towards, as_of: float | None = None, limits: Limits = ALL
    ) -> Graph:
        return walk_from_dataset(self.view(as_of), dataset_id(**split(name)), towards, limits)

    def columns_upstream(
        self, name: str, column: str, as_of: float | None = None, *, with_indirect: bool = True
    ) -> set[str]:
        return self._columns(name, column, Towards.UPSTREAM, as_of, with_indirect)

    def columns_downstream(
        self, name: str, column: str, as_of: float | None = None, *, with_indirect: bool = True
    ) -> set[str]:
        return self._columns(name, column, Towards.DOWNSTREAM, as_of, with_indirect)

    def _columns(
        self, name: str, column: str, towards: Towards, as_of: float | None, with_indirect: bool
    ) -> set[str]:
        start = ColumnKey(dataset_id(**split(name)), column)
        graph = walk_columns(self.view(as_of), [start], towards, ALL, with_indirect=with_indirect)
        return self.column_edges(graph)

    def column_graph(
        self, name: str, column: str, towards: Towards, as_of: float | None = None
    ) -> ColumnGraph:
        start = ColumnKey(dataset_id(**split(name)), column)
        return walk_columns(self.view(as_of), [start], towards, ALL)

    def gaps(self, graph: Graph | ColumnGraph) -> dict[str, str]:
        """What was not understood of the jobs on a walk, in words, by the job's name."""
        names = self._names((), graph.gaps)
        return {names[job]: describe_gaps(gaps) for job, gaps in graph.gaps.items()}

    def schema(self, name: str, as_of: float | None = None) -> list[str]:
        """The fields that a dataset has by the word that counts."""
        view = self.view(as_of)
        view.classes.resolve([dataset_id(**split(name))])
        dataset = view.classes.chosen(dataset_id(**split(name)))
        view.load_users([dataset], Direction)
        word = newest_schema(view.users(dataset))
        if word is None:
            return []
        fields = msgspec.json.decode(self._contents[word.schema])["fields"]
        return [field["name"] for field in fields]

    def edges(self, graph: Graph) -> set[str]:
        """A walk's edges, by name."""
        names = self._names(graph.datasets, graph.jobs)
        return {
            f"{names[edge.origin]} -> {names[edge.destination]}{_marks(kind)}"
            for edge, kind in graph.edges.items()
        }

    def nodes(self, graph: Graph) -> dict[str, int]:
        """A walk's nodes by name, with how many jobs away each is."""
        names = self._names(graph.datasets, graph.jobs)
        return {names[id]: depth for id, depth in {**graph.datasets, **graph.jobs}.items()}

    def more(self, graph: Graph) -> dict[tuple[str, Side], int]:
        """How many neighbours are not in the answer, by the name of the node they hang on."""
        names = self._names(graph.datasets, graph.jobs)
        return {(names[id], side): count for (id, side), count in graph.more.items()}

    def column_edges(self, graph: ColumnGraph) -> set[str]:
        jobs = {edge.job for edges in graph.edges.values() for edge in edges if edge.job}
        names = self._names({column.dataset for column in graph.columns}, jobs)
        return {
            f"{names[origin.dataset]}.{origin.name or '*'} -> "
            f"{names[destination.dataset]}.{destination.name or '*'}"
            f"{f' by {names[edge.job]}' if edge.job else ''}{_column_marks(edge)}"
            for (origin, destination), edges in graph.edges.items()
            for edge in edges
        }

    def _names(self, datasets: Iterable[bytes], jobs: Iterable[bytes]) -> dict[bytes, str]:
        named = {**self.reader.dataset_names(datasets), **self.reader.job_names(jobs)}
        return {id: _readable(name) for id, name in named.items()}


Tell = Callable[..., Lineage]
"""Takes events in the order of their arrival."""


def _readable(name: Name) -> str:
    return name.name if name.namespace in (JOBS, TABLES) else f"{name.namespace}|{name.name}"


def _marks(kind: EdgeKind) -> str:
    return "" if kind is EdgeKind.OBSERVED else f" ({kind})"


def _column_marks(edge: ColumnEdge) -> str:
    marks = [
        *([str(edge.kind)] if edge.kind is not EdgeKind.OBSERVED else []),
        *(["indirect"] if edge.is_indirect else []),
        *(["assumed"] if edge.is_assumed else []),
        *([f"via {edge.via}"] if edge.via else []),
    ]
    return f" ({', '.join(marks)})" if marks else ""
