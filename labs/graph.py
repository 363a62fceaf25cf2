"""What the graph says, asked of the server and shown as the commands of `headwater` show it."""

from typing import Any
from urllib.parse import quote

from headwater.cli.api.client import Client
from headwater.cli.api.node_lookup import NodeType, find_node
from headwater.cli.commands.lineage.lineage import Question, ask_lineage, show_lineage
from headwater.cli.commands.lists import jobs, runs
from headwater.cli.output.screen import Grid, Screen
from headwater.graph.answer import Side

Shape = dict[str, Any]

NAMESPACE = "fh-local"
_UP = (Side.UPSTREAM,)
_DOWN = (Side.DOWNSTREAM,)


class LabGraph:
    """One server's graph, on one screen."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = Client(url)
        self.screen = Screen()

    def show_upstream(self, name: str) -> Shape:
        return self.show_lineage(name, "--up", Question(_UP), NodeType.DATASET)

    def show_downstream(self, name: str) -> Shape:
        return self.show_lineage(name, "--down", Question(_DOWN), NodeType.JOB)

    def show_lineage(self, name: str, options: str, question: Question, kind: NodeType) -> Shape:
        self.say_command(f"lineage {name} --type {kind} {options}")
        node = find_node(self.client, name, kind)
        answer = ask_lineage(self.client, node, question)
        show_lineage(self.screen, answer, node, question)
        return answer

    def show_jobs(self) -> None:
        self.say_command(f"jobs --namespace {NAMESPACE}")
        jobs(NAMESPACE, server=self.url)

    def show_runs(self, job: str) -> None:
        self.say_command(f"runs {job}")
        runs(job, server=self.url)

    def show_health(self) -> list[Shape]:
        """The jobs that are not well; gives them."""
        self.screen.say("\nGET /api/v1/health/jobs?state=failed", "bold")
        found = self.failed()
        grid = Grid(("job", "state", "reason"))
        for job in found:
            grid.add(*map(self.screen.clean, (job["name"], job["state"], job["reason"])))
        self.screen.show(grid)
        return found

    def failed(self) -> list[Shape]:
        """The jobs whose newest run has failed."""
        return list(self.client.ask("/api/v1/health/jobs", state="failed")["jobs"])

    def state(self, job: str) -> str:
        """The state of a job's newest run; empty if it has none."""
        found = self.runs(job)
        return str(found[0]["state"]) if found else ""

    def runs(self, job: str) -> list[Shape]:
        """A job's runs, newest first; none if the job is not known yet."""
        path = f"/api/v1/namespaces/{NAMESPACE}/jobs/{escaped(job)}/runs"
        answer = self.client.send("GET", path)
        if answer.status_code == 404:
            return []
        if answer.status_code != 200:
            raise self.client.refusal(answer)
        return list(answer.json()["runs"])

    def facets(self, run: str) -> Shape:
        """What a run tells of itself."""
        return dict(self.client.ask(f"/api/v1/jobs/runs/{run}")["facets"])

    def say_command(self, arguments: str) -> None:
        self.screen.say(f"\n$ headwater {arguments} --server {self.url}", "bold")


def escaped(name: str) -> str:
    return quote(name, safe="")
