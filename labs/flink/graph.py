"""What the graph says of Flink's jobs, their columns and what they have read and written."""

from typing import NamedTuple

from headwater.cli.api.node_lookup import NodeType
from headwater.cli.commands.lineage.lineage import Question
from headwater.cli.output.screen import Grid
from headwater.graph.answer import Side
from labs.graph import LabGraph, Shape


class Look(NamedTuple):
    """A job's newest run at one moment."""

    job: str
    run: str
    state: str
    read: int
    written: int


class Graph(LabGraph):
    """One server's graph of Flink's jobs, on one screen."""

    def show_columns(self, name: str) -> Shape:
        question = Question((Side.UPSTREAM,), columns=True, direct=True)
        return self.show_lineage(name, "--up --columns --direct", question, NodeType.DATASET)

    def show_looks(self, *looks: Look) -> None:
        self.screen.say()
        grid = Grid(("job", "state", "rows read", "rows written"))
        for look in looks:
            grid.add(look.job, look.state, str(look.read), str(look.written))
        self.screen.show(grid)

    def look(self, job: str) -> Look | None:
        """How far a job's newest run is; None while it has none."""
        found = self.runs(job)
        if not found:
            return None
        run = self.client.ask(f"/api/v1/jobs/runs/{found[0]['id']}")
        read = _rows(run["inputDatasetVersions"], "inputStatistics")
        written = _rows(run["outputDatasetVersions"], "outputStatistics")
        return Look(job, run["id"], run["state"], read, written)

    def producers(self, job: str) -> set[str]:
        """Who has reported a job: the parts of the producers' addresses that name them."""
        events = self.client.ask("/api/v1/events/lineage", limit=1000)["events"]
        own = [each for each in events if each.get("job", {}).get("name") == job]
        known = ("integration/flink", "collect/flink", "declared")
        return {part for each in own for part in known if part in each["producer"]}


def _rows(used: list[Shape], name: str) -> int:
    return sum(each["facets"].get(name, {}).get("rowCount") or 0 for each in used)
