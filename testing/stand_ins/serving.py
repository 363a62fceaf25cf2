"""Stand-ins for systems with a REST API: what they share, and serving one on a free port."""

import json
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from testing.stand_ins.listening import listen


class StandInAnswer(NamedTuple):
    """What is answered in place of the usual; `sent` is how much of the body, then it hangs up."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = {}
    sent: int | None = None


class StandIn:
    """A system, and how it misbehaves; it answers 404 to all that it does not know."""

    def __init__(self) -> None:
        self.faults: dict[str, list[StandInAnswer]] = {}
        """Answers by path, each given once, the last one for good."""
        self.latency = 0.0
        self.halts_at: int | None = None
        """After how many requests all others wait, until `go_on`."""
        self._going_on = threading.Event()
        self.requests: list[str] = []
        self.authorizations: list[str | None] = []
        self.url = ""

    def go_on(self) -> None:
        """Answer what was halted, and all that comes."""
        self.halts_at = None
        self._going_on.set()

    def wait_for_turn(self) -> None:
        """Take as long as this system does."""
        time.sleep(self.latency)
        if self.halts_at is not None and len(self.requests) > self.halts_at:
            self._going_on.wait()

    def answer(self, target: str) -> StandInAnswer:
        split = urlsplit(target)
        if found := self.faults.get(split.path):
            return found.pop(0) if len(found) > 1 else found[0]
        parts = [unquote(part) for part in split.path.strip("/").split("/") if part]
        found_json = self.find(parts, parse_qs(split.query))
        if found_json is None:
            message = {"error_code": 404, "message": "HTTP 404 Not Found"}
            return StandInAnswer(404, json.dumps(message).encode())
        return StandInAnswer(200, json.dumps(found_json).encode())

    def answer_post(self, target: str, headers: Mapping[str, str], body: bytes) -> StandInAnswer:
        """What a POST is answered; most systems here take none."""
        return StandInAnswer(405, b'{"message": "HTTP 405 Method Not Allowed"}')

    def answer_delete(self, target: str, headers: Mapping[str, str]) -> StandInAnswer:
        """What a DELETE is answered; most systems here take none."""
        return StandInAnswer(405, b'{"message": "HTTP 405 Method Not Allowed"}')

    def find(self, parts: list[str], query: dict[str, list[str]]) -> Any:
        """What is at a path, as JSON; None for nothing."""
        raise NotImplementedError


S = TypeVar("S", bound=StandIn)


@contextmanager
def serve(stand_in: S, certificate: Path | None = None, clients: Path | None = None) -> Iterator[S]:
    """Serve a stand-in on a free port of the loopback address; with a certificate by TLS.

    `clients` is the CA of those that it lets in, if not everyone.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body at once: apart, the second waits for an acknowledgement of the first.
        wbufsize = -1

        def do_GET(self) -> None:
            stand_in.requests.append(self.path)
            stand_in.authorizations.append(self.headers.get("Authorization"))
            stand_in.wait_for_turn()
            self._send(stand_in.answer(self.path))

        def do_POST(self) -> None:
            stand_in.requests.append(self.path)
            stand_in.authorizations.append(self.headers.get("Authorization"))
            stand_in.wait_for_turn()
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self._send(stand_in.answer_post(self.path, dict(self.headers.items()), body))

        def do_DELETE(self) -> None:
            stand_in.requests.append(self.path)
            stand_in.authorizations.append(self.headers.get("Authorization"))
            stand_in.wait_for_turn()
            self._send(stand_in.answer_delete(self.path, dict(self.headers.items())))

        def _send(self, answer: StandInAnswer) -> None:
            self.send_response(answer.status)
            for key, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: answer.sent])
            self.close_connection = answer.sent is not None

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with listen(Handler, partial(setattr, stand_in, "url"), _context(certificate, clients)):
        try:
            yield stand_in
        finally:
            stand_in.go_on()


def _context(certificate: Path | None, clients: Path | None) -> ssl.SSLContext | None:
    if certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if clients is not None:
        context.load_verify_locations(clients)
        context.verify_mode = ssl.CERT_REQUIRED
    return context
