"""Graphs over the one store: the nodes and edges that a set's events state.

What was read is kept while its set is unchanged: a graph is requested again and again, and reading
one of a hundred thousand nodes takes seconds.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from uuid import uuid4

from headwater.answers.bridge.naming import openlineage_name
from headwater.answers.bridge.nodes import LineageNode, NodeGraph
from headwater.answers.bridge.reading import read_graph
from headwater.answers.bridge.writing import write_events
from headwater.errors import InvalidEvent, InvalidRequest, NotFound
from headwater.model.names import check_name
from headwater.model.values.instant import now
from headwater.server.bridge.event_sink import EventSink
from headwater.store.engine import Connection, Engine
from headwater.store.event_lists.sets import (
    EventSet,
    add_event_set,
    list_event_sets,
    read_event_set,
    read_members,
    remove_event_set,
)
from headwater.store.failures import answering
from headwater.store.migrate import read_generation

# Graphs that are kept, and their nodes together.
_MOST_GRAPHS = 16
_MOST_NODES = 300_000
_SOURCE = "bridge"


class StoredGraph(NamedTuple):
    """A graph by its id, with what its events state."""

    set: EventSet
    graph: NodeGraph


class GraphStore:
    """Reads and changes graphs; one change at a time, as each begins from what is there."""

    def __init__(self, engine: Engine, sink: EventSink) -> None:
        self._engine = engine
        self.sink = sink
        self._changing = threading.Lock()
        self._kept: OrderedDict[tuple[str, int, int], NodeGraph] = OrderedDict()
        self._reading = threading.Lock()
        self._last_at = 0

    def list(self, connection: Connection) -> list[StoredGraph]:
        """All graphs, newest first."""
        return [self._read(connection, each) for each in list_event_sets(connection)]

    def read(self, connection: Connection, id: str) -> StoredGraph:
        return self._read(connection, read_event_set(connection, id))

    def create(self, id: str | None = None) -> EventSet:
        """Name a new graph, without anything in it; one that is there already is as it is."""
        with answering(), self._engine.begin() as connection:
            return add_event_set(connection, id or str(uuid4()), now())

    def newest_or_new(self) -> EventSet:
        """The graph that events are added to which name none."""
        with answering(), self._engine.connect() as connection:
            known = list_event_sets(connection)
        return known[0] if known else self.create()

    def remove(self, id: str) -> None:
        """Remove a graph's name; its events stay."""
        with answering(), self._engine.begin() as connection:
            remove_event_set(connection, id)

    def change(self, id: str, change: Callable[[NodeGraph], Iterable[str]]) -> StoredGraph:
        """Change a graph: `change` does so, and gives the nodes whose events say what is new.

        Nothing is stored where it raises, or where a node has a name that no event can have.
        """
        with self._changing:
            with answering(), self._engine.connect() as connection:
                stored = self.read(connection, id)
            graph = stored.graph.copy()
            changed = dict.fromkeys(change(graph))
            for node_id in changed:
                _check_names(graph.nodes[node_id])
            self._last_at = max(now(), self._last_at + 1)
            events = list(write_events(graph, changed, self._last_at))
            for place, error in self.sink.store(events, _SOURCE, id).refused:
                raise InvalidRequest(f"event {place}", error.message)
            return StoredGraph(stored.set, graph)

    def _read(self, connection: Connection, known: EventSet) -> StoredGraph:
        key = (known.id, known.modified_at, read_generation(connection))
        # One at a time: many who ask for a large graph at once are to wait for the first.
        with self._reading:
            graph = self._kept.get(key)
            if graph is None:
                graph = read_graph(read_members(connection, known.id))
                self._keep(key, graph)
            else:
                self._kept.move_to_end(key)
        return StoredGraph(known, graph)

    def _keep(self, key: tuple[str, int, int], graph: NodeGraph) -> None:
        for old in [old for old in self._kept if old[0] == key[0]]:
            del self._kept[old]
        if len(graph.nodes) > _MOST_NODES:
            return
        self._kept[key] = graph
        while len(self._kept) > _MOST_GRAPHS or self._count_nodes() > _MOST_NODES:
            self._kept.popitem(last=False)

    def _count_nodes(self) -> int:
        return sum(len(graph.nodes) for graph in self._kept.values())


def _check_names(node: LineageNode) -> None:
    try:
        for part in openlineage_name(node):
            check_name(part, node.node_id)
    except InvalidEvent as error:
        raise InvalidRequest("node", f"has a name that no event can have: {error.reason}") from None


def resolve_node(graph: NodeGraph, node_id: str) -> str:
    """The node that an id means; raises where none is meant, or one of several."""
    found: Sequence[str] = graph.resolve(node_id)
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFound("Node", node_id)
    raise InvalidRequest("node_id", f"may mean {', '.join(found[:5])}; use the whole id")
