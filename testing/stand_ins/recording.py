"""Stand-ins for systems that are written to: requests with bodies, and how they misbehave."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from testing.stand_ins.listening import listen

Json = dict[str, Any]


class Call(NamedTuple):
    """A request as it came."""

    method: str
    path: str
    query: dict[str, list[str]]
    body: Any
    headers: dict[str, str]


class Reply(NamedTuple):
    status: int
    body: Any = None
    headers: dict[str, str] = {}


class Refusal(Exception):
    """A request that the system does not take, with its own words for that."""

    def __init__(self, status: int, body: Json) -> None:
        super().__init__(str(body))
        self.reply = Reply(status, body)


class WrittenStandIn:
    """A system that keeps what it takes, and notes every request."""

    def __init__(self) -> None:
        self.url = ""
        self.calls: list[Call] = []
        self.faults: list[tuple[Callable[[Call], bool], Reply, int]] = []
        """Answers in the place of the usual: for which calls, and how often."""
        self.loses_answers = 0
        """So many writes are done and hung up on: their sender does not hear of them."""
        self._lock = threading.Lock()

    @property
    def writes(self) -> list[Call]:
        return [call for call in self.calls if call.method != "GET"]

    def fail(
        self, reply: Reply, times: int = 1, when: Callable[[Call], bool] | None = None
    ) -> None:
        """Answer the next writes, or calls that are chosen, with a fault."""
        self.faults.append((when or (lambda call: call.method != "GET"), reply, times))

    def take(self, call: Call) -> Reply | None:
        """The answer to a request; None hangs up."""
        with self._lock:
            self.calls.append(call)
            for number, (applies, reply, times) in enumerate(self.faults):
                if times and applies(call):
                    self.faults[number] = (applies, reply, times - 1)
                    return reply
            try:
                reply = self.answer(call)
            except Refusal as refusal:
                return refusal.reply
            if self.loses_answers and call.method != "GET":
                self.loses_answers -= 1
                return None
            return reply

    def answer(self, call: Call) -> Reply:
        raise NotImplementedError


def require_fields(given: Any, allowed: set[str], required: set[str], where: str) -> Json:
    """An object with no other fields than those that are allowed; raises ValueError."""
    if not isinstance(given, dict):
        raise ValueError(f"{where} is not an object")
    if unknown := given.keys() - allowed:
        raise ValueError(f"unknown field {sorted(unknown)[0]} in {where}")
    if missing := required - given.keys():
        raise ValueError(f"{sorted(missing)[0]} is missing in {where}")
    return given


S = TypeVar("S", bound=WrittenStandIn)


@contextmanager
def serve_written(stand_in: S) -> Iterator[S]:
    """Serve a stand-in on a free port of the loopback address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            split = urlsplit(self.path)
            try:
                body = json.loads(raw) if raw else None
            except ValueError:
                body = raw
            headers = {key.lower(): value for key, value in self.headers.items()}
            query = parse_qs(split.query, keep_blank_values=True)
            reply = stand_in.take(Call(self.command, unquote(split.path), query, body, headers))
            if reply is None:
                self.close_connection = True
                return
            content = b"" if reply.body is None else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for key, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with listen(Handler, partial(setattr, stand_in, "url")):
        yield stand_in
