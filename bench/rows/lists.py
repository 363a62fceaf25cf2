"""Reads of lists and single answers of Marquez's API."""

from urllib.parse import quote

from bench.rows.woven import Read
from testing import load

_TABLES = f"namespaces/{quote(load.NAMESPACE, safe='')}/datasets"
_JOB = load.woven_jobs()[0].name

READS = (
    Read("list of 100 jobs with their latest runs", "namespaces/bench/jobs", 20, 25),
    # From the sixth layer: with schemas and column maps, as the first has none.
    Read("list of 100 datasets", f"{_TABLES}?offset=500", 20, 25),
    Read("one job", f"namespaces/bench/jobs/{_JOB}", 100, 3),
    Read("one dataset", f"{_TABLES}/layer5.t010", 100, 3),
)
