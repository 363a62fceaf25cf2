"""What the graph says of streams, their columns and what they have read and written."""

from pathlib import Path
from typing import NamedTuple

from headwater.cli.api.node_lookup import NodeType
from headwater.cli.commands.lineage.diff import ask_diff, show_diff
from headwater.cli.commands.lineage.lineage import Question
from headwater.cli.output.screen import Grid
from headwater.graph.answer import Side
from headwater.model.values.consumer_groups import GROUP_FACET, group_namespace
from headwater.model.values.instant import format_instant
from labs.graph import LabGraph, Shape, escaped
from testing.commands import run_program

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


class Graph(LabGraph):
    """One server's graph of streams, on one screen."""

    def show_columns(self, name: str) -> Shape:
        question = Question((Side.UPSTREAM,), columns=True, direct=True)
        return self.show_lineage(name, "--up --columns --direct", question, NodeType.DATASET)

    def show_changes(self, since: int, until: int) -> set[str]:
        """What changed between two times; gives the changes of columns."""
        times = [format_instant(time) for time in (since, until)]
        self.say_command(f"diff {' '.join(times)}")
        answer = ask_diff(self.client, since, until)
        show_diff(self.screen, answer)
        return column_changes(answer)

    def show_versions(self, table: str) -> list[Shape]:
        """The versions of a table by its path, oldest first; gives them."""
        path = f"/api/v1/namespaces/file/datasets/{escaped(table)}"
        self.screen.say(f"\nGET {path}/versions", "bold")
        found = self.client.ask(f"{path}/versions")["versions"]
        versions = sorted(found, key=lambda each: str(each["createdAt"]))
        grid = Grid(("version", "since", "columns"))
        for each in versions:
            columns = ", ".join(field["name"] for field in each["fields"])
            grid.add(each["version"], each["createdAt"][:19], self.screen.clean(columns))
        self.screen.show(grid)
        return versions

    def show_looks(self, looks: list[Look]) -> None:
        self.screen.say()
        grid = Grid(("stream", "state", "batch", "rows read", "rows written", "watermark"))
        for look in looks:
            counts = map(str, (look.batch, look.read, look.written))
            grid.add(look.job, look.state, *counts, look.watermark)
        self.screen.show(grid)

    def show_discovery(self, bootstrap: str, folder: Path) -> list[Shape]:
        """Collect from a broker, and list what nobody documented there; gives it."""
        command = f"discover --bootstrap {bootstrap}"
        self.say_command(command)
        where = ["--state", str(folder), "--server", self.url]
        shown = run_program(*command.split(), *where)
        for line in (shown.out + shown.err).splitlines():
            self.screen.say(self.screen.clean(line))
        return list(self.client.ask("/api/v1/discovery")["findings"])

    def show_readers(self, topic: str) -> Shape:
        question = Question((Side.DOWNSTREAM,), depth=1)
        return self.show_lineage(topic, "--down --depth 1", question, NodeType.DATASET)

    def collected_groups(self, cluster: str) -> set[str]:
        """The groups of a cluster that a collector has reported."""
        events = self.client.ask("/api/v1/events/lineage", limit=1_000)["events"]
        space = group_namespace(cluster)
        found = [each for each in events if each.get("job", {}).get("namespace") == space]
        return {each["run"]["facets"][GROUP_FACET]["group"] for each in found}

    def look(self, job: str) -> Look | None:
        """How far a stream is; None while it has told no batch."""
        found = self.runs(job)
        if not found:
            return None
        run = self.client.ask(f"/api/v1/jobs/runs/{found[0]['id']}")
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
