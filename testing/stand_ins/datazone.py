"""Amazon DataZone as far as lineage events are posted to it; moto does not have it."""

import json
import re
from typing import Any

from testing.stand_ins.recording import Call, Json, Refusal, Reply, WrittenStandIn, require_fields

MOST_BYTES = 300_000
_PATH = re.compile(r"/v2/domains/(?P<domain>[^/]+)/lineage/events(?:/(?P<id>[^/]+))?")
_FIELDS = {"eventTime", "eventType", "producer", "schemaURL", "run", "job", "inputs", "outputs"}


class DataZoneStandIn(WrittenStandIn):
    """A domain; an event with a client token that was seen is not stored twice."""

    def __init__(self, domain: str, access_key: str) -> None:
        super().__init__()
        self.domain = domain
        self.access_key = access_key
        self.events: dict[str, Json] = {}
        self._tokens: dict[str, str] = {}

    def answer(self, call: Call) -> Reply:
        signed = call.headers.get("authorization", "")
        if not signed.startswith(f"AWS4-HMAC-SHA256 Credential={self.access_key}/"):
            raise _refuse(401, "UnauthorizedException", "the request is not signed by a known key")
        found = _PATH.fullmatch(call.path)
        if found is None or found["domain"] != self.domain:
            raise _refuse(404, "ResourceNotFoundException", f"{call.path} is not there")
        match call.method, found["id"]:
            case "GET", None:
                return Reply(200, {"items": []})
            case "POST", None:
                return self._post(call)
            case ("GET" | "DELETE") as method, id if id in self.events:
                if method == "DELETE":
                    del self.events[id]
                return Reply(200, {"id": id, "domainId": self.domain})
        raise _refuse(404, "ResourceNotFoundException", "no such event")

    def _post(self, call: Call) -> Reply:
        token = call.headers.get("client-token", "")
        if token in self._tokens:
            return Reply(200, {"id": self._tokens[token], "domainId": self.domain})
        event: Any = call.body
        try:
            require_fields(event, _FIELDS, _FIELDS, "RunEvent")
        except ValueError as error:
            raise _refuse(400, "ValidationException", str(error)) from None
        if len(json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()) > MOST_BYTES:
            raise _refuse(400, "ValidationException", "the event is larger than 300000 bytes")
        id = f"event-{len(self._tokens) + 1}"
        self._tokens[token] = id
        self.events[id] = event
        return Reply(200, {"id": id, "domainId": self.domain})


def _refuse(status: int, code: str, message: str) -> Refusal:
    reply = Refusal(status, {"message": message})
    reply.reply = Reply(status, {"message": message}, {"x-amzn-errortype": code})
    return reply
