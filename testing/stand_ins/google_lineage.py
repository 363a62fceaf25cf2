"""Google's Data Lineage API, one event a call, within its limits, and links and processes to read
back; and BigQuery's lists of tables."""

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
_SEARCH = re.compile(
    r"/v1/(projects/[^/]+/locations/[^/:]+):(searchLinks|batchSearchLinkProcesses)"
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
        self.processes: dict[str, Json] = {}
        self.links: dict[str, Json] = {}
        """Links that Google found by itself, each with the names of its processes."""
        self.tables: dict[str, Json] = {}
        self.forbidden: set[str] = set()
        """Parts of paths and bodies that the token may not read."""
        self._answers: dict[str, Json] = {}
        self._number = 0

    def answer(self, call: Call) -> Reply:
        if call.headers.get("authorization") != f"Bearer {self.token}":
            raise _refuse(401, "UNAUTHENTICATED", "invalid authentication credentials")
        found = _PARENT.fullmatch(call.path)
        if hidden := next((each for each in self.forbidden if each in f"{call[:4]}"), None):
            raise _refuse(403, "PERMISSION_DENIED", f"permission denied on {hidden}")
        if call.path.startswith("/bigquery/v2/"):
            return Reply(200, self._bigquery(call))
        if found and (call.method, found[2]) == ("GET", "/processes"):
            return Reply(200, {"processes": list(self.processes.values())})
        if searched := _SEARCH.fullmatch(call.path):
            return self._search(searched[2], call)
        if call.path.removeprefix("/v1/") in self.processes and call.method in ("GET", "PATCH"):
            return Reply(200, self._one_process(call))
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
        self.processes.setdefault(process, _new_process(process, event))
        self._number += 1
        name = f"{run}/lineageEvents/{self._number}"
        self.events[name] = event
        answer = {"process": process, "run": run, "lineageEvents": [name]}
        if request:
            self._answers[request] = answer
        return answer

    def add_table(self, name: str, columns: dict[str, str], **more: Any) -> None:
        """A table of BigQuery, as PROJECT.DATASET.TABLE."""
        fields = [{"name": column, "type": kind} for column, kind in columns.items()]
        self.tables[name] = {"type": "TABLE", "schema": {"fields": fields}, **more}

    def add_process(self, parent: str, id: str, source: str, target: str, **more: Any) -> None:
        """A process that Google knows by itself, with a link of fully qualified names."""
        process = f"{parent}/processes/{id}"
        self.processes[process] = {"name": process, **more}
        name = f"{parent}/links/{len(self.links)}"
        ends = {"source": {"fullyQualifiedName": source}, "target": {"fullyQualifiedName": target}}
        self.links[name] = {"name": name, **ends, "processes": [process]}

    def _one_process(self, call: Call) -> Json:
        process = self.processes[call.path.removeprefix("/v1/")]
        if call.method == "PATCH":
            if call.query.get("updateMask") != ["attributes"]:
                raise _refuse(400, "INVALID_ARGUMENT", "updateMask")
            given = require_fields(call.body, {"attributes"}, {"attributes"}, "process")
            process["attributes"] = given["attributes"]
        return process

    def _search(self, what: str, call: Call) -> Reply:
        if call.method != "POST":
            raise _refuse(405, "UNIMPLEMENTED", "method not allowed")
        known = {**self.links, **self._links_of_events()}
        try:
            if what == "searchLinks":
                return Reply(200, _page(_found_links(known, call.body), "links", call.body))
            return Reply(200, _page(_found_processes(known, call.body), "processLinks", call.body))
        except ValueError as error:
            raise _refuse(400, "INVALID_ARGUMENT", str(error)) from None

    def _links_of_events(self) -> Json:
        """Google makes links of the events that it was sent."""
        found: Json = {}
        for event_name, event in self.events.items():
            process = event_name.partition("/runs/")[0]
            parent = process.partition("/processes/")[0]
            for source in event["inputs"]:
                for target in event["outputs"]:
                    ends = _qualified(source), _qualified(target)
                    name = f"{parent}/links/{_hash(*ends)}"
                    link = found.setdefault(name, {"name": name, "processes": []})
                    link["source"], link["target"] = ({"fullyQualifiedName": each} for each in ends)
                    link["processes"].append(process)
        return found

    def _bigquery(self, call: Call) -> Json:
        parts = call.path.removeprefix("/bigquery/v2/projects/").split("/")
        project, names = parts[0], [name.split(".") for name in self.tables]
        if call.method != "GET":
            raise _refuse(405, "UNIMPLEMENTED", "method not allowed")
        if len(parts) == 2:
            ids = sorted({name[1] for name in names if name[0] == project})
            rows: list[Json] = [{"datasetReference": {"datasetId": each}} for each in ids]
            return _rows(rows, "datasets", call)
        if len(parts) == 4:
            ids = sorted(name[2] for name in names if name[:2] == [project, parts[2]])
            return _rows([{"tableReference": {"tableId": each}} for each in ids], "tables", call)
        name = f"{project}.{parts[2]}.{parts[4]}"
        if name not in self.tables:
            raise _refuse(404, "NOT_FOUND", f"Not found: Table {name}")
        return self.tables[name]

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


def _new_process(name: str, event: Json) -> Json:
    job = event["job"]
    return {
        "name": name,
        "displayName": f"{job['namespace']}:{job['name']}"[:200],
        "origin": {"sourceType": "CUSTOM", "name": "OpenLineage"},
    }


def _found_links(known: Json, body: Any) -> list[Json]:
    given = require_fields(body, {"source", "target", "pageSize", "pageToken"}, set(), "search")
    sides = given.keys() & {"source", "target"}
    if len(sides) != 1:
        raise ValueError("either source or target")
    (side,) = sides
    require_fields(given[side], {"fullyQualifiedName"}, {"fullyQualifiedName"}, side)
    return [
        {key: value for key, value in link.items() if key != "processes"}
        for link in known.values()
        if link[side] == given[side]
    ]


def _found_processes(known: Json, body: Any) -> list[Json]:
    given = require_fields(body, {"links", "pageSize", "pageToken"}, {"links"}, "search")
    if not 0 < len(given["links"]) <= MOST_LINKS:
        raise ValueError("1 to 100 links")
    found: dict[str, list[Json]] = {}
    for name in given["links"]:
        for process in known[name]["processes"]:
            found.setdefault(process, []).append({"link": name})
    return [{"process": process, "links": links} for process, links in found.items()]


def _page(rows: list[Json], key: str, body: Json) -> Json:
    size, start = body.get("pageSize", 100), int(body.get("pageToken", "0"))
    if size > 100:
        raise ValueError("pageSize is at most 100")
    more = {"nextPageToken": str(start + size)} if start + size < len(rows) else {}
    return {key: rows[start : start + size], **more}


def _rows(rows: list[Json], key: str, call: Call) -> Json:
    """A page of BigQuery, of which each has two, so that readers must ask for the next."""
    if extra := call.query.keys() - {"maxResults", "pageToken"}:
        raise _refuse(400, "INVALID_ARGUMENT", f"unknown parameter {sorted(extra)[0]}")
    start = int(call.query.get("pageToken", ["0"])[0])
    more = {"nextPageToken": str(start + 2)} if start + 2 < len(rows) else {}
    return {key: rows[start : start + 2], **more}


def _qualified(dataset: Json) -> str:
    """The fully qualified name that Google makes of a dataset's."""
    system, _, place = dataset["namespace"].partition("://")
    name = str(dataset["name"])
    if not place:
        return f"{system}:{name}"
    return f"{system}:`{place}`.{f'`{name}`' if '.' in name else name}"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _refuse(status: int, code: str, message: str) -> Refusal:
    return Refusal(status, {"error": {"code": status, "message": message, "status": code}})
