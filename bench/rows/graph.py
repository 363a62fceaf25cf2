"""Reads of the graph: lineage, by column, as of a time, and what changed."""

from urllib.parse import urlencode

from bench.rows.woven import Read
from testing import load

# Within every history: all 500 jobs have run more than once by then.
_AS_OF = "2025-01-01T05:00:00Z"
_LATER = "2025-01-01T06:00:00Z"
_DIFF = {"from": _AS_OF, "to": _LATER, "nodes": "5000", "limit": "1000"}


def _path(endpoint: str, **more: str) -> str:
    query = {"nodeId": f"dataset:{load.NAMESPACE}:layer9.t010", "depth": "20", **more}
    return f"{endpoint}?{urlencode(query)}"


WHOLE = Read("lineage depth 20", _path("lineage"), 10, 80, ", 1,500 nodes")
NEAR = Read("lineage depth 2", _path("lineage", depth="2"), 100, 6)
COLUMNS = Read("column lineage", _path("column-lineage"), 5, 250, " depth 20 of a dataset")
PAST = Read("lineage as of a time", _path("lineage", as_of=_AS_OF), 10, 2, ", to now", WHOLE)
READS = (
    WHOLE,
    NEAR,
    COLUMNS,
    PAST,
    Read("columns as of a time", _path("column-lineage", as_of=_AS_OF), 5, 2, ", to now", COLUMNS),
    Read("diff of two times", _path("lineage/diff", **_DIFF), 10, 2, ", to lineage now", WHOLE),
)
# What history must not make dearer.
LASTING = (WHOLE, NEAR, COLUMNS, PAST)
