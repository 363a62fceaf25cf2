"""Responses about streams."""

from msgspec import Struct

from headwater.answers.results import CountedVolume, NodeName


class ActivityAt(Struct):
    """A minute, hour or day of a job, by its start; `events` is null where they were pruned."""

    at: str
    events: int | None
    written: CountedVolume
    read: CountedVolume


class ActivityMark(Struct):
    """`started`, `restarted`, `completed`, `stopped` or `failed`."""

    at: str
    kind: str
    run: str


class HeartbeatGap(Struct, rename={"from_": "from"}):
    """A time without events, though the job had not ended; `isOpen` if it lasts."""

    from_: str
    to: str
    seconds: int
    isOpen: bool


class JobActivity(Struct, rename={"from_": "from"}):
    """What a job did by time; gaps are longer than `silentAfterSeconds`, and than usual."""

    job: NodeName
    by: str
    from_: str
    to: str
    steps: list[ActivityAt]
    marks: list[ActivityMark]
    gaps: list[HeartbeatGap]
    silentAfterSeconds: int
    isCut: bool


class FlowRate(Struct):
    """Means per second; null where nothing was counted. `lag` is as of the last minute with one."""

    rowsPerSecond: float | None
    bytesPerSecond: float | None
    lag: int | None


class NodeThroughput(Struct):
    """Of a dataset what is written to it and read of it; of a job what it writes and reads."""

    id: str
    written: FlowRate
    read: FlowRate


class Throughput(Struct):
    """The nodes of which anything was counted in the last minutes."""

    minutes: int
    to: str
    nodes: list[NodeThroughput]
