"""What lists and single answers of Marquez's API cost."""

from urllib.parse import quote

from bench import load
from bench.figure import Figure
from bench.rows.woven import REPEATS, Read, compare, measure
from tests.services.headwater import Headwater
from tests.services.postgresql import PostgreSQL

_TABLES = f"namespaces/{quote(load.NAMESPACE, safe='')}/datasets"
_JOB = load.woven_jobs()[0].name

READS = (
    Read("list of 100 jobs with their latest runs", "namespaces/bench/jobs", 20, 25),
    # From the sixth layer: with schemas and column maps, as the first has none.
    Read("list of 100 datasets", f"{_TABLES}?offset=500", 20, 25),
    Read("one job", f"namespaces/bench/jobs/{_JOB}", 100, 3),
    Read("one dataset", f"{_TABLES}/layer5.t010", 100, 3),
)


def costs(server: Headwater, database: PostgreSQL | None = None) -> list[Figure]:
    """Each read; judged on SQLite, and on PostgreSQL for comparison."""
    where = ", PostgreSQL" if database else ""
    figures = []
    for read in READS:
        measure(read, server, database)
        samples = [measure(read, server, database) for _ in range(REPEATS)]
        limit = None if database else read.limit
        figures.append(Figure(f"{read.what}{where}", "CPU-ms", samples, limit=limit))
    return figures


def growth(short: Headwater, longer: Headwater, what: str) -> list[Figure]:
    return [compare(read, short, longer, what) for read in READS]
