"""`headwater tag`, `describe`, `own`, `delete`, `restore` and `log` against a server."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from testing.api import no_lake, serve
from testing.commands import Run, check_one_line
from testing.events.minimal import JOBS, TABLES, dataset, run_event, schema

ORDERS = f"{TABLES}|orders"


@pytest.fixture
def server(no_settings: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server with a table that one job writes and another reads."""
    orders = dataset("orders", schema=schema(id="int", email="text"))
    events = [
        run_event("START", outputs=[orders]),
        run_event("START", job="report", run="report-1", inputs=[orders], outputs=[dataset("r")]),
    ]
    with serve(no_lake(f"sqlite:///{tmp_path / 'headwater.db'}")) as url:
        httpx2.post(f"{url}/api/v1/lineage", json=events, trust_env=False).raise_for_status()
        monkeypatch.setenv("HEADWATER_URL", url)
        yield url


def read(server: str, noun: str = "datasets", namespace: str = TABLES, name: str = "orders") -> Any:
    escaped = namespace.replace(":", "%3A").replace("/", "%2F")
    path = f"{server}/api/v1/namespaces/{escaped}/{noun}/{name}"
    return httpx2.get(path, trust_env=False).json()


def said(run: Run, *arguments: str) -> str:
    outcome = run(*arguments)
    assert (outcome.status, outcome.err) == (0, ""), outcome
    return outcome.out


def edits(run: Run, *arguments: str) -> list[Any]:
    found: list[Any] = json.loads(said(run, "log", "-o", "json", *arguments))
    return found


class TestSaying:
    def test_tags_come_and_go(self, server: str, run: Run) -> None:
        assert said(run, "tag", "orders#email", "PII") == f"column {ORDERS}#email is tagged PII\n"
        said(run, "tag", "orders", "SALES")
        said(run, "tag", "load", "NIGHTLY")
        shown = read(server)
        assert shown["tags"] == ["SALES"]
        assert [field["tags"] for field in shown["fields"]] == [[], ["PII"]]
        assert read(server, "jobs", JOBS, "load")["tags"] == ["NIGHTLY"]
        assert "no longer" in said(run, "tag", "orders", "SALES", "--remove")
        assert read(server)["tags"] == []

    def test_descriptions(self, server: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        said(run, "describe", "orders", "Every order")
        said(run, "describe", "orders#id", "One a sale")
        shown = read(server)
        assert shown["description"] == "Every order"
        assert shown["fields"][0]["description"] == "One a sale"
        monkeypatch.setattr(sys, "stdin", io.StringIO("From a file,\nin two lines\n"))
        said(run, "describe", "load", "-")
        described = read(server, "jobs", JOBS, "load")["description"]
        assert described == "From a file,\nin two lines"
        said(run, "describe", "orders", "--remove")
        assert read(server)["description"] is None

    def test_owners(self, server: str, run: Run) -> None:
        said(run, "own", "orders", "ada")
        said(run, "own", "orders", "sales", "--role", "STEWARD")
        owners = read(server)["facets"]["ownership"]["owners"]
        assert owners == [
            {"name": "ada", "type": "OWNER"},
            {"name": "sales", "type": "STEWARD"},
        ]
        said(run, "own", "orders", "ada", "--remove")
        assert read(server)["facets"]["ownership"]["owners"] == owners[1:]

    @pytest.mark.parametrize(
        ("arguments", "parts"),
        [
            (("tag", "nothing", "A"), ("'nothing' not found",)),
            (("tag", "orders#nothing", "A"), ("not found",)),
            (("describe", "orders", " "), ("TEXT: empty",)),
            (("describe", "orders", "x", "--remove"), ("TEXT",)),
            (("own", "orders#id", "ada"), ("a column has the owners",)),
            (("own", "orders", "nobody", "--remove"), ("owner 'nobody' not found",)),
            (("delete", "orders#id", "--yes"), ("a column cannot be deleted",)),
            (("restore", "orders"), ("nothing deleted has the name 'orders'",)),
            (("log", "nothing"), ("'nothing' not found",)),
            (("log", "--undo", "0" * 32), ("edit '", "not found")),
            (("log", "--after", "noon"), ("--after",)),
        ],
    )
    def test_what_cannot_be_is_one_line(
        self, server: str, run: Run, arguments: tuple[str, ...], parts: tuple[str, ...]
    ) -> None:
        check_one_line(run(*arguments), *parts)
        assert edits(run) == []


class TestHiding:
    def test_it_asks_and_tells_what_is_downstream(
        self, server: str, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
        outcome = run("delete", "orders")
        assert outcome.status == 1
        assert "Downstream of it: r, report" in outcome.err
        assert read(server)["name"] == "orders"

    def test_deleted_and_restored(self, server: str, run: Run) -> None:
        assert "is deleted" in said(run, "delete", "orders", "--yes")
        assert read(server)["code"] == 404
        assert edits(run, "orders")[0]["set"] == {"deleted": True}
        assert said(run, "restore", "orders") == f"dataset {ORDERS} is restored\n"
        assert read(server)["name"] == "orders"
        said(run, "delete", "load", "--yes")
        said(run, "restore", f"{JOBS}|load", "--type", "job")
        assert read(server, "jobs", JOBS, "load")["name"] == "load"

    def test_of_several_one_must_be_chosen(self, server: str, run: Run) -> None:
        twin = run_event("START", job="orders", run="twin-1")
        httpx2.post(f"{server}/api/v1/lineage", json=twin, trust_env=False).raise_for_status()
        said(run, "delete", ORDERS, "--yes", "--type", "dataset")
        said(run, "delete", f"{JOBS}|orders", "--yes")
        outcome = run("restore", "orders")
        assert outcome.status == 1
        assert outcome.err.count("orders") >= 2
        said(run, "restore", "orders", "--type", "job")
        said(run, "restore", "orders")


class TestLog:
    def test_it_is_a_table_of_who_did_what(self, server: str, run: Run) -> None:
        assert said(run, "log") == "no edits\n"
        said(run, "tag", "orders#email", "PII")
        said(run, "describe", "load", "x" * 200)
        lines = said(run, "log").splitlines()
        assert lines[0].split() == ["time", "actor", "type", "name", "what", "id"]
        assert "job" in lines[1] and "..." in lines[1]
        assert f"{ORDERS}#email" in lines[2] and "tag/PII = true" in lines[2]
        assert len(said(run, "log", "orders").splitlines()) == 2
        assert len(edits(run, "--limit", "1")) == 1
        assert edits(run, "--actor", "nobody") == []
        assert len(edits(run, "--after", "1h")) == 2

    def test_an_edit_is_undone(self, server: str, run: Run) -> None:
        said(run, "tag", "orders", "PII")
        (edit,) = edits(run)
        assert "undone: dataset" in said(run, "log", "--undo", edit["id"])
        assert read(server)["tags"] == []
        outcome = run("log", "--undo", edit["id"])
        check_one_line(outcome, "was changed since by 'local'")


@pytest.mark.parametrize("command", ["tag", "describe", "own", "delete", "restore", "log"])
def test_help_teaches_with_an_example(run: Run, command: str) -> None:
    assert f"headwater {command} " in said(run, command, "--help").split("Usage")[1][40:]
