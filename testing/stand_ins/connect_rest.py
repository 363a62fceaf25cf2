"""A worker's REST API with connectors that a test sets: for very many of them, and for faults.

It knows the paths that Kafka Connect documents and answers everything else with 404.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

Json = dict[str, Any]

VERSION = {"version": "4.3.1", "commit": "c0ffee", "kafka_cluster_id": "stand-in-cluster"}


class StandInAnswer(NamedTuple):
    """What is answered in place of the usual."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = {}


class ConnectStandIn:
    """The connectors of a cluster, and how it misbehaves."""

    def __init__(self) -> None:
        self.connectors: dict[str, Json] = {}
        self.faults: dict[str, list[StandInAnswer]] = {}
        """Answers by path, each given once, the last one for good."""
        self.definitions: dict[str, list[Json]] = {}
        self.latency = 0.0
        self.requests: list[str] = []
        self.authorizations: list[str | None] = []
        self.url = ""

    def add(self, name: str, config: dict[str, str], state: str = "RUNNING") -> None:
        """Add a connector with one task, or replace it."""
        kind = "sink" if "topics" in config or "topics.regex" in config else "source"
        self.connectors[name] = {
            "config": {"name": name, **config},
            "type": kind,
            "connector": {"state": state, "worker_id": "10.0.0.1:8083"},
            "tasks": [{"id": 0, "state": state, "worker_id": "10.0.0.1:8083"}],
            "topics": [],
            "offsets": [],
        }

    def fail_task(self, name: str, trace: str, task: int = 0) -> None:
        tasks = [each for each in self.connectors[name]["tasks"] if each["id"] != task]
        failed = {"id": task, "state": "FAILED", "worker_id": "10.0.0.1:8083", "trace": trace}
        self.connectors[name]["tasks"] = [*tasks, failed]

    def answer(self, target: str) -> StandInAnswer:
        split = urlsplit(target)
        if found := self.faults.get(split.path):
            return found.pop(0) if len(found) > 1 else found[0]
        parts = [unquote(part) for part in split.path.strip("/").split("/") if part]
        found_json = self._find(parts, parse_qs(split.query))
        if found_json is None:
            message = {"error_code": 404, "message": "HTTP 404 Not Found"}
            return StandInAnswer(404, json.dumps(message).encode())
        return StandInAnswer(200, json.dumps(found_json).encode())

    def _find(self, parts: list[str], query: dict[str, list[str]]) -> Any:
        if not parts:
            return VERSION
        if parts == ["connectors"]:
            expanded = query.get("expand", [])
            if not expanded:
                return list(self.connectors)
            return {name: self._expanded(name, expanded) for name in self.connectors}
        if parts[0] == "connectors" and parts[1] in self.connectors and len(parts) == 3:
            its = self.connectors[parts[1]]
            if parts[2] == "topics":
                return {parts[1]: {"topics": its["topics"]}}
            return {"offsets": its["offsets"]} if parts[2] == "offsets" else None
        if parts[0] == "connector-plugins" and len(parts) == 3 and parts[2] == "config":
            return self.definitions.get(parts[1])
        return None

    def _expanded(self, name: str, expanded: list[str]) -> Json:
        its = self.connectors[name]
        tasks = [{"connector": name, "task": task["id"]} for task in its["tasks"]]
        info = {"name": name, "config": its["config"], "tasks": tasks, "type": its["type"]}
        status = {key: its[key] for key in ("connector", "tasks", "type")}
        found = {"info": info, "status": {"name": name, **status}}
        return {part: found[part] for part in expanded}


@contextmanager
def serve_stand_in() -> Iterator[ConnectStandIn]:
    """Serve a stand-in on a free port of the loopback address."""
    stand_in = ConnectStandIn()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body at once: apart, the second waits for an acknowledgement of the first.
        wbufsize = -1

        def do_GET(self) -> None:
            stand_in.requests.append(self.path)
            stand_in.authorizations.append(self.headers.get("Authorization"))
            time.sleep(stand_in.latency)
            answer = stand_in.answer(self.path)
            self.send_response(answer.status)
            for key, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stand_in.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
