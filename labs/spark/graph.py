"""What the graph says, asked of the server and shown as the commands of `headwater` show it."""

from typing import Any, NamedTuple
from urllib.parse import quote

from headwater.cli.api.client import Client
from headwater.cli.api.node_lookup import NodeType, find_node
from headwater.cli.commands.lineage.diff import ask_diff, show_diff
from headwater.cli.commands.lineage.lineage import Question, ask_lineage, show_lineage
from headwater.cli.commands.lists import jobs, runs
from headwater.cli.output.screen import Grid, Screen
from headwater.graph.answer import Side
from headwater.model.values.instant import format_instant

Shape = dict[str, Any]

NAMESPACE = "fh-local"
_UP = (Side.UPSTREAM,)
_DOWN = (Side.DOWNSTREAM,)
_KINDS = {"kafka": "topic", "rate": "rate"}


class Look(NamedTuple):
    """A stream's newest run at one moment."""

    job: str
    run: str
    state: str
    query: str
    batch: int
    read: int
    written: int
    watermark: str


class Graph:
    """One server's graph, on one screen."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._client = Client(url)
        self._screen = Screen()

    def show_upstream(self, name: str) -> Shape:
        return self._lineage(name, "--up", Question(_UP), NodeType.DATASET)

    def show_downstream(self, name: str) -> Shape:
        return self._lineage(name, "--down", Question(_DOWN), NodeType.JOB)

    def show_columns(self, name: str) -> Shape:
        question = Question(_UP, columns=True, direct=True)
        return self._lineage(name, "--up --columns --direct", question, NodeType.DATASET)

    def _lineage(self, name: str, options: str, question: Question, kind: NodeType) -> Shape:
        self._say_command(f"lineage {name} --type {kind} {options}")
        node = find_node(self._client, name, kind)
        answer = ask_lineage(self._client, node, question)
        show_lineage(self._screen, answer, node, question)
        return answer

    def show_jobs(self) -> None:
        self._say_command(f"jobs --namespace {NAMESPACE}")
        jobs(NAMESPACE, server=self.url)

    def show_runs(self, job: str) -> None:
        self._say_command(f"runs {job}")
        runs(job, server=self.url)

    def show_changes(self, since: int, until: int) -> set[str]:
        """What changed between two times; gives the changes of columns."""
        times = [format_instant(time) for time in (since, until)]
        self._say_command(f"diff {' '.join(times)}")
        answer = ask_diff(self._client, since, until)
        show_diff(self._screen, answer)
        return column_changes(answer)

    def show_health(self) -> list[Shape]:
        """The jobs that are not well; gives them."""
        self._screen.say("\nGET /api/v1/health/jobs?state=failed", "bold")
        found = self._client.ask("/api/v1/health/jobs", state="failed")["jobs"]
        grid = Grid(("job", "state", "reason"))
        for job in found:
            grid.add(*map(self._screen.clean, (job["name"], job["state"], job["reason"])))
        self._screen.show(grid)
        return list(found)

    def show_versions(self, table: str) -> list[Shape]:
        """The versions of a table by its path, oldest first; gives them."""
        path = f"/api/v1/namespaces/file/datasets/{_escaped(table)}"
        self._screen.say(f"\nGET {path}/versions", "bold")
        found = self._client.ask(f"{path}/versions")["versions"]
        versions = sorted(found, key=lambda each: str(each["createdAt"]))
        grid = Grid(("version", "since", "columns"))
        for each in versions:
            columns = ", ".join(field["name"] for field in each["fields"])
            grid.add(each["version"], each["createdAt"][:19], self._screen.clean(columns))
        self._screen.show(grid)
        return versions

    def show_looks(self, looks: list[Look]) -> None:
        self._screen.say()
        grid = Grid(("stream", "state", "batch", "rows read", "rows written", "watermark"))
        for look in looks:
            counts = map(str, (look.batch, look.read, look.written))
            grid.add(look.job, look.state, *counts, look.watermark)
        self._screen.show(grid)

    def state(self, job: str) -> str:
        """The state of a job's newest run; empty if it has none."""
        found = self.runs(job)
        return str(found[0]["state"]) if found else ""

    def runs(self, job: str) -> list[Shape]:
        """A job's runs, newest first; none if the job is not known yet."""
        path = f"/api/v1/namespaces/{NAMESPACE}/jobs/{_escaped(job)}/runs"
        answer = self._client.send("GET", path)
        if answer.status_code == 404:
            return []
        if answer.status_code != 200:
            raise self._client.refusal(answer)
        return list(answer.json()["runs"])

    def look(self, job: str) -> Look | None:
        """How far a stream is; None while it has told no batch."""
        found = self.runs(job)
        if not found:
            return None
        run = self._client.ask(f"/api/v1/jobs/runs/{found[0]['id']}")
        stream = run["facets"].get("spark_stream", {})
        if stream.get("batchId") is None:
            return None
        return Look(
            job,
            run["id"],
            run["state"],
            stream["queryId"],
            stream["batchId"],
            _rows(run["inputDatasetVersions"], "inputStatistics"),
            _rows(run["outputDatasetVersions"], "outputStatistics"),
            stream["watermark"] or "-",
        )

    def facets(self, run: str) -> Shape:
        """What a run tells of itself."""
        return dict(self._client.ask(f"/api/v1/jobs/runs/{run}")["facets"])

    def _say_command(self, arguments: str) -> None:
        self._screen.say(f"\n$ headwater {arguments} --server {self.url}", "bold")


def column_sources(answer: Shape) -> dict[str, dict[str, str]]:
    """By column of an answer, the columns that go into it, each with how."""
    return {
        column_label(node["data"]): {
            column_label(way): ", ".join(each["subtype"] for each in way["transformations"])
            for way in node["data"]["inputFields"]
        }
        for node in answer["graph"]
    }


def column_changes(answer: Shape) -> set[str]:
    """The columns that came and went between two times, and the edges between columns."""
    nodes = answer["nodes"]
    found = set()
    for change in answer["changes"]:
        if change["type"] == "field":
            found.add(f"{change['change']} {_node_label(nodes[change['subject']])}")
        elif change["type"] == "column":
            ends = (_node_label(nodes[change[end]]) for end in ("origin", "destination"))
            how = change["after"] or change["before"]
            found.add(f"{change['change']} {' -> '.join(ends)} {how}")
    return found


def _node_label(node: Shape) -> str:
    whole = label(node["namespace"], node["name"])
    return f"{whole}.{node['field']}" if node["field"] else whole


def column_label(data: Shape) -> str:
    return f"{label(data['namespace'], data['dataset'])}.{data['field']}"


def label(namespace: str, name: str) -> str:
    """A dataset's name without where this run of the lab happens to have it."""
    kind = _KINDS.get(namespace.partition(":")[0], "table")
    return f"{kind} {name.rpartition('/')[2]}"


def labels(answer: Shape) -> set[str]:
    """The datasets and jobs of an answer."""
    return {
        label(node["data"]["namespace"], node["data"]["name"])
        if node["type"] == "DATASET"
        else f"job {node['data']['name']}"
        for node in answer["graph"]
    }


def _rows(used: list[Shape], statistics: str) -> int:
    return sum(each["facets"].get(statistics, {}).get("rowCount", 0) for each in used)


def _escaped(name: str) -> str:
    return quote(name, safe="")
