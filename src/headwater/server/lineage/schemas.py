"""What the routes beside Marquez's answer, for the API document: shapes, and an example of each."""

from msgspec import UNSET, Struct, UnsetType

from headwater.server.openapi.document import answers

ORDERS = "dataset:postgres://db:5432:shop.public.orders"
TOPIC = "dataset:kafka://broker:9092:orders"
_JOB = "job:scheduler:load_orders"
_AT = "2026-01-31T12:00:00.000000Z"


class Cause(Struct):
    """The cause of a change: a run, an edit or a declaration."""

    type: str
    actor: str | None | UnsetType = UNSET
    run: str | UnsetType = UNSET
    job: str | None | UnsetType = UNSET


class LineageChange(Struct):
    """Something that was added, removed or changed; an edge has `origin` and `destination`."""

    type: str
    change: str
    subject: str
    before: str | None
    after: str | None
    at: str | None
    cause: Cause | None
    origin: str | UnsetType = UNSET
    destination: str | UnsetType = UNSET
    job: str | UnsetType = UNSET


class ChangedNode(Struct):
    """The node of a node id in the changes."""

    type: str
    namespace: str
    name: str
    field: str | None


class LineageDiff(Struct, rename={"from_": "from"}):
    """The changes between two times; `counts` covers all that were compared, by type and change."""

    from_: str
    to: str
    node: str | None
    changes: list[LineageChange]
    nodes: dict[str, ChangedNode]
    totalCount: int
    counts: dict[str, int]
    isCut: bool
    next: str | None


class DrawnNode(Struct):
    """A node of an exported graph."""

    id: str
    type: str
    namespace: str
    name: str
    field: str
    system: str
    state: str
    gaps: str = ""


class DrawnEdge(Struct):
    """An edge of an exported graph; between columns with its job and transformations."""

    origin: str
    destination: str
    kind: str
    job: str
    transformations: str
    isIndirect: bool
    isAssumed: bool
    via: str = ""


class LineagePath(Struct):
    nodes: list[str]
    edges: list[DrawnEdge]
    length: int


class PathJob(Struct):
    namespace: str
    name: str


class LineagePaths(Struct):
    """The simple paths between two nodes; `isReversed` if they lead from `to` to `from`. There may
    be more if it `isCut`, or is `incomplete`: a job on the way has gaps."""

    paths: list[LineagePath]
    nodes: list[DrawnNode]
    jobs: dict[str, PathJob]
    isReversed: bool
    isCut: bool
    incomplete: bool


class ExportedGraph(Struct):
    """A graph as two lists; `focus` are the requested nodes. It is `truncated` if some nodes are
    left out, and `incomplete` if a job in it has gaps."""

    nodes: list[DrawnNode]
    edges: list[DrawnEdge]
    focus: list[str]
    truncated: bool
    incomplete: bool


class NamedNode(Struct):
    """A node that matches a name."""

    id: str
    type: str
    namespace: str
    name: str
    field: str | None
    isExact: bool


class NamedNodes(Struct):
    """Nodes that a name may mean; `near` are ids of nodes with similar names, if there is none."""

    nodes: list[NamedNode]
    near: list[str]


_NODES = [
    DrawnNode(TOPIC, "DATASET", "kafka://broker:9092", "orders", "", "kafka", ""),
    DrawnNode(_JOB, "JOB", "scheduler", "load_orders", "", "spark", "RUNNING"),
    DrawnNode(ORDERS, "DATASET", "postgres://db:5432", "shop.public.orders", "", "postgres", ""),
]
_EDGES = [
    DrawnEdge(TOPIC, _JOB, "observed", "", "", False, False),
    DrawnEdge(_JOB, ORDERS, "observed", "", "", False, False),
]
_GRAPH = ExportedGraph(_NODES, _EDGES, [_JOB], False, False)

DIFF = answers(
    LineageDiff,
    LineageDiff(
        from_="2026-01-31T00:00:00.000000Z",
        to="2026-02-01T00:00:00.000000Z",
        node=None,
        changes=[
            LineageChange(
                type="edge",
                change="added",
                subject=f"{_JOB} -> {ORDERS}",
                origin=_JOB,
                destination=ORDERS,
                before=None,
                after="observed",
                at=_AT,
                cause=Cause("run", run="01890000-0000-7000-8000-000000000001", job=_JOB),
            )
        ],
        nodes={
            _JOB: ChangedNode("JOB", "scheduler", "load_orders", None),
            ORDERS: ChangedNode("DATASET", "postgres://db:5432", "shop.public.orders", None),
        },
        totalCount=1,
        counts={"edge added": 1},
        isCut=False,
        next=None,
    ),
    404,
)
PATHS = answers(
    LineagePaths,
    LineagePaths(
        [LineagePath([TOPIC, _JOB, ORDERS], _EDGES, 2)],
        _NODES,
        {},
        isReversed=False,
        isCut=False,
        incomplete=False,
    ),
    404,
)
NODES = answers(
    NamedNodes,
    NamedNodes(
        [NamedNode(ORDERS, "DATASET", "postgres://db:5432", "shop.public.orders", None, True)], []
    ),
)
EXPORT = answers(ExportedGraph, _GRAPH, 404, description="The graph in the requested format.")
EXPORT[200]["content"] |= {
    media_type: {"schema": {"type": "string"}, "example": text}
    for media_type, text in {
        "text/csv": "origin_type,origin_namespace,origin_name,...\r\n",
        "text/vnd.graphviz": "digraph lineage {\n}\n",
        "application/graphml+xml": '<?xml version="1.0"?>\n<graphml>...</graphml>\n',
        "text/vnd.mermaid": "flowchart LR\n",
    }.items()
}
