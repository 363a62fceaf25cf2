"""What the graph says of connectors, their topics and what they read and write outside of Kafka."""

from headwater.cli.commands.ingest.collect_run import status
from headwater.cli.commands.lineage.diff import ask_diff, show_diff
from headwater.cli.output.screen import Grid
from headwater.model.values.instant import format_instant
from labs.graph import LabGraph, Shape, escaped


class Graph(LabGraph):
    """One server's graph of connectors, on one screen."""

    def newest_run(self, job: str) -> str:
        """The id of a job's newest run; empty if it has none."""
        found = self.runs(job)
        return str(found[0]["id"]) if found else ""

    def reasons(self, job: str) -> set[str]:
        """Why the newest event of a run was sent, by the plugin and by the collector."""
        facets = self.facets(self.newest_run(job))
        own = [facets.get(name, {}) for name in ("kafka_connect", "kafka_connect_rest")]
        return {str(each["reason"]) for each in own if "reason" in each}

    def columns(self, dataset: str) -> dict[str, str]:
        """The columns of a dataset, `NAMESPACE|NAME`, with their types; none if it has none."""
        namespace, _, name = dataset.partition("|")
        path = f"/api/v1/namespaces/{escaped(namespace)}/datasets/{escaped(name)}"
        answer = self.client.send("GET", path)
        if answer.status_code == 404:
            return {}
        if answer.status_code != 200:
            raise self.client.refusal(answer)
        return {field["name"]: field["type"] for field in answer.json()["fields"]}

    def show_columns(self, *datasets: str) -> None:
        self.screen.say()
        grid = Grid(("dataset", "columns"))
        for dataset in datasets:
            found = self.columns(dataset)
            text = ", ".join(f"{name} {kind}" for name, kind in found.items()) or "-"
            grid.add(dataset, self.screen.clean(text))
        self.screen.show(grid)

    def added_columns(self, since: int, until: int) -> set[str]:
        """Show what changed between two times; gives the columns that came."""
        times = [format_instant(time) for time in (since, until)]
        self.say_command(f"diff {' '.join(times)}")
        answer = ask_diff(self.client, since, until)
        show_diff(self.screen, answer)
        found = set()
        for change in answer["changes"]:
            if (change["type"], change["change"]) == ("field", "added"):
                node = answer["nodes"][change["subject"]]
                found.add(f"{node['namespace']}|{node['name']}.{node['field']}")
        return found

    def show_collectors(self) -> list[Shape]:
        """The collectors of the server; gives them."""
        self.say_command("collect status")
        status(server=self.url)
        return self.collectors()

    def collectors(self) -> list[Shape]:
        return list(self.client.ask("/api/v1/collectors")["collectors"])


def labels(answer: Shape) -> set[str]:
    """The jobs and datasets of an answer, datasets as `NAMESPACE|NAME`."""
    return {
        f"{node['data']['namespace']}|{node['data']['name']}"
        if node["type"] == "DATASET"
        else node["data"]["name"]
        for node in answer["graph"]
    }
