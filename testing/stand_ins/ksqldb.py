"""A ksqlDB server as its REST API is documented: strict about what it is asked.

A server cannot be had from package registries. What is answered has the shapes of its entities:
names, states and offsets are those that a test sets.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

from testing.stand_ins.serving import StandIn, StandInAnswer

Json = dict[str, Any]

_MEDIA_TYPES = ("application/vnd.ksql.v1+json", "application/json")
_KEYS = {"ksql", "streamsProperties", "sessionVariables", "commandSequenceNumber"}


class KsqldbStandIn(StandIn):
    """Streams, tables and queries by name; with a user only to those who have the password."""

    def __init__(self, user: str = "", password: str = "", has_extended: bool = True) -> None:
        super().__init__()
        self._authorization = ""
        if user:
            pair = base64.b64encode(f"{user}:{password}".encode()).decode()
            self._authorization = f"Basic {pair}"
        self.has_extended = has_extended
        self.service = "default_"
        self.sources: dict[str, Json] = {}
        self.queries: dict[str, Json] = {}
        self.statements: list[str] = []

    def add_source(
        self, name: str, topic: str, columns: Mapping[str, str], kind: str = "STREAM"
    ) -> None:
        self.sources[name] = {
            "name": name,
            "windowType": None,
            "readQueries": [],
            "writeQueries": [],
            "fields": [_field(*each) for each in columns.items()],
            "type": kind,
            "timestamp": "",
            "statistics": "",
            "errorStats": "",
            "extended": True,
            "keyFormat": "KAFKA",
            "valueFormat": "AVRO",
            "topic": topic,
            "partitions": 1,
            "replication": 1,
            "statement": f"CREATE {kind} {name} (...) WITH (KAFKA_TOPIC='{topic}');",
            "queryOffsetSummaries": [],
            "sourceConstraints": [],
        }

    def add_query(
        self, id: str, statement: str, sources: list[str], sinks: list[str], **more: Any
    ) -> None:
        """A query with the keys of QueryDescription; `more` are others of them."""
        self.queries[id] = {
            "id": id,
            "statementText": statement,
            "windowType": None,
            "fields": [],
            "sources": sources,
            "sinks": sinks,
            "topology": "Topologies: ...",
            "executionPlan": "> [ SINK ] ...",
            "overriddenProperties": {},
            "ksqlHostQueryStatus": {"ksql-1:8088": "RUNNING"},
            "queryType": "PERSISTENT",
            "queryErrors": [],
            "tasksMetadata": [],
            "consumerGroupId": f"_confluent-ksql-{self.service}query_{id}",
            "state": "RUNNING",
            **more,
        }

    def set_offsets(self, id: str, **offsets: tuple[int, int]) -> None:
        """How far a query is in each topic: what it has committed, and the end."""
        self.queries[id]["tasksMetadata"] = [
            {
                "taskId": "0_0",
                "timeCurrentIdlingStarted": None,
                "topicOffsets": [
                    {
                        "topicPartitionEntity": {"topic": topic, "partition": 0},
                        "endOffset": end,
                        "committedOffset": committed,
                    }
                    for topic, (committed, end) in offsets.items()
                ],
            }
        ]

    def set_state(self, id: str, state: str, error: str = "") -> None:
        query = self.queries[id]
        query["state"] = state
        query["ksqlHostQueryStatus"] = {"ksql-1:8088": state}
        if error:
            query["queryErrors"] = [{"timestamp": 1, "errorMessage": error, "type": "USER"}]

    def answer(self, target: str) -> StandInAnswer:
        if self._is_refused(self.authorizations[-1]):
            return _error(401, 40100, "Unauthorized")
        return super().answer(target)

    def find(self, parts: list[str], query: dict[str, list[str]]) -> Any:
        if parts != ["info"]:
            return None
        return {
            "KsqlServerInfo": {
                "version": "7.6.0",
                "kafkaClusterId": "lkc-1",
                "ksqlServiceId": self.service,
                "serverStatus": "RUNNING",
            }
        }

    def answer_post(self, target: str, headers: Mapping[str, str], body: bytes) -> StandInAnswer:
        if found := self.faults.get(target):
            return found.pop(0) if len(found) > 1 else found[0]
        if self._is_refused(headers.get("Authorization")):
            return _error(401, 40100, "Unauthorized")
        if target != "/ksql":
            return _error(404, 40400, "HTTP 404 Not Found")
        if headers.get("Accept") not in _MEDIA_TYPES:
            return _error(406, 40600, "HTTP 406 Not Acceptable")
        if headers.get("Content-Type") not in _MEDIA_TYPES:
            return _error(415, 41500, "HTTP 415 Unsupported Media Type")
        try:
            request = json.loads(body)
        except ValueError:
            return _error(400, 40000, "Malformed JSON")
        if not isinstance(request, dict) or not request.keys() <= _KEYS:
            return _error(400, 40000, "Unrecognized field")
        return self._run(str(request.get("ksql", "")))

    def _run(self, statement: str) -> StandInAnswer:
        self.statements.append(statement)
        if not statement.endswith(";"):
            return _error(400, 40001, "missing ';' at '<EOF>'", statement)
        words = statement.rstrip(";").upper().split()
        entity: Json | None = None
        if words in (["LIST", "STREAMS", "EXTENDED"], ["LIST", "TABLES", "EXTENDED"]):
            kind = words[1].removesuffix("S")
            sources = [each for each in self.sources.values() if each["type"] == kind]
            entity = {"@type": "source_descriptions", "sourceDescriptions": sources}
        elif words == ["SHOW", "QUERIES", "EXTENDED"] and self.has_extended:
            queries = list(self.queries.values())
            entity = {"@type": "query_descriptions", "queryDescriptions": queries}
        elif words == ["SHOW", "QUERIES"]:
            entity = {"@type": "queries", "queries": [_listed(q) for q in self.queries.values()]}
        elif words[:1] == ["EXPLAIN"] and len(words) == 2 and words[1] in self.queries:
            entity = {"@type": "queryDescription", "queryDescription": self.queries[words[1]]}
        if entity is None:
            return _error(400, 40001, f"line 1:1: cannot run '{statement}'", statement)
        entities = [{**entity, "statementText": statement, "warnings": []}]
        return StandInAnswer(200, json.dumps(entities).encode())

    def _is_refused(self, authorization: str | None) -> bool:
        return bool(self._authorization) and authorization != self._authorization


def _field(name: str, kind: str) -> Json:
    schema = {"type": kind, "fields": None, "memberSchema": None}
    if name.endswith(" KEY"):
        return {"name": name.removesuffix(" KEY"), "schema": schema, "type": "KEY"}
    return {"name": name, "schema": schema}


def _listed(query: Json) -> Json:
    """A query as SHOW QUERIES has it: without its sources."""
    return {
        "queryString": query["statementText"],
        "sinks": query["sinks"],
        "sinkKafkaTopics": query["sinks"],
        "id": query["id"],
        "statusCount": {query["state"]: 1},
        "queryType": query["queryType"],
        "state": query["state"],
    }


def _error(status: int, code: int, message: str, statement: str = "") -> StandInAnswer:
    found: Json = {"@type": "generic_error", "error_code": code, "message": message}
    if statement:
        found |= {"@type": "statement_error", "statementText": statement, "entities": []}
    return StandInAnswer(status, json.dumps(found).encode())
