"""The audit of what is locked: against a database that is there, or one line that it was not."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from scripts.audit import audit, read_packages


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a lock of each kind."""
    root = tmp_path / "project"
    (root / "ui").mkdir(parents=True)
    (root / "src/headwater/pipeline/spark").mkdir(parents=True)
    (root / "requirements.lock").write_text("old-thing==1.0 \\\n    --hash=sha256:0\nnew==2\n")
    npm = {"": {"version": "0"}, "node_modules/a/node_modules/@b/c": {"version": "3"}}
    (root / "ui/package-lock.json").write_text(json.dumps({"packages": npm}))
    (root / "src/headwater/pipeline/spark/jars.lock").write_text("0123  org.x_y-4.jar\n")
    return root


@contextmanager
def database(status: int = 200) -> Iterator[tuple[str, list[Any]]]:
    """A database that knows one vulnerability, of `old-thing`."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            queries = json.loads(self.rfile.read(int(self.headers["content-length"])))["queries"]
            asked.extend(queries)
            known = {"vulns": [{"id": "PYSEC-1"}]}
            results = [
                known if query["package"]["name"] == "old-thing" else {} for query in queries
            ]
            body = json.dumps({"results": results}).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_all_that_is_locked_is_looked_up_once_a_day(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with database() as (url, asked):
        for _ in range(2):
            assert audit(url, tmp_path / "kept.json", project) == 1
            assert capsys.readouterr().out.splitlines() == [
                "audit: PyPI old-thing 1.0: PYSEC-1",
                "audit: 4 packages, 1 with known vulnerabilities",
            ]
    assert [(query["package"]["ecosystem"], query["version"]) for query in asked] == [
        ("Maven", "4"),
        ("PyPI", "2"),
        ("PyPI", "1.0"),
        ("npm", "3"),
    ]
    (project / "requirements.lock").write_text("new==2\n")
    with database() as (url, _):
        assert audit(url, tmp_path / "kept.json", project) == 0


def test_a_database_that_does_not_answer_is_one_line(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with database(405) as (url, _):
        assert audit(url, tmp_path / "kept.json", project) == 0
    assert audit("http://127.0.0.1:9/", tmp_path / "kept.json", project) == 0
    for line in capsys.readouterr().out.splitlines():
        assert line.startswith("audit: not done, http://127.0.0.1:")
    assert not (tmp_path / "kept.json").exists()


def test_it_reads_this_projects_locks() -> None:
    found = read_packages()
    assert {"PyPI", "npm", "Maven"} == {ecosystem for ecosystem, _, _ in found}
    assert ("PyPI", "msgspec") in {package[:2] for package in found}
