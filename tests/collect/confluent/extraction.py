"""What an extraction yields, in a form that tests can look things up in."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from headwater.collect import Collected
from headwater.collect.confluent import ConfluentSettings, extract

Json = dict[str, Any]


class Extraction(NamedTuple):
    """The events of jobs and of datasets by name, and what could not be read."""

    jobs: dict[str, Json]
    datasets: dict[str, Json]
    errors: list[str]

    def edges(self, job: str) -> tuple[list[str], list[str]]:
        event = self.jobs[job]
        return _names(event["inputs"]), _names(event["outputs"])

    def gaps(self, job: str) -> list[Json]:
        found: list[Json] = (
            self.jobs[job]["run"]["facets"].get("headwater_gaps", {}).get("gaps", [])
        )
        return found

    def job_facet(self, job: str, facet: str) -> Json:
        found: Json = self.jobs[job]["job"]["facets"][facet]
        return found


def _names(datasets: Iterable[Json]) -> list[str]:
    return [f"{each['namespace']} {each['name']}" for each in datasets]


def run(settings: ConfluentSettings, **more: Any) -> Extraction:
    return gather(extract(settings, **more))


def gather(collected: Iterable[Collected]) -> Extraction:
    found = Extraction({}, {}, [])
    for each in collected:
        if each.error is not None:
            found.errors.append(each.error)
            continue
        event = json.loads(each.data)
        if "job" in event:
            found.jobs[event["job"]["name"]] = event
        else:
            dataset = event["dataset"]
            found.datasets[f"{dataset['namespace']} {dataset['name']}"] = dataset["facets"]
    return found


def changed(collected: Iterable[Collected]) -> list[str]:
    """The names of what events are about."""
    return [each.source for each in collected]
