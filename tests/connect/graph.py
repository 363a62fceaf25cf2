"""What Headwater knows of connectors, as its users ask for it."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx2

from testing.wait import wait_until

Json = dict[str, Any]


class Graph:
    """The graph of one server, with the jobs of one namespace."""

    def __init__(self, url: str, namespace: str) -> None:
        self._url = url
        self._namespace = namespace

    def runs(self, job: str) -> list[Json]:
        """The runs of a job, newest first; none of a job that is not known."""
        found = self._get(f"/namespaces/{_quoted(self._namespace)}/jobs/{_quoted(job)}/runs")
        return [] if found is None else list(found["runs"])

    def state(self, job: str) -> str:
        """The state of a job's newest run."""
        runs = self.runs(job)
        return str(runs[0]["state"]) if runs else "UNKNOWN"

    def wait_for_state(self, job: str, state: str) -> None:
        wait_until(
            lambda: self.state(job) == state,
            lambda: f"{job} is {self.state(job)}, not {state}: {self.told(job)}",
        )

    def events(self, job: str) -> list[Json]:
        """The events of a job, in their order."""
        found = self._get("/events/lineage?limit=1000&sortDirection=desc")
        assert found is not None
        # Others have told of datasets alone.
        own = (self._namespace, job)
        named = [(event, event.get("job", {})) for event in found["events"]]
        newest = [event for event, its in named if (its.get("namespace"), its.get("name")) == own]
        return newest[::-1]

    def all_events(self) -> list[Json]:
        """Every event of the server, of whatever job."""
        found: list[Json] = []
        while True:
            page = self._get(f"/events/lineage?limit=1000&offset={len(found)}&sortDirection=asc")
            assert page is not None
            found += page["events"]
            if not page["events"]:
                return found

    def told(self, job: str) -> list[str]:
        """What was told of a job, without heartbeats: `START started`."""
        facets = [(e["eventType"], e["run"]["facets"]["kafka_connect"]) for e in self.events(job)]
        return [f"{kind} {own['reason']}" for kind, own in facets if own["reason"] != "heartbeat"]

    def wait_for_told(self, job: str, text: str, count: int = 1) -> Json:
        """Wait for something that is told of a job; the last event that tells it."""
        wait_until(
            lambda: self.told(job).count(text) >= count,
            lambda: f"no {count} '{text}' of {job}: {self.told(job)}",
        )
        return self._last(job, lambda event: _is(event, text))

    def wait_for_event(self, job: str, wanted: Callable[[Json], bool]) -> Json:
        """Wait for an event that has something."""
        wait_until(
            lambda: any(wanted(event) for event in self.events(job)),
            lambda: f"no such event of {job}: {self.events(job)[-1:]}",
        )
        return self._last(job, wanted)

    def _last(self, job: str, wanted: Callable[[Json], bool]) -> Json:
        return [event for event in self.events(job) if wanted(event)][-1]

    def dataset(self, namespace: str, name: str) -> Json | None:
        return self._get(f"/namespaces/{_quoted(namespace)}/datasets/{_quoted(name)}")

    def versions(self, namespace: str, name: str) -> list[list[str]]:
        """The columns of each version of a dataset that has some, newest first."""
        path = f"/namespaces/{_quoted(namespace)}/datasets/{_quoted(name)}/versions"
        found = self._get(path) or {"versions": []}
        columns = [[field["name"] for field in each["fields"]] for each in found["versions"]]
        return [each for each in columns if each]

    def upstream(self, namespace: str, name: str) -> set[str]:
        """All that a dataset comes from."""
        node = quote(f"dataset:{namespace}:{name}", safe="")
        found = self._get(f"/lineage?nodeId={node}&depth=10&direction=upstream")
        return {each["data"]["name"] for each in (found or {"graph": []})["graph"]}

    def _get(self, path: str) -> Json | None:
        answer = httpx2.get(f"{self._url}/api/v1{path}", timeout=30, trust_env=False)
        if answer.status_code == 404:
            return None
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found


def columns(dataset: Json) -> dict[str, str]:
    """The columns of a dataset in an event, with their types."""
    fields = dataset["facets"].get("schema", {"fields": []})["fields"]
    return {field["name"]: field["type"] for field in fields}


def names(datasets: list[Json]) -> list[str]:
    return sorted(dataset["name"] for dataset in datasets)


def _is(event: Json, text: str) -> bool:
    own = event["run"]["facets"]["kafka_connect"]
    return f"{event['eventType']} {own['reason']}" == text


def _quoted(text: str) -> str:
    return quote(text, safe="")
