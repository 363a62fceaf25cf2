"""Runs the tasks that wait, one after another; one that a stopped server left is begun again."""

import logging
import threading
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import islice
from uuid import NAMESPACE_URL, uuid5

from headwater.collect import Collected
from headwater.collect.rest import RestUnavailable
from headwater.errors import HeadwaterError, StoreUnavailable
from headwater.leases import LEASE_SECONDS, make_holder
from headwater.model.values.instant import SECOND, now
from headwater.server.background.periodic import Background, Stopped
from headwater.server.bridge.enrichment import Enrich
from headwater.server.bridge.extraction import Extract, Json, Report
from headwater.server.bridge.graph_store import GraphStore
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.tasks import (
    TaskRecord,
    list_waiting,
    note_completed,
    note_failed,
    note_progress,
    release_tasks,
    take_task,
)

log = logging.getLogger(__name__)

EXTRACT, ENRICH = "extract", "enrich"
_EVERY = timedelta(seconds=2)
# Events that are stored together.
_AT_ONCE = 500
# Lines of progress that are kept, the last ones.
_MOST_LINES = 200
_LEASE = int(LEASE_SECONDS * SECOND)
_SOURCES = {EXTRACT: "extraction", ENRICH: "enrichment"}
_UNEXPECTED = "the server failed at this task; its log has the reason"


class TaskRunner(Background):
    """One thread that runs tasks; `wake` is called when there is a new one."""

    name = "tasks"

    def __init__(
        self,
        engine: Engine,
        graphs: GraphStore,
        extract: Extract,
        enrich: Enrich,
        every: timedelta = _EVERY,
    ) -> None:
        super().__init__(every, timedelta())
        self._engine = engine
        self._graphs = graphs
        self._extract = extract
        self._enrich = enrich
        self._holder = make_holder()
        self._has_new = threading.Event()

    def wake(self) -> None:
        self._has_new.set()

    def close(self) -> None:
        """End the task under way; another server, or this one later, begins it again."""
        self._has_new.set()
        super().close()
        with answering(), self._engine.begin() as connection:
            release_tasks(connection, self._holder)

    def work(self) -> None:
        while (task := self._take()) is not None:
            self._run_task(task)

    def _rest(self, seconds: float) -> bool:
        """Wait for a new task for a while; True once the server is stopping."""
        self._has_new.wait(seconds)
        self._has_new.clear()
        return self._stopping.is_set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._work()
            self._rest(self.every.total_seconds())

    def _take(self) -> TaskRecord | None:
        self.check_stopping()
        at = now()
        with answering(), self._engine.connect() as connection:
            waiting = list_waiting(connection, self._holder, at)
        for id in waiting:
            with answering(), self._engine.begin() as connection:
                task = take_task(connection, id, self._holder, at, at + _LEASE)
            if task is not None:
                return task
        return None

    def _run_task(self, task: TaskRecord) -> None:
        progress = _Progress(self, task)
        try:
            result = self._do(task, progress)
        except (Stopped, StoreUnavailable):
            # Nothing is wrong with the task: it is begun again.
            raise
        except HeadwaterError as error:
            self._fail(task, _with_advice(error))
        except Exception:
            # Whatever it is, the next task is run.
            log.exception("task %s failed", task.id)
            self._fail(task, _UNEXPECTED)
        else:
            with answering(), self._engine.begin() as connection:
                note_completed(connection, task.id, self._holder, result, now())

    def _do(self, task: TaskRecord, progress: "_Progress") -> Json:
        if task.progress:
            progress.report("Interrupted; begun again")
        graph_id, found = self._find(task, progress.report)
        problems = self._store(task, graph_id, found, progress)
        # Also where nothing was found.
        self._graphs.create(graph_id)
        with answering(), self._engine.connect() as connection:
            graph = self._graphs.read(connection, graph_id).graph
        nodes, edges = len(graph.nodes), len(graph.edges)
        progress.report(f"{nodes:,} nodes and {edges:,} edges")
        result: Json = {"graph_id": graph_id, "node_count": nodes, "edge_count": edges}
        # What could not be read may be what somebody looks for.
        return result | ({"problems": problems[:_MOST_LINES]} if problems else {})

    def _find(self, task: TaskRecord, report: Report) -> tuple[str, Iterable[Collected]]:
        """What a task reads, and the graph that it becomes a part of."""
        if task.type == EXTRACT:
            # The same if it is begun again.
            return str(uuid5(NAMESPACE_URL, task.id)), self._extract(task.params, report)
        graph_id = str(task.params["graph_id"])
        with answering(), self._engine.connect() as connection:
            graph = self._graphs.read(connection, graph_id).graph
        return graph_id, self._enrich(graph, task.params, report)

    def _store(
        self, task: TaskRecord, graph_id: str, found: Iterable[Collected], progress: "_Progress"
    ) -> list[str]:
        """Store what a task finds, as members of a graph; gives what was not read or stored."""
        stored = 0
        problems: list[str] = []
        for part in _in_parts(found):
            self.check_stopping()
            self._graphs.create(graph_id)
            events = [each.data for each in part if each.error is None]
            result = self._graphs.sink.store(events, _SOURCES[task.type], graph_id)
            new = [each.error for each in part if each.error is not None]
            new += [f"an event was refused: {error.message}" for _, error in result.refused]
            problems += new
            is_same_line = bool(stored) and not new
            stored += result.total
            progress.report(f"{stored:,} events stored", is_same_line)
            for problem in new:
                progress.report(problem)
        return problems

    def _fail(self, task: TaskRecord, error: str) -> None:
        with answering(), self._engine.begin() as connection:
            note_failed(connection, task.id, self._holder, error, now())

    def hold(self, task: TaskRecord, lines: list[str]) -> None:
        """Note how far a task is; raises where another server has taken it."""
        self.check_stopping()
        with answering(), self._engine.begin() as connection:
            until = now() + _LEASE
            if not note_progress(connection, task.id, self._holder, lines, until):
                raise Stopped


class _Progress:
    """The lines that a task has reported, noted as they come."""

    def __init__(self, runner: TaskRunner, task: TaskRecord) -> None:
        self._runner = runner
        self._task = task
        self._lines = list(task.progress)
        self._lock = threading.Lock()

    def report(self, line: str, is_same_line: bool = False) -> None:
        """Add a line, or put it in the place of the last one."""
        with self._lock:
            if is_same_line and self._lines:
                self._lines.pop()
            self._lines = [*self._lines, line][-_MOST_LINES:]
            self._runner.hold(self._task, self._lines)


def _in_parts(events: Iterable[Collected]) -> Iterator[list[Collected]]:
    left = iter(events)
    while part := list(islice(left, _AT_ONCE)):
        yield part


def _with_advice(error: HeadwaterError) -> str:
    if isinstance(error, RestUnavailable):
        return f"{error.message}; {error.next_step}"
    return error.message
