"""The examples of LineageBridge's documents run as they are written, with the results they promise.

Only the address, where a free port stands in the place of 8000, and the id of a graph are replaced.
`httpx` is the release of it that Headwater uses, which has another name.
"""

import json
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from testing.api import Api
from testing.events.confluent import UC_TABLE, WORKSPACE
from tests.server.bridge.conftest import extracted

Run = Callable[[Api, str], str]
_BLOCK = re.compile(r"^## ([^\n]+)\n\n```(python|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PAGE = Path(__file__).with_name("documented.md").read_text()
EXAMPLES = {title: (language, code) for title, language, code in _BLOCK.findall(_PAGE)}
_ADDRESS, _GRAPH = "http://localhost:8000", "9a52160e-cac8-43eb-aad8-155bda535639"
# Waits for what the example gives half a minute.
_SLEEP = """sleep() {
until curl -sf '%s/api/v1/tasks' | grep -q '"status":"completed"'; do command sleep 0.1; done
}
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run an example in a folder of its own; gives what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "httpx", httpx2)
    pause = time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: pause(min(seconds, 0.02)))

    def run_example(api: Api, title: str) -> str:
        language, code = EXAMPLES[title]
        code = code.replace(_ADDRESS, api.url)
        if graphs := api.read("/graphs"):
            code = code.replace(_GRAPH, graphs[0]["graph_id"])
        capsys.readouterr()
        if language == "bash":
            command = ["bash", "-ec", _SLEEP % api.url + code]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout
        with warnings.catch_warnings():
            # `datetime.utcnow` is what newer Pythons warn of.
            warnings.simplefilter("ignore", DeprecationWarning)
            names: dict[str, Any] = {"__name__": "__main__"}
            exec(compile(code, title, "exec"), names)
            # What the end of a program does.
            if isinstance(client := names.get("client"), httpx2.Client):
                client.close()
        return capsys.readouterr().out

    return run_example


def read_json(name: str) -> Any:
    return json.loads(Path(name).read_text())


@pytest.fixture
def estate(cloud_bridge: Api) -> Api:
    """A server after an extraction of the whole account."""
    extracted(cloud_bridge)
    return cloud_bridge


@pytest.mark.parametrize("client", ["curl", "httpx", "requests"])
def test_use_case_1(cloud_bridge: Api, run: Run, client: str) -> None:
    printed = run(cloud_bridge, f"Export to Unity Catalog, {client}")
    events = read_json("confluent-lineage.json")
    assert len(events) == cloud_bridge.event_count() > 10
    if client == "curl":
        assert printed.startswith('{"task_id":"')
    else:
        assert printed == f"Exported {len(events)} events\n"


@pytest.mark.parametrize("client", ["curl", "httpx", "requests"])
def test_use_case_2(cloud_bridge: Api, run: Run, client: str) -> None:
    answer = run(cloud_bridge, f"Import external lineage, {client}")
    assert re.search("""["']events_stored["']: ?1""", answer)
    where = {"namespace": "databricks://workspace-1", "name": "main.sales.orders"}
    (event,) = cloud_bridge.read("/lineage/datasets/lineage", **where)["events"]
    assert event["job"]["name"] == "etl-pipeline"
    assert event["inputs"] == [{"namespace": "confluent://env-abc/lkc-123", "name": "orders"}]


def test_use_case_2_completes_what_was_extracted(estate: Api, run: Run) -> None:
    """The topic that the event names is one of the account: PostgreSQL is upstream of the table."""
    run(estate, "Import external lineage, httpx")
    where = {"namespace": "databricks://workspace-1", "name": "main.sales.orders"}
    found = estate.read("/lineage/datasets/lineage", **where)
    assert [event["job"]["name"] for event in found["events"]][0] == "etl-pipeline"
    assert "postgres://db.example.com:5432" in str(found["events"][1]["inputs"])


@pytest.mark.parametrize("client", ["httpx", "requests"])
def test_use_case_3(estate: Api, run: Run, client: str) -> None:
    run(estate, "Import external lineage, httpx")
    external = {
        "eventTime": "2026-05-01T00:00:00Z",
        "job": {"namespace": "scheduler", "name": "report"},
        "outputs": [{"namespace": "aws://us-east-1/lineage_bridge", "name": "report"}],
    }
    estate.store(external)
    lines = run(estate, f"Unified view, {client}").splitlines()
    view = read_json("unified-lineage.json")
    assert lines[0] == f"Total events: {len(view['events'])}"
    assert lines[1] == f"Confluent + Databricks events: {len(view['events']) - 1}"


@pytest.mark.parametrize("client", ["curl", "httpx", "requests"])
def test_the_export_of_use_case_4(estate: Api, run: Run, client: str) -> None:
    run(estate, f"Export for Google, {client}")
    if client == "curl":
        view = read_json("lineage.json")
        assert view["view"] == "confluent"
        assert all(event["job"]["namespace"].startswith("confluent:") for event in view["events"])


def test_events_are_pushed(cloud_bridge: Api, run: Run) -> None:
    assert '"events_stored":1' in run(cloud_bridge, "Push external events, curl")
    assert cloud_bridge.read("/lineage/events/abc-123")[0]["job"]["name"] == "my-connector"


@pytest.mark.parametrize("client", ["httpx", "requests"])
def test_traversals(estate: Api, run: Run, client: str) -> None:
    upstream = run(estate, f"Upstream of a topic, {client}")
    assert upstream == "Visited 2 datasets\nVisited 1 jobs\n"
    assert run(estate, f"Graph traversal, {client}") == "Nodes: 2\nEdges: 2\n"
    # The account has nothing that reads the table.
    assert run(estate, f"Downstream of a table, {client}") == ""
    reader: dict[str, Any] = {
        "eventTime": "2026-05-01T00:00:00Z",
        "job": {"namespace": WORKSPACE, "name": "daily"},
    }
    reader["inputs"] = [{"namespace": WORKSPACE, "name": UC_TABLE}]
    reader["outputs"] = [{"namespace": WORKSPACE, "name": "main.sales.daily"}]
    estate.store(reader)
    assert run(estate, f"Downstream of a table, {client}") == "daily → main.sales.daily\n"


@pytest.mark.parametrize("client", ["httpx", "requests"])
def test_both_directions(estate: Api, run: Run, client: str) -> None:
    lines = run(estate, f"Both directions, {client}").splitlines()
    assert lines[:2] == ["Lineage for: lineage_bridge.enriched_orders", "Direction: both"]
    assert " lineage_bridge.orders_v2 → [enrich-orders] → lineage_bridge.enriched_orders" in lines
    generator = " DatagenSource → [lb-uc-75083e95-datagen-orders] → lineage_bridge.orders_v2"
    assert generator in lines
    assert int(lines[3].rpartition(" ")[2]) == len(lines) - 6


def test_the_end_to_end_example(cloud_bridge: Api, run: Run) -> None:
    printed = run(cloud_bridge, "End to end, httpx")
    assert "✓ Extraction complete" in printed
    assert "✓ Lineage for: lineage_bridge.orders_v2" in printed
    assert "DatagenSource → [lb-uc-75083e95-datagen-orders] → lineage_bridge.orders_v2" in printed
    assert UC_TABLE in printed
    namespaces = {each["namespace"] for each in cloud_bridge.read("/lineage/jobs")}
    assert namespaces == {"confluent://env-26wn6m/lkc-mjnq51", "confluent://env-26wn6m/lkc-arc777"}


def test_all_examples_are_here() -> None:
    assert len(EXAMPLES) == 21
