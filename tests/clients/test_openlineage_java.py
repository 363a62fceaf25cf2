"""The OpenLineage client for Java, built by Maven, against a running server."""

import os
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest

from testing.services.headwater import Headwater
from tests.clients.reading import read_events, read_run_state

pytestmark = pytest.mark.integration

PROJECT = Path(__file__).with_name("java")


def run_command(*command: str) -> None:
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.fixture(scope="session")
def classpath(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The compiled class and the client's jars, in a directory outside the sources."""
    output = tmp_path_factory.mktemp("java")
    pom = str(PROJECT / "pom.xml")
    run_command("mvn", "--batch-mode", "--file", pom, f"-Doutput={output}", "process-classes")
    return os.pathsep.join([str(output / "classes"), str(output / "dependency" / "*")])


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_run(classpath: str, headwater_server: Headwater, compression: str) -> None:
    server = headwater_server.url
    namespace, run_id = f"java-{uuid.uuid4()}", str(uuid.uuid4())
    arguments = [server, namespace, "sum-orders", run_id, compression]
    run_command("java", "-cp", classpath, "PostEvents", *arguments)

    events = read_events(server, namespace)
    assert [event["eventType"] for event in events] == ["START", "COMPLETE"]
    for event in events:
        assert event["run"]["runId"] == run_id
        assert [dataset["name"] for dataset in event["inputs"]] == ["orders"]
        assert column_types(event["outputs"][0]) == {"customer": "STRING", "amount": "DECIMAL"}
    assert read_run_state(server, run_id) == "COMPLETED"


def column_types(dataset: dict[str, Any]) -> dict[str, str]:
    return {field["name"]: field["type"] for field in dataset["facets"]["schema"]["fields"]}
