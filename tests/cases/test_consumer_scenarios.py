"""OpenLineage's scenarios for consumers: what a server shows is what their events say.

They are not part of this repository. Point HEADWATER_CONSUMER_SCENARIOS at `consumer/scenarios` of
a checkout of OpenLineage/compatibility-tests; without it this is one skip. Events are posted in the
order of their file names as text, which is not the order they were made in (`10.json`, `2.json`).
What is expected is worked out here, from the events alone.
"""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from testing.api import Api, escape, open_api

Json = dict[str, Any]
Name = tuple[str, str]

FOLDER = os.environ.get("HEADWATER_CONSUMER_SCENARIOS")

if not FOLDER or not Path(FOLDER).is_dir():
    pytest.skip(
        "no consumer scenarios: HEADWATER_CONSUMER_SCENARIOS names no folder",
        allow_module_level=True,
    )

SCENARIOS = sorted(folder for folder in Path(FOLDER).iterdir() if (folder / "events").is_dir())
STATES = {"COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}
DIRECTIONS = ("inputs", "outputs")


def moment(event: Json) -> datetime:
    return datetime.fromisoformat(event["eventTime"].replace("Z", "+00:00")).astimezone(UTC)


def text(time: datetime | None) -> str | None:
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def name_of(thing: Json) -> Name:
    return thing["namespace"], thing["name"]


def facets_of(thing: Json) -> Json:
    return thing.get("facets") or {}


def ids(kind: str, name: Name) -> str:
    return f"{kind}:{name[0]}:{name[1]}"


class Told:
    """What the events of a scenario say."""

    def __init__(self, events: list[Json]) -> None:
        self.events = sorted(events, key=moment)

    @cached_property
    def runs(self) -> dict[str, list[Json]]:
        """The events of each run, by time."""
        runs: dict[str, list[Json]] = {}
        for event in self.events:
            runs.setdefault(event["run"]["runId"], []).append(event)
        return runs

    @cached_property
    def jobs(self) -> dict[Name, list[Json]]:
        jobs: dict[Name, list[Json]] = {}
        for event in self.events:
            jobs.setdefault(name_of(event["job"]), []).append(event)
        return jobs

    def parent(self, events: list[Json]) -> Json | None:
        """The newest parent that events name."""
        stated = [facets_of(event["run"]).get("parent") for event in events]
        return next((parent for parent in reversed(stated) if parent), None)

    @cached_property
    def parents(self) -> dict[Name, Name]:
        """The parent of each job that has one."""
        found = {job: self.parent(events) for job, events in self.jobs.items()}
        return {job: name_of(parent["job"]) for job, parent in found.items() if parent}

    @cached_property
    def named_runs(self) -> dict[str, Name]:
        """The runs that are named as parents or roots, with their jobs."""
        named: dict[str, Name] = {}
        for event in self.events:
            parent = facets_of(event["run"]).get("parent")
            for above in (parent, (parent or {}).get("root")):
                if above:
                    named[above["run"]["runId"]] = name_of(above["job"])
        return named

    def top(self, job: Name) -> Name:
        while job in self.parents:
            job = self.parents[job]
        return job

    def uses(self, direction: str) -> Iterator[tuple[Json, Json]]:
        """Every event with each dataset it names."""
        for event in self.events:
            for dataset in event.get(direction) or []:
                yield event, dataset

    @cached_property
    def datasets(self) -> set[Name]:
        """The datasets that are read or written."""
        return {name_of(dataset) for way in DIRECTIONS for _, dataset in self.uses(way)}

    @cached_property
    def aliases(self) -> dict[Name, set[Name]]:
        found: dict[Name, set[Name]] = {}
        for way in DIRECTIONS:
            for _, dataset in self.uses(way):
                links = facets_of(dataset).get("symlinks", {}).get("identifiers", [])
                found.setdefault(name_of(dataset), set()).update(name_of(link) for link in links)
        return found

    @cached_property
    def named_in_facets(self) -> set[Name]:
        """Datasets that are named as the source of a column, or as another name."""
        sources = {
            name_of(source)
            for _, dataset in self.uses("outputs")
            for _, source in sources_of(facets_of(dataset).get("columnLineage"))
        }
        return sources.union(*self.aliases.values())

    def newest(self, dataset: Name, facet: str) -> Any:
        """A facet of a dataset: its newest as an output, else as an input."""
        for way in ("outputs", "inputs"):
            stated = [
                facets_of(used)[facet]
                for _, used in self.uses(way)
                if name_of(used) == dataset and facet in facets_of(used)
            ]
            if stated:
                return stated[-1]
        return None

    def execution(self, job: Name) -> tuple[datetime, set[str]] | None:
        """When a job's newest execution with datasets began, and its runs."""
        of_job = {
            run: events for run, events in self.runs.items() if name_of(events[0]["job"]) == job
        }
        with_datasets = [
            run
            for run, events in of_job.items()
            if any(event.get(way) for event in events for way in DIRECTIONS)
        ]
        if not with_datasets:
            return None
        newest = max(with_datasets, key=lambda run: (moment(of_job[run][0]), run))
        parent = self.parent(of_job[newest])
        together = {newest}
        if parent:
            together |= {
                run
                for run, events in of_job.items()
                if (above := self.parent(events)) and above["run"] == parent["run"]
            }
        return min(moment(of_job[run][0]) for run in together), together

    def edges(self, job: Name, direction: str) -> set[Name]:
        """What a job reads or writes now: whatever it named since that execution began."""
        execution = self.execution(job)
        if execution is None:
            return set()
        return {
            name_of(dataset)
            for event, dataset in self.uses(direction)
            if name_of(event["job"]) == job and moment(event) >= execution[0]
        }

    def columns(self, dataset: Name) -> set[tuple[str, ...]]:
        """The column edges into a dataset, each with its job and its ways."""
        found: set[tuple[str, ...]] = set()
        for job in self.jobs:
            execution = self.execution(job)
            maps: dict[str, Json] = {}
            for event, used in self.uses("outputs"):
                stated = facets_of(used).get("columnLineage")
                is_its = name_of(event["job"]) == job and name_of(used) == dataset
                if is_its and stated and execution and event["run"]["runId"] in execution[1]:
                    maps[event["run"]["runId"]] = stated
            for stated in maps.values():
                found |= {
                    (field, *name_of(source), source["field"], ids("job", job), ways(source))
                    for field, source in sources_of(stated)
                }
        return found


def sources_of(facet: Json | None) -> Iterator[tuple[str, Json]]:
    """Each output column with each of its sources; those of all rows with every column."""
    fields = (facet or {}).get("fields", {})
    for field, stated in fields.items():
        old = (stated.get("transformationType"), stated.get("transformationDescription"))
        for source in [*stated.get("inputFields", []), *(facet or {}).get("dataset", [])]:
            if not source.get("transformations") and any(part is not None for part in old):
                source = {**source, "transformations": [{"type": old[0]}]}
            yield field, source


def ways(source: Json) -> str:
    """The types of transformations, in words."""
    stated = {
        f"{each.get('type')}/{each.get('subtype')}" for each in source.get("transformations") or []
    }
    return ", ".join(sorted(stated))


@pytest.fixture(scope="module", params=SCENARIOS, ids=[folder.name for folder in SCENARIOS])
def scenario(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Api, Told]]:
    """A server that was sent a scenario's events in a wrong order, and what they say."""
    files = sorted((request.param / "events").iterdir(), key=lambda file: file.name)
    store = tmp_path_factory.mktemp("scenario") / "headwater.db"
    with open_api(f"sqlite:///{store}") as api:
        for file in files:
            api.store(file.read_bytes())
        yield api, Told([json.loads(file.read_bytes()) for file in files])


def test_runs_began_and_ended_when_their_events_say(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    for id, events in told.runs.items():
        starts = [moment(event) for event in events if event["eventType"] == "START"]
        ends = [event for event in events if event["eventType"] in STATES]
        ended = moment(ends[-1]) if ends else None
        if ended is not None and starts and starts[-1] > ended:
            ended = None
        run = api.run(id)
        assert run["startedAt"] == text(starts[0] if starts else moment(events[0])), id
        assert run["endedAt"] == text(ended), id
        assert run["createdAt"] == text(moment(events[0]))
        assert run["updatedAt"] == text(moment(events[-1]))
        assert run["job"] == dict(
            zip(("namespace", "name"), name_of(events[0]["job"]), strict=True)
        )
        if ended is not None:
            assert run["state"] == STATES[ends[-1]["eventType"]], id
        else:
            assert run["state"] in ("RUNNING", "NEW")


def test_a_run_that_is_only_named_as_a_parent_is_there(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    for id in told.named_runs.keys() - told.runs.keys():
        run = api.run(id)
        assert (run["state"], run["startedAt"], run["endedAt"]) == ("NEW", None, None)


def test_jobs_are_those_of_the_events_and_their_parents(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    expected = {*told.jobs, *told.named_runs.values()}
    listed = {
        name_of(job)
        for namespace in {namespace for namespace, _ in expected}
        for job in api.read(f"/namespaces/{escape(namespace)}/jobs", limit=1_000)["jobs"]
    }
    assert listed == expected


def test_jobs_have_their_runs_and_the_newest_first(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    for job in {*told.jobs, *told.named_runs.values()}:
        runs = {
            id: moment(events[0])
            for id, events in told.runs.items()
            if name_of(events[0]["job"]) == job
        }
        named = {id for id, its_job in told.named_runs.items() if its_job == job}
        path = f"/namespaces/{escape(job[0])}/jobs/{escape(job[1])}"
        listed = [run["id"] for run in api.read(f"{path}/runs", limit=1_000)["runs"]]
        assert set(listed) == runs.keys() | named
        if runs:
            assert listed[0] == max(runs, key=lambda id: (runs[id], id))
            assert api.job(*job)["latestRun"]["id"] == listed[0]


def test_jobs_have_their_parents(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    for job in told.jobs:
        parent = told.parents.get(job)
        assert api.job(*job)["parentJobName"] == (parent[1] if parent else None)


def test_folded_jobs_are_shown_as_those_above_them_all(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    for job in told.jobs:
        answer = api.read("/lineage", nodeId=ids("job", job), fold=True)
        assert answer["node"] == ids("job", told.top(job))
        shown = {node["id"] for node in answer["graph"] if node["type"] == "JOB"}
        assert shown <= {ids("job", told.top(other)) for other in told.jobs}


def test_datasets_are_those_of_the_events(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    listed = {
        name_of(dataset)
        for namespace in api.read("/namespaces", limit=1_000)["namespaces"]
        for dataset in api.read(f"/namespaces/{escape(namespace['name'])}/datasets", limit=1_000)[
            "datasets"
        ]
    }
    assert told.datasets <= listed <= told.datasets | told.named_in_facets


def test_datasets_have_the_schemas_that_were_stated_last(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    for dataset in told.datasets:
        schema = told.newest(dataset, "schema") or {"fields": []}
        expected = [(field["name"], field.get("type")) for field in schema["fields"]]
        shown = api.dataset(*dataset)
        assert [(field["name"], field["type"]) for field in shown["fields"]] == expected
        node = api.read("/lineage", nodeId=ids("dataset", dataset), depth=0)["graph"][0]
        fields = [(field["name"], field["type"]) for field in node["data"]["fields"]]
        assert fields == expected


def test_datasets_are_in_the_state_they_were_brought_into_last(
    scenario: tuple[Api, Told],
) -> None:
    api, told = scenario
    for dataset in told.datasets:
        change = told.newest(dataset, "lifecycleStateChange") or {}
        state = change.get("lifecycleStateChange")
        assert api.dataset(*dataset)["lastLifecycleState"] == state


def test_datasets_have_their_other_names(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    for dataset in told.datasets:
        others = told.aliases[dataset]
        for name in {dataset, *others}:
            answer = api.read("/lineage", nodeId=ids("dataset", name), depth=0)
            assert answer["node"] == ids("dataset", dataset)
            data = answer["graph"][0]["data"]
            assert {name_of(alias) for alias in data.get("aliases", [])} == others


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_jobs_use_what_their_newest_execution_names(
    scenario: tuple[Api, Told], direction: str
) -> None:
    api, told = scenario
    side, end = ("inEdges", "origin") if direction == "inputs" else ("outEdges", "destination")
    for job in told.jobs:
        expected = told.edges(job, direction)
        shown = {name_of(dataset) for dataset in api.job(*job)[direction]}
        assert shown == expected, job
        answer = api.read("/lineage", nodeId=ids("job", job), depth=0)
        (node,) = (node for node in answer["graph"] if node["id"] == ids("job", job))
        standing = {edge[end] for edge in node[side] if edge.get("kind") != "past"}
        assert standing == {ids("dataset", name) for name in expected}, job


def test_datasets_are_reached_from_what_they_are_made_of(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    follow: dict[str, set[str]] = {}
    for job in told.jobs:
        for name in told.edges(job, "inputs"):
            follow.setdefault(ids("dataset", name), set()).add(ids("job", job))
        outputs = {ids("dataset", name) for name in told.edges(job, "outputs")}
        follow.setdefault(ids("job", job), set()).update(outputs)
    for dataset in told.datasets:
        start = ids("dataset", dataset)
        reached, frontier = {start}, [start]
        while frontier:
            found = follow.get(frontier.pop(), set()) - reached
            reached |= found
            frontier += found
        answer = api.read("/lineage", nodeId=start, direction="downstream", depth=1_000)
        standing = {
            node["id"]
            for node in answer["graph"]
            if node["id"] == start or any(edge.get("kind") != "past" for edge in node["inEdges"])
        }
        assert standing == reached


def test_column_edges_are_those_of_the_events(scenario: tuple[Api, Told]) -> None:
    api, told = scenario
    stated = 0
    for dataset in told.datasets:
        answer = api.read("/column-lineage", nodeId=ids("dataset", dataset), depth=1)
        shown = {
            (
                node["data"]["field"],
                source["namespace"],
                source["dataset"],
                source["field"],
                source["job"],
                ways(source),
            )
            for node in answer["graph"]
            if (node["data"]["namespace"], node["data"]["dataset"]) == dataset
            for source in node["data"]["inputFields"]
            if not source.get("isAssumed") and source["field"]
        }
        expected = told.columns(dataset)
        assert shown == expected, dataset
        stated += len(expected)
    named = [used for _, used in told.uses("outputs") if facets_of(used).get("columnLineage")]
    assert bool(stated) is bool(named)


def test_the_order_of_arrival_makes_no_difference(
    scenario: tuple[Api, Told], tmp_path: Path
) -> None:
    api, told = scenario
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as other:
        other.store(told.events)
        for job in told.jobs:
            assert other.job(*job) == api.job(*job)
            for fold in (False, True):
                asked = {"nodeId": ids("job", job), "fold": fold}
                assert other.read("/lineage", **asked) == api.read("/lineage", **asked)
        for dataset in told.datasets:
            asked = {"nodeId": ids("dataset", dataset), "withDownstream": True}
            assert other.read("/column-lineage", **asked) == api.read("/column-lineage", **asked)
        for run in told.runs:
            assert other.run(run) == api.run(run)
            asked = {"runId": run}
            assert other.read("/runlineage/upstream", **asked) == api.read(
                "/runlineage/upstream", **asked
            )
