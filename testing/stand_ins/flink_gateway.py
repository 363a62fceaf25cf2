"""A SQL gateway of Flink by its REST API (v1), with sessions that a test sets.

It takes what Flink documents and no more: an unknown key of a body, a statement other than SHOW
CREATE, and a result that is asked for in another format are errors. As a gateway does, it answers
500 with the cause in a trace where a statement fails or a session is not there, tells nobody which
sessions or statements there are, and has no result at once.
"""

import json
import re
from collections.abc import Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from testing.stand_ins.serving import StandIn, StandInAnswer

Json = dict[str, Any]

_SHOW = re.compile(r"SHOW CREATE (?P<kind>TABLE|VIEW|CATALOG) (?P<name>`.+`)")
_TRACE = (
    "<Exception on server side:\n"
    "org.apache.flink.table.gateway.service.utils.SqlExecutionException: Failed to execute the "
    "operation 1.\n\tat org.apache.flink.table.gateway.service.operation.OperationManager\n"
    "Caused by: org.apache.flink.table.api.ValidationException: {}\n\tat org.apache.flink.table\n"
    "\nEnd of exception on server side>"
)


class FlinkGatewayStandIn(StandIn):
    """Sessions, each with definitions by kind and quoted name."""

    def __init__(self) -> None:
        super().__init__()
        self.shared: dict[tuple[str, str], str] = {}
        """What every session has: catalogs of a store, and their tables."""
        self.sessions: dict[str, dict[tuple[str, str], str]] = {}
        self.opened = 0
        self.closed: list[str] = []
        self._operations: dict[str, tuple[str, str]] = {}
        self._polled: set[str] = set()

    @property
    def open_operations(self) -> list[str]:
        return [*self._operations]

    def define(self, session: str, kind: str, name: str, text: str) -> None:
        quoted = ".".join(f"`{part}`" for part in name.split("."))
        self.sessions.setdefault(session, {})[kind, quoted] = text

    def find(self, parts: list[str], query: dict[str, list[str]]) -> Any:
        match parts:
            case ["v1", "info"]:
                return {"productName": "Apache Flink", "version": "2.1.0"}
            case ["v1", "sessions", session] if session in self.sessions:
                return {"properties": {}}
        return None

    def answer(self, target: str) -> StandInAnswer:
        path, _, query = target.partition("?")
        match path.strip("/").split("/"):
            case ["v1", "sessions", session] if session not in self.sessions:
                return _failed(f"Session '{session}' does not exist.")
            case ["v1", "sessions", session, "operations", operation, "result", "0"]:
                if query != "rowFormat=JSON" or operation not in self._operations:
                    return _failed(f"no result of {operation} in this format")
                return self._result(operation)
        return super().answer(target)

    def answer_post(self, target: str, headers: Mapping[str, str], body: bytes) -> StandInAnswer:
        if found := self.faults.get(target):
            return found.pop(0) if len(found) > 1 else found[0]
        given = json.loads(body or b"{}")
        match target.strip("/").split("/"):
            case ["v1", "sessions"] if given.keys() <= {"sessionName", "properties"}:
                self.opened += 1
                session = str(uuid5(NAMESPACE_URL, f"session {self.opened}"))
                self.sessions[session] = {}
                return _answer({"sessionHandle": session})
            case ["v1", "sessions", session, "statements"] if given.keys() == {"statement"}:
                if session not in self.sessions:
                    return _failed(f"Session '{session}' does not exist.")
                operation = str(uuid5(NAMESPACE_URL, f"operation {len(self.requests)}"))
                self._operations[operation] = (session, given["statement"])
                return _answer({"operationHandle": operation})
        return StandInAnswer(400, json.dumps({"errors": ["Bad request."]}).encode())

    def answer_delete(self, target: str, headers: Mapping[str, str]) -> StandInAnswer:
        match target.strip("/").split("/"):
            case ["v1", "sessions", session] if session in self.sessions:
                del self.sessions[session]
                self.closed.append(session)
                return _answer({"status": "CLOSED"})
            case ["v1", "sessions", _, "operations", operation, "close"]:
                self._operations.pop(operation)
                return _answer({"status": "CLOSED"})
        return _failed("nothing to close")

    def _result(self, operation: str) -> StandInAnswer:
        if operation not in self._polled:
            self._polled.add(operation)
            return _answer({"resultType": "NOT_READY"})
        session, statement = self._operations[operation]
        asked = _SHOW.fullmatch(statement)
        if asked is None:
            return _failed(f"SQL parse failed: {statement}")
        kind, name = asked["kind"], asked["name"]
        found = (self.shared | self.sessions[session]).get((kind, name))
        if found is None:
            return _failed(self._refusal(session, kind, name))
        rows = [{"kind": "INSERT", "fields": [found]}]
        results = {"columns": [{"name": "result"}], "rowFormat": "JSON", "data": rows}
        return _answer({"resultType": "PAYLOAD", "isQueryResult": False, "results": results})

    def _refusal(self, session: str, kind: str, name: str) -> str:
        if kind == "TABLE" and ("VIEW", name) in self.shared | self.sessions[session]:
            return (
                f"SHOW CREATE TABLE is only supported for tables, but {name} is a view. "
                "Please use SHOW CREATE VIEW instead."
            )
        return f"Could not execute SHOW CREATE {kind}. Identifier {name} does not exist."


def _answer(found: Json) -> StandInAnswer:
    return StandInAnswer(200, json.dumps(found).encode())


def _failed(cause: str) -> StandInAnswer:
    errors = ["Internal server error.", _TRACE.format(cause)]
    return StandInAnswer(500, json.dumps({"errors": errors}).encode())
