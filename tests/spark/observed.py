"""What a session tells, as a server would get it."""

from collections.abc import Callable
from typing import Any

import msgspec

from testing.wait import wait_until

Json = dict[str, Any]

# The name of the session of all tests.
APPLICATION = "tests"


class ObservedEvents:
    """The events of a session, as a server would get them."""

    def __init__(self) -> None:
        self.events: list[Json] = []

    def post(self, body: bytes) -> None:
        self.events.append(msgspec.json.decode(body))

    def of(self, job: str) -> list[Json]:
        return [event for event in self.events if event["job"]["name"] == job]

    def find_write(self, target: str, kind: str = "COMPLETE", verb: str = "write") -> Json:
        """Wait for the write of a batch job to a target; gives its newest event of a kind."""
        start = f"{APPLICATION}.{verb} {target} ("

        def found() -> list[Json]:
            return [
                event
                for event in self.events
                if event["job"]["name"].startswith(start) and event["eventType"] == kind
            ]

        wait_until(
            lambda: bool(found()),
            lambda: f"{kind} of {start}, but {[each['job']['name'] for each in self.events]}",
        )
        return found()[-1]

    def wait_for(self, is_it: Callable[[Json], bool]) -> Callable[[], Json]:
        """Wait for the end of a write of which something is so; gives what finds its newest."""

        def found() -> list[Json]:
            ends = [event for event in self.events if event["eventType"] == "COMPLETE"]
            return [event for event in ends if event["outputs"] and is_it(event)]

        wait_until(lambda: bool(found()))
        return lambda: found()[-1]

    def last(self, job: str, kind: str) -> Json:
        """Wait for an event of a job."""
        return self.wait(job, kind, 1)[-1]

    def wait(self, job: str, kind: str, count: int) -> list[Json]:
        """Wait for so many events of a kind; gives all of that kind."""

        def found() -> list[Json]:
            return [event for event in self.of(job) if event["eventType"] == kind]

        wait_until(
            lambda: len(found()) >= count,
            lambda: f"{kind} of {job}, but {[each['eventType'] for each in self.of(job)]}",
        )
        return found()


def fields(dataset: Json) -> dict[str, list[str]]:
    """By column of a dataset, what goes into it."""
    columns = dataset["facets"]["columnLineage"]["fields"]
    return {name: _inputs(column["inputFields"]) for name, column in columns.items()}


def deciding(dataset: Json) -> list[str]:
    """What decides about the rows of a dataset."""
    return _inputs(dataset["facets"]["columnLineage"].get("dataset", []))


def _inputs(inputs: list[Json]) -> list[str]:
    return [
        f"{each['field']} {way['subtype']}" for each in inputs for way in each["transformations"]
    ]


def counted(dataset: Json, side: str = "output") -> Json:
    """What was counted of a dataset."""
    found: Json = dataset.get(f"{side}Facets", {}).get(f"{side}Statistics", {})
    return found


def other_names(dataset: Json) -> list[str]:
    """What catalogs call a dataset."""
    symlinks = dataset["facets"].get("symlinks", {"identifiers": []})
    return [each["name"] for each in symlinks["identifiers"]]
