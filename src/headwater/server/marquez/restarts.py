"""Runs of a stream that go on from where the run before left off: from the same checkpoint."""

from collections.abc import Iterable, Mapping

from headwater.model.relations import Slot
from headwater.model.run_states import RUNNING
from headwater.server.marquez.shapes.common import facet_text
from headwater.store.engine import Connection
from headwater.store.read.facets import read_facets
from headwater.store.read.runs import RunRecord, find_run_after, find_run_before

# The facet of a Spark stream; its id is stored in the checkpoint.
_STREAM = "spark_stream"
# The facet of a job of Flink, which names the run whose savepoint it began with.
_FLINK = "flink_rest"


def find_restarted(
    connection: Connection, runs: Iterable[RunRecord], facets: Mapping[bytes, Mapping[str, bytes]]
) -> dict[bytes, str]:
    """The run before, by its id, of each run that began from the same checkpoint."""
    runs = list(runs)
    stated = {run.key: origin for run in runs if (origin := _stated(facets.get(run.key, {})))}
    queries = {run: _query_of(facets.get(run.key, {})) for run in runs}
    before = {
        run: found
        for run, query in queries.items()
        if query is not None and (found := find_run_before(connection, run)) is not None
    }
    earlier = read_facets(connection, (run.key for run in before.values()), Slot.RUN)
    return stated | {
        run.key: found.id
        for run, found in before.items()
        if _query_of(earlier.get(found.key, {})) == queries[run]
    }


def find_replaced(
    connection: Connection, runs: Iterable[RunRecord], facets: Mapping[bytes, Mapping[str, bytes]]
) -> dict[bytes, RunRecord]:
    """The run that took the place of each that never reported its end, such as a killed one.

    A checkpoint has one run at a time: once another has started from it, the one before is over.
    One with events since then is not: then somebody copied the checkpoint.
    """
    queries = {
        run: query
        for run in runs
        if run.state == RUNNING and (query := _query_of(facets.get(run.key, {}))) is not None
    }
    after = {
        run: found
        for run in queries
        if (found := find_run_after(connection, run)) is not None
        and (run.updated_at or 0) <= (found.created_at or 0)
    }
    later = read_facets(connection, (run.key for run in after.values()), Slot.RUN)
    return {
        run.key: found
        for run, found in after.items()
        if _query_of(later.get(found.key, {})) == queries[run]
    }


def _stated(facets: Mapping[str, bytes]) -> str | None:
    return facet_text(facets, _FLINK, "restartOf") if _FLINK in facets else None


def _query_of(facets: Mapping[str, bytes]) -> str | None:
    return facet_text(facets, _STREAM, "queryId") if _STREAM in facets else None
