"""What reading the graph costs: lineage, by column, as of a time, and what changed."""

from urllib.parse import urlencode

from bench import load
from bench.figure import Figure, ratios
from bench.rows.woven import REPEATS, Read, compare, measure
from tests.services.headwater import Headwater
from tests.services.postgresql import PostgreSQL

# Within every history: all 500 jobs have run more than once by then.
_AS_OF = "2025-01-01T05:00:00Z"
_LATER = "2025-01-01T06:00:00Z"


def _read(what: str, path: str, times: int, **more: str) -> Read:
    query = {"nodeId": f"dataset:{load.NAMESPACE}:layer9.t010", "depth": "20", **more}
    return Read(what, f"{path}?{urlencode(query)}", times)


WHOLE = _read("lineage depth 20", "lineage", 10)
NEAR = _read("lineage depth 2", "lineage", 100, depth="2")
COLUMNS = _read("column lineage", "column-lineage", 5)
PAST = _read("lineage as of a time", "lineage", 10, as_of=_AS_OF)
PAST_COLUMNS = _read("columns as of a time", "column-lineage", 5, as_of=_AS_OF)
DIFF = _read("diff of two times", "lineage/diff", 10, **{"from": _AS_OF, "to": _LATER})
READS = (WHOLE, NEAR, COLUMNS, PAST, PAST_COLUMNS, DIFF)


def costs(server: Headwater, database: PostgreSQL | None = None) -> list[Figure]:
    """Each read; on PostgreSQL the CPU is for comparison, and only ratios are judged."""
    where = ", PostgreSQL" if database else ""
    for read in READS:
        measure(read._replace(times=2), server, database)
    rounds = [{read: measure(read, server, database) for read in READS} for _ in range(REPEATS)]
    samples = {read: [each[read] for each in rounds] for read in READS}
    limits = (None, None, None) if database else (80, 6, 250)
    past = ratios(samples[PAST], samples[WHOLE])
    past_columns = ratios(samples[PAST_COLUMNS], samples[COLUMNS])
    diff = ratios(samples[DIFF], samples[WHOLE])
    return [
        Figure(f"lineage depth 20, 1,500 nodes{where}", "CPU-ms", samples[WHOLE], limit=limits[0]),
        Figure(f"lineage depth 2{where}", "CPU-ms", samples[NEAR], limit=limits[1]),
        Figure(f"column lineage depth 20 of a dataset{where}", "CPU-ms", samples[COLUMNS],
               limit=limits[2]),
        Figure(f"lineage as of a time, to now{where}", "x", past, limit=2),
        Figure(f"columns as of a time, to now{where}", "x", past_columns, limit=2),
        Figure(f"diff of two times, to lineage now{where}", "x", diff, limit=2),
    ]  # fmt: skip


def growth(short: Headwater, longer: Headwater, what: str) -> list[Figure]:
    return [compare(read, short, longer, what) for read in (WHOLE, NEAR, COLUMNS, PAST)]
