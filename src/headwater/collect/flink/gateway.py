"""What the sessions of a SQL gateway say of tables: by SHOW CREATE, and by no other statement."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx2

from headwater.collect.flink.operators import objects
from headwater.collect.flink.settings import FlinkSettings
from headwater.collect.rest import RestClient
from headwater.errors import SourceUnavailable

_JSON = "application/json"
# A session and its operations stay for a while: each is closed again.
_WAITS = (0.02, 0.05, 0.1, 0.2, 0.5, *[1.0] * 30)
_ERROR_BEGINS = "Caused by: "
_LONGEST_REASON = 300


class ShownDefinition(NamedTuple):
    """A statement that defines something, or why there is none."""

    text: str = ""
    problem: str = ""


class SqlGateway:
    """Requests to a gateway; a session of its own is opened when it is first needed."""

    def __init__(
        self,
        settings: FlinkSettings,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = settings.gateway
        there = settings.model_copy(update={"url": settings.gateway})
        self._client = RestClient(there, 1, transport, sleep)
        self._sleep = sleep
        self._own = ""

    def close(self) -> None:
        try:
            if self._own:
                self._client.delete(f"/v1/sessions/{self._own}")
        except SourceUnavailable:
            # It ends by itself when nobody uses it.
            pass
        finally:
            self._own = ""
            self._client.close()

    def read_version(self) -> str:
        found = self._client.get("/v1/info")
        if not isinstance(found, dict) or not isinstance(found.get("version"), str):
            raise SourceUnavailable(self.url, "it answers, but not as a SQL gateway of Flink does")
        return str(found["version"])

    def find_session(self, session: str) -> str:
        """Why a session cannot be used; empty if it can."""
        status, found = self._client.read(f"/v1/sessions/{quote(session, safe='')}", 400, 404, 500)
        return "" if status == 200 else _reason_in(found)

    def show(self, session: str, what: str, name: str) -> ShownDefinition:
        """The definition of a table, view or catalog; without a session in one of its own."""
        session = quote(session, safe="") or self._open()
        statement = f"SHOW CREATE {what} {name}"
        path = f"/v1/sessions/{session}/statements"
        also = (400, 404, 500)
        status, found = self._client.post(path, {"statement": statement}, _JSON, *also)
        if status != 200:
            return ShownDefinition(problem=_reason_in(found))
        operation = quote(self._text(found, "operationHandle"), safe="")
        try:
            return self._result(f"/v1/sessions/{session}/operations/{operation}")
        finally:
            self._client.delete(f"/v1/sessions/{session}/operations/{operation}/close")

    def _open(self) -> str:
        if not self._own:
            body = {"sessionName": "headwater"}
            _, found = self._client.post("/v1/sessions", body, _JSON)
            self._own = quote(self._text(found, "sessionHandle"), safe="")
        return self._own

    def _result(self, path: str) -> ShownDefinition:
        for wait in _WAITS:
            status, found = self._client.read(f"{path}/result/0?rowFormat=JSON", 400, 404, 500)
            if status != 200:
                return ShownDefinition(problem=_reason_in(found))
            if self._text(found, "resultType") != "NOT_READY":
                return self._only_field(found)
            self._sleep(wait)
        raise SourceUnavailable(self.url, "it does not end a SHOW CREATE")

    def _only_field(self, found: Any) -> ShownDefinition:
        """A definition is one row of one field."""
        results = found.get("results")
        rows = objects(results.get("data")) if isinstance(results, dict) else []
        fields = rows[0].get("fields") if len(rows) == 1 else None
        if not isinstance(fields, list) or len(fields) != 1 or not isinstance(fields[0], str):
            raise SourceUnavailable(self.url, "its results are not as Flink documents them")
        return ShownDefinition(fields[0])

    def _text(self, found: Any, key: str) -> str:
        value = found.get(key) if isinstance(found, dict) else None
        if not isinstance(value, str) or not value:
            raise SourceUnavailable(self.url, f"its answer has no {key}, as Flink documents it")
        return value


def _reason_in(found: Any) -> str:
    """The innermost cause of an error, in one line."""
    errors = found.get("errors") if isinstance(found, dict) else None
    texts = [each for each in errors if isinstance(each, str)] if isinstance(errors, list) else []
    lines = [line.strip() for line in "\n".join(texts).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith(_ERROR_BEGINS)]
    shown = [line for line in lines if not line.startswith(("at ", "<", "..."))]
    line = causes[-1].removeprefix(_ERROR_BEGINS) if causes else shown[-1] if shown else ""
    # The class of an exception is Flink's own affair.
    kind, _, rest = line.partition(": ")
    line = rest if rest and " " not in kind else line
    return line[:_LONGEST_REASON] or "it answered with an error that says nothing"
