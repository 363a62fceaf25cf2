"""Connectors collected by REST from a real worker: beside the plugin, and without it."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from testing.commands import run_program
from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.wait import wait_until
from tests.connect.configs import file_sink, file_source
from tests.connect.conftest import GROUP
from tests.connect.graph import Graph

pytestmark = pytest.mark.integration

NO_PLUGIN = "bare"


@pytest.fixture(scope="module")
def bare_worker(kafka: Kafka) -> Iterator[Connect]:
    """A worker whose cluster nobody installs a plugin in."""
    with Connect.start(kafka, NO_PLUGIN, with_extension=False) as service:
        yield service


class OutsideCollector:
    """`headwater collect connect`, as users run it."""

    def __init__(self, connect: Connect, server: Headwater, folder: Path) -> None:
        self._options = ["--url", connect.url, "--group", connect.group]
        self._options += ["--bootstrap", connect.kafka.bootstrap, "--server", server.url]
        self._options += ["--state", str(folder / "state"), "-o", "json"]

    def run(self) -> int:
        """One pass; how many events the server stored."""
        outcome = run_program("collect", "connect", *self._options)
        assert (outcome.status, outcome.err) == (0, ""), outcome
        return int(json.loads(outcome.out)["stored"])


def without_transform(config: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in config.items() if not key.startswith("transforms")}


def test_a_worker_without_the_plugin(
    bare_worker: Connect, headwater_server: Headwater, name: str, tmp_path: Path
) -> None:
    graph = Graph(headwater_server.url, f"kafka-connect://{NO_PLUGIN}")
    collector = OutsideCollector(bare_worker, headwater_server, tmp_path)
    lines, copy = tmp_path / "lines.txt", tmp_path / "copy.txt"
    lines.write_text("one\ntwo\nthree\n")
    source, sink = f"{name}-source", f"{name}-sink"
    bare_worker.create(source, without_transform(file_source(lines, name)))
    bare_worker.create(sink, without_transform(file_sink(copy, name)))
    for each in (source, sink):
        bare_worker.wait_for(each, "RUNNING", ["RUNNING"])
    wait_until(lambda: copy.exists() and copy.read_text().count("\n") == 3)
    collector.run()
    assert graph.state(source) == graph.state(sink) == "RUNNING"
    # From file to file, by way of the topic.
    assert {str(lines), name, source, sink} <= graph.upstream("file", str(copy))

    bare_worker.stop_connector(sink)
    bare_worker.wait_for(sink, "STOPPED", [])
    bare_worker.delete(source)
    bare_worker.wait_for(source, "ABSENT")
    wait_until(lambda: collector.run() >= 0 and graph.state(source) == "ABORTED")
    wait_until(lambda: collector.run() >= 0 and graph.state(sink) == "ABORTED")
    assert collector.run() == 0
    bare_worker.delete(sink)


def test_a_server_follows_it_by_itself(bare_worker: Connect, name: str, tmp_path: Path) -> None:
    """In the graph with the next look after it was created, and ended with that after its end."""
    settings = tmp_path / "headwater.toml"
    own = f'url = "{bare_worker.url}"\ngroup = "{NO_PLUGIN}"\nevery = "1s"\n'
    own += f'bootstrap = "{bare_worker.kafka.bootstrap}"\nstate = "{tmp_path}/state"\n'
    settings.write_text(f"[collect.connect]\n{own}")
    env = {"HEADWATER_CONFIG": str(settings)}
    lines = tmp_path / "lines.txt"
    lines.write_text("one\n")
    with Headwater.start(extra=["--collect"], env=env) as server:
        graph = Graph(server.url, f"kafka-connect://{NO_PLUGIN}")
        bare_worker.create(name, without_transform(file_source(lines, name)))
        graph.wait_for_state(name, "RUNNING")
        assert str(lines) in graph.upstream(f"kafka://{bare_worker.kafka.bootstrap}", name)
        bare_worker.delete(name)
        graph.wait_for_state(name, "ABORTED")
        reasons = [
            event["run"]["facets"]["kafka_connect_rest"]["reason"] for event in graph.events(name)
        ]
        assert (reasons[0], reasons[-1]) == ("started", "deleted")
        health = httpx2.get(f"{server.url}/api/v1/health/jobs?state=deleted", trust_env=False)
        assert [job["name"] for job in health.json()["jobs"]] == [name]
        # Very many requests, and nothing to say about them.
        assert bare_worker.url not in server.log()


def test_beside_the_plugin_it_is_one_job_with_one_run(
    connect: Connect, headwater_server: Headwater, graph: Graph, name: str, tmp_path: Path
) -> None:
    """Also for a connector without the transform, which the extension reports."""
    collector = OutsideCollector(connect, headwater_server, tmp_path)
    lines = tmp_path / "lines.txt"
    lines.write_text("one\n")
    plain = f"{name}-plain"
    connect.create(name, file_source(lines, name))
    connect.create(plain, without_transform(file_sink(tmp_path / "copy.txt", name)))
    for each in (name, plain):
        graph.wait_for_state(each, "RUNNING")
    assert collector.run() >= 2
    for each in (name, plain):
        (run,) = graph.runs(each)
        assert run["state"] == "RUNNING"
        producers = {event["producer"].split("/")[3] for event in graph.events(each)}
        assert producers == {"connect", "collect"}
    assert f"kafka-connect://{GROUP}" == graph.events(name)[0]["job"]["namespace"]
    (written,) = [e for e in graph.events(plain) if "collect/connect" in e["producer"]]
    inside = next(e for e in graph.events(plain) if e["outputs"] and e is not written)
    # The same datasets by the same rules, in Java and in Python.
    for side in ("inputs", "outputs"):
        named = [[(d["namespace"], d["name"]) for d in e[side]] for e in (written, inside)]
        assert named[0] == named[1]
    for each in (name, plain):
        connect.delete(each)
        connect.wait_for(each, "ABSENT")
    wait_until(lambda: collector.run() >= 0 and graph.state(plain) == "ABORTED")
