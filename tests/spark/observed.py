"""What a session tells, as a server would get it."""

from typing import Any

import msgspec

from testing.wait import wait_until

Json = dict[str, Any]


class ObservedEvents:
    """The events of a session, as a server would get them."""

    def __init__(self) -> None:
        self.events: list[Json] = []

    def post(self, body: bytes) -> None:
        self.events.append(msgspec.json.decode(body))

    def of(self, job: str) -> list[Json]:
        return [event for event in self.events if event["job"]["name"] == job]

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
