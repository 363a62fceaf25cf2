"""A worker's REST API with connectors that a test sets: for very many of them, and for faults.

It knows the paths that Kafka Connect documents and answers everything else with 404.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from testing.stand_ins.serving import StandIn, StandInAnswer, serve

__all__ = ["ConnectStandIn", "StandInAnswer", "serve_stand_in"]

Json = dict[str, Any]

VERSION = {"version": "4.3.1", "commit": "c0ffee", "kafka_cluster_id": "stand-in-cluster"}


class ConnectStandIn(StandIn):
    """The connectors of a cluster, and how it misbehaves."""

    def __init__(self) -> None:
        super().__init__()
        self.connectors: dict[str, Json] = {}
        self.definitions: dict[str, list[Json]] = {}
        self.plugins: list[Json] = []

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

    def find(self, parts: list[str], query: dict[str, list[str]]) -> Any:
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
        if parts == ["connector-plugins"]:
            return self.plugins
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
    """Serve one on a free port of the loopback address."""
    with serve(ConnectStandIn()) as stand_in:
        yield stand_in
