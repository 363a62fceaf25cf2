"""Serving the stand-in on a port of the loopback address, with faults where a test sets them."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from headwater.demo.confluent import control_plane, data_plane, governance
from headwater.demo.confluent.estate import CloudEstate
from headwater.demo.confluent.protocol import CloudAnswer, dispatch

ROUTES = (*control_plane.ROUTES, *data_plane.ROUTES, *governance.ROUTES)


class StandInCloud:
    """An estate behind the APIs of Confluent Cloud, and how it misbehaves."""

    def __init__(self, estate: CloudEstate) -> None:
        self.estate = estate
        self.url = ""
        self.latency = 0.0
        self.faults: dict[str, list[CloudAnswer]] = {}
        """Answers by the start of a path, each given once, the last one for good."""
        self.requests: list[str] = []
        self.refused: list[str] = []
        """Requests that were wrong, not those that a fault answered."""

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> CloudAnswer:
        self.requests.append(f"{method} {target}")
        time.sleep(self.latency)
        path = urlsplit(target).path
        for start, answers in self.faults.items():
            if path.startswith(start):
                return answers.pop(0) if len(answers) > 1 else answers[0]
        found = dispatch(ROUTES, self.estate, self.url, method, target, headers, body)
        if found.status in (400, 405, 415, 422):
            self.refused.append(f"{method} {target}: {found.body.decode()}")
        return found


@contextmanager
def serve_cloud(estate: CloudEstate, port: int = 0) -> Iterator[StandInCloud]:
    """Serve an estate; port 0 takes a free one."""
    cloud = StandInCloud(estate)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body at once: apart, the second waits for an acknowledgement of the first.
        wbufsize = -1

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {key.lower(): value for key, value in self.headers.items()}
            found = cloud.answer(self.command, self.path, headers, self.rfile.read(length))
            self.send_response(found.status)
            for key, value in {"Content-Type": "application/json", **found.headers}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(found.body)))
            self.end_headers()
            self.wfile.write(found.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class CloudServer(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client may hang up."""

    server = CloudServer(("127.0.0.1", port), Handler)
    cloud.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield cloud
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
