"""What the lineage of LineageBridge's API costs, to our own read of the same part of the graph."""

from urllib.parse import urlencode

from bench.client import Client
from bench.figure import Figure
from bench.rows.woven import Read, costs, woven_headwater
from testing import load

# A tenth of what the target names: the graph is the same, and history costs neither of them.
EVENTS = 100_000
DEPTH = 50
_NAME = "layer9.t010"
_OWN = {"nodeId": f"dataset:{load.NAMESPACE}:{_NAME}", "direction": "upstream", "depth": f"{DEPTH}"}
_BRIDGE = {"namespace": load.NAMESPACE, "name": _NAME, "direction": "upstream", "depth": f"{DEPTH}"}

OWN = Read(f"lineage upstream, depth {DEPTH}", f"lineage?{urlencode(_OWN)}", 10, 80)
BRIDGE = Read(
    f"datasets/lineage of depth {DEPTH} after {EVENTS:,} events",
    f"lineage/datasets/lineage?{urlencode(_BRIDGE)}",
    10,
    2,
    ", to our own lineage",
    OWN,
)


def bridge_lineage(client: Client) -> list[Figure]:
    """Upstream of one dataset: all its jobs with the newest event of each, whole."""
    with woven_headwater(client, EVENTS) as server:
        return costs((OWN, BRIDGE), server)
