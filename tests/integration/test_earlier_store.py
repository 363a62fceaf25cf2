"""A store that earlier code wrote: today's code answers the same, also once it is rebuilt.

The earlier code is taken from git and runs with today's dependencies.
"""

import io
import subprocess
import sys
import tarfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from headwater.demo.example import make_events
from testing.commands import run_program
from testing.services.headwater import Headwater

pytestmark = [pytest.mark.integration, pytest.mark.long]

ROOT = Path(__file__).parents[2]
# Before modules were moved into today's folders; its store is of migration 0008.
EARLIER = "cabe845"
LISTS = ("/namespaces", "/jobs", "/tags", "/sources", "/edits", "/events/lineage?limit=50")
SEARCHES = ("/search?q=orders", "/search?q=checked")


class EarlierHeadwater(Headwater):
    """The server of the earlier code, whose program was in another place."""

    def command(self) -> Sequence[str]:
        _, *arguments = super().command()
        run = "from headwater.cli.main import run; run()"
        return [sys.executable, "-c", run, *arguments]


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """The sources of the earlier code."""
    command = ["git", "archive", EARLIER, "src"]
    packed = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert packed.returncode == 0, f"needs the history of git: {packed.stderr.decode()}"
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(tmp_path / "earlier", filter="data")
    return tmp_path / "earlier" / "src"


def fill(client: httpx2.Client) -> None:
    events = make_events(time.time_ns() // 1_000)
    body = b"[" + b",".join(events) + b"]"
    typed = {"Content-Type": "application/json"}
    client.post("/lineage", content=body, headers=typed).raise_for_status()
    job = client.get("/jobs").json()["jobs"][0]
    path = f"/namespaces/{quote(job['namespace'], safe='')}/jobs/{quote(job['name'], safe='')}"
    client.post(f"{path}/tags/CHECKED").raise_for_status()
    entity = {"type": "job", "namespace": job["namespace"], "name": job["name"]}
    documentation = {"documentation": {"description": "checked by hand"}}
    body_of_edit = {"entity": entity, "set": documentation}
    client.post("/edits", json=body_of_edit).raise_for_status()


def read_all(client: httpx2.Client, until: str) -> dict[str, Any]:
    """What there is to read, as of one time where the answer depends on it."""
    found: dict[str, Any] = {}

    def read(path: str) -> Any:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        found[path] = answer.json()
        return found[path]

    for path in (*LISTS, *SEARCHES):
        read(path)
    for namespace in found["/namespaces"]["namespaces"]:
        space = f"/namespaces/{quote(namespace['name'], safe='')}"
        for job in read(f"{space}/jobs?limit=1000")["jobs"]:
            name = quote(job["name"], safe="")
            read(f"{space}/jobs/{name}/runs")
            read(f"{space}/jobs/{name}/versions")
            node = quote(f"job:{job['namespace']}:{job['name']}", safe="")
            read(f"/lineage?nodeId={node}&depth=20&as_of={until}")
        for dataset in read(f"{space}/datasets?limit=1000")["datasets"]:
            read(f"{space}/datasets/{quote(dataset['name'], safe='')}/versions")
            node = quote(f"dataset:{dataset['namespace']}:{dataset['name']}", safe="")
            read(f"/column-lineage?nodeId={node}&depth=20&as_of={until}")
    return found


def answers_of(data: Path, until: str, earlier: Path | None = None) -> dict[str, Any]:
    kind, env = (EarlierHeadwater, {"PYTHONPATH": str(earlier)}) if earlier else (Headwater, {})
    with (
        kind.start(data=data, env=env) as server,
        httpx2.Client(base_url=f"{server.url}/api/v1", trust_env=False, timeout=120) as client,
    ):
        if not client.get("/jobs").json()["jobs"]:
            fill(client)
        return read_all(client, until)


def test_answers_are_the_same_before_and_after_a_rebuild(earlier: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    until = quote(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 5)))
    expected = answers_of(data, until, earlier)
    assert len(expected) > 60

    upgraded = run_program("db", "upgrade", "--data", str(data))
    assert upgraded.status == 0, upgraded.err
    assert differences(expected, answers_of(data, until)) == {}

    rebuilt = run_program("rebuild", "--data", str(data))
    assert rebuilt.status == 0, rebuilt.err
    assert differences(expected, answers_of(data, until)) == {}


def differences(expected: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    paths = expected.keys() | found.keys()
    pairs = {path: (expected.get(path), found.get(path)) for path in sorted(paths)}
    return {path: pair for path, pair in pairs.items() if pair[0] != pair[1]}
