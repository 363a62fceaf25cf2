"""Google's Data Lineage API, as far as events are sent to it: one a call, within its limits."""

import hashlib
import re
from typing import Any

import msgspec

from testing.stand_ins.recording import Call, Json, Refusal, Reply, WrittenStandIn, require_fields

MOST_BYTES = 5_000_000
MOST_LINKS = 100
LONGEST_NAME = 4_000
_PARENT = re.compile(
    r"/v1/(projects/[^/]+/locations/[^/:]+)(:processOpenLineageRunEvent|/processes)"
)
_EVENT_FIELDS = {
    "eventTime", "eventType", "producer", "schemaURL", "run", "job", "inputs", "outputs",
}  # fmt: skip
_TYPES = {"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"}


class GoogleLineageStandIn(WrittenStandIn):
    """Events by their names; a request id that was seen gives the same answer again."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token
        self.events: dict[str, Json] = {}
        self._answers: dict[str, Json] = {}
        self._number = 0

    def answer(self, call: Call) -> Reply:
        if call.headers.get("authorization") != f"Bearer {self.token}":
            raise _refuse(401, "UNAUTHENTICATED", "invalid authentication credentials")
        found = _PARENT.fullmatch(call.path)
        if found and (call.method, found[2]) == ("GET", "/processes"):
            return Reply(200, {"processes": []})
        if found and call.method == "POST":
            try:
                return Reply(200, self._process(found[1], call))
            except (KeyError, TypeError, ValueError) as error:
                raise _refuse(400, "INVALID_ARGUMENT", str(error)) from None
        name = call.path.removeprefix("/v1/")
        if call.method not in ("GET", "DELETE"):
            raise _refuse(405, "UNIMPLEMENTED", "method not allowed")
        if name not in self.events:
            if call.query.get("allowMissing") == ["true"]:
                return Reply(200, {})
            raise _refuse(404, "NOT_FOUND", f"{name} is not there")
        return Reply(200, self.events.pop(name) if call.method == "DELETE" else self.events[name])

    def _process(self, parent: str, call: Call) -> Json:
        if extra := call.query.keys() - {"requestId"}:
            raise ValueError(f"unknown parameter {sorted(extra)[0]}")
        request = call.query.get("requestId", [""])[0]
        if request in self._answers:
            return self._answers[request]
        event = self._check(call.body)
        process = f"{parent}/processes/{_hash(event['job']['namespace'], event['job']['name'])}"
        run = f"{process}/runs/{_hash(event['run']['runId'])}"
        self._number += 1
        name = f"{run}/lineageEvents/{self._number}"
        self.events[name] = event
        answer = {"process": process, "run": run, "lineageEvents": [name]}
        if request:
            self._answers[request] = answer
        return answer

    def _check(self, body: Any) -> Json:
        event = require_fields(body, _EVENT_FIELDS, _EVENT_FIELDS, "RunEvent")
        if len(msgspec.json.encode(event)) > MOST_BYTES:
            raise ValueError("the message is larger than 5 MB")
        if event["eventType"] not in _TYPES:
            raise ValueError("eventType")
        links = 0
        for dataset in (*event["inputs"], *event["outputs"]):
            require_fields(
                dataset, {"namespace", "name", "facets"}, {"namespace", "name"}, "dataset"
            )
            if len(dataset["namespace"]) + len(dataset["name"]) + 1 > LONGEST_NAME:
                raise ValueError("a fully qualified name is longer than 4000 characters")
            if dataset["namespace"].startswith(("confluent://", "google://", "s3a://")):
                raise ValueError(f"{dataset['namespace']} is not understood")
        for output in event["outputs"]:
            fields = output.get("facets", {}).get("columnLineage", {}).get("fields", {})
            links += len(event["inputs"]) + sum(
                len(each["inputFields"]) for each in fields.values()
            )
        if links > MOST_LINKS:
            raise ValueError(f"{links} links; at most {MOST_LINKS}")
        return event


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _refuse(status: int, code: str, message: str) -> Refusal:
    return Refusal(status, {"error": {"code": status, "message": message, "status": code}})
