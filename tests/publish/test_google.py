"""`publish google-lineage`, against a stand-in with Google's documented limits."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from headwater.answers.inventory.entries import DatasetRef
from headwater.errors import BadConfig, TargetUnavailable
from headwater.model.uses import Name
from headwater.publish.google_lineage import GooglePublisher, GoogleSettings
from headwater.publish.google_lineage.names import google_name
from headwater.store.engine import Engine
from testing.events.bridge import KAFKA
from testing.events.minimal import dataset, run_event
from testing.stand_ins.google_lineage import GoogleLineageStandIn
from testing.stand_ins.recording import Call, Reply, serve_written
from tests.publish.conftest import Fill, run

TOKEN = "ya29.very-secret"


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleLineageStandIn]:
    monkeypatch.setenv("GOOGLE_TOKEN", TOKEN)
    with serve_written(GoogleLineageStandIn(TOKEN)) as stand_in:
        yield stand_in


def publisher(google: GoogleLineageStandIn, store: Engine, **more: Any) -> GooglePublisher:
    given = {"project": "acme", "url": google.url, "token": "env:GOOGLE_TOKEN", **more}
    return GooglePublisher(GoogleSettings.model_validate(given), store)


def events_sent(google: GoogleLineageStandIn) -> list[Call]:
    return [call for call in google.writes if call.method == "POST"]


def test_what_is_published_is_marked_as_ours_and_what_is_of_google_is_left_to_it(
    google: GoogleLineageStandIn, shop: Engine, fill: Fill
) -> None:
    """What was collected there does not go back, and what was published does not come back."""
    own = dataset("acme.sales.orders", "bigquery"), dataset("acme.gold.daily", "bigquery")
    event = run_event(job="bq-1", inputs=[own[0]], outputs=[own[1]])
    event["job"]["namespace"] = "google://acme/us"
    fill([msgspec.json.encode(event)])
    assert run(publisher(google, shop)).created == 5
    assert "bq-1" not in {each["job"]["name"] for each in google.events.values()}
    marks = [each["attributes"] for each in google.processes.values()]
    assert marks == [{"managed_by": "headwater"}] * 5
    assert len([call for call in google.calls if call.method == "PATCH"]) == 5


def test_one_event_a_call_with_columns(google: GoogleLineageStandIn, shop: Engine) -> None:
    done = run(publisher(google, shop))
    assert (done.created, done.refused, done.skipped) == (5, 0, 0)
    assert {call.path for call in events_sent(google)} == {
        "/v1/projects/acme/locations/us:processOpenLineageRunEvent"
    }
    (event,) = (each for each in google.events.values() if each["job"]["name"] == "sink-5")
    (output,) = event["outputs"]
    assert (output["namespace"], output["name"]) == ("bigquery", "acme.sales.orders")
    fields = output["facets"]["columnLineage"]["fields"]
    assert fields["amount"]["inputFields"][0]["name"] == "orders.enriched"
    assert run(publisher(google, shop)).sent == 0
    assert len(events_sent(google)) == 5


def test_an_answer_of_something_else(google: GoogleLineageStandIn, shop: Engine) -> None:
    google.fail(Reply(200, {"status": "ok"}))
    done = run(publisher(google, shop))
    assert (done.created, done.refused) == (4, 1)
    assert "is the address right?" in done.problems[0]
    assert run(publisher(google, shop)).created == 1


def test_a_change_replaces_what_was_stated(
    google: GoogleLineageStandIn, shop: Engine, fill: Fill
) -> None:
    run(publisher(google, shop))
    other = run_event(
        "COMPLETE", at="2024-05-02T10:00:00Z", job="enrich",
        run="01890000-0000-7000-8000-000000000077",
        inputs=[dataset("customers", KAFKA)],
        outputs=[dataset("orders.enriched", KAFKA, columnLineage={"fields": {}})],
    )  # fmt: skip
    fill([msgspec.json.encode(other)])
    done = run(publisher(google, shop))
    assert (done.created, done.updated) == (0, 1)
    assert len(google.events) == 5
    (event,) = (each for each in google.events.values() if each["job"]["name"] == "enrich")
    assert [each["name"] for each in event["inputs"]] == ["customers"]


def test_runs_and_processes_are_stable(google: GoogleLineageStandIn, shop: Engine) -> None:
    run(publisher(google, shop))
    runs = {name.rpartition("/lineageEvents/")[0] for name in google.events}
    google.events.clear()
    run(publisher(google, shop, name="other"))
    assert {name.rpartition("/lineageEvents/")[0] for name in google.events} <= runs


def test_large_jobs_are_split(google: GoogleLineageStandIn, store: Engine, fill: Fill) -> None:
    inputs = [dataset(f"topic-{number}", KAFKA) for number in range(230)]
    columns = {
        f"c{number}": {
            "inputFields": [{**inputs[number % 3], "field": "id"}, {**inputs[0], "field": "k"}]
        }
        for number in range(150)
    }
    wide = dataset("a.b.wide", "bigquery", columnLineage={"fields": columns})
    many = dataset("a.b.many", "bigquery")
    events = [
        run_event("COMPLETE", job="wide", inputs=inputs[:3], outputs=[wide]),
        run_event("COMPLETE", job="many", run="01890000-0000-7000-8000-000000000002",
                  inputs=inputs, outputs=[many]),
    ]  # fmt: skip
    fill([msgspec.json.encode(each) for each in events])
    done = run(publisher(google, store))
    assert done.refused == 0
    found = list(google.events.values())
    named = {
        each["name"]
        for event in found
        if event["job"]["name"] == "many"
        for each in event["inputs"]
    }
    assert len(named) == 230
    pairs = {
        (column, source["name"], source["field"])
        for event in found
        if event["job"]["name"] == "wide"
        for column, field in event["outputs"][0]["facets"]["columnLineage"]["fields"].items()
        for source in field["inputFields"]
    }
    assert len(pairs) == 300
    assert run(publisher(google, store)).sent == 0


def test_names_that_are_too_long(google: GoogleLineageStandIn, store: Engine, fill: Fill) -> None:
    event = run_event(
        "COMPLETE", inputs=[dataset("t" * 2_000, "kafka://" + "b" * 1_990), dataset("t", KAFKA)],
        outputs=[dataset("out", KAFKA)],
    )  # fmt: skip
    fill([msgspec.json.encode(event)])
    done = run(publisher(google, store))
    assert (done.created, done.refused, done.skipped) == (1, 0, 1)


def test_an_answer_that_is_lost(google: GoogleLineageStandIn, shop: Engine) -> None:
    run(publisher(google, shop, include=("enrich",)))
    google.loses_answers = 1
    assert run(publisher(google, shop)).refused == 0
    assert len(google.events) == 5


def test_prune_and_verify(google: GoogleLineageStandIn, shop: Engine) -> None:
    run(publisher(google, shop))
    google.events.popitem()
    assert run(publisher(google, shop, verify=True)).created == 1
    with shop.begin() as connection:
        connection.exec_driver_sql("DELETE FROM job_dataset")
    assert run(publisher(google, shop)).removed == 0
    assert run(publisher(google, shop, prune=True)).removed == 5
    assert google.events == {}


def test_it_is_sent_again_before_google_forgets(google: GoogleLineageStandIn, shop: Engine) -> None:
    run(publisher(google, shop))
    with shop.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE published_item SET published_at = published_at - 1400000000000"
        )
    assert run(publisher(google, shop)).updated == 5


class TestToken:
    def test_a_command_prints_it(
        self, google: GoogleLineageStandIn, shop: Engine, tmp_path: Path
    ) -> None:
        """It is run again where the token has ended."""
        script = tmp_path / "token.py"
        count = tmp_path / "count"
        script.write_text(
            f"from pathlib import Path\nfile = Path({str(count)!r})\n"
            "first = not file.exists()\nfile.write_text('x')\n"
            f"print('ended' if first else {TOKEN!r})\n"
        )
        command = f"{sys.executable} {script}"
        done = run(publisher(google, shop, token="", token_command=command))
        assert (done.created, done.refused) == (5, 0)

    def test_a_command_that_fails(self, google: GoogleLineageStandIn, shop: Engine) -> None:
        for command in ("no-such-command", "false", "true"):
            with pytest.raises(BadConfig, match=command):
                run(publisher(google, shop, token="", token_command=command))

    def test_it_is_refused(
        self, google: GoogleLineageStandIn, shop: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GOOGLE_TOKEN", "other")
        with pytest.raises(TargetUnavailable, match="401"):
            run(publisher(google, shop))

    def test_settings(self, google: GoogleLineageStandIn, shop: Engine) -> None:
        for wrong in ({"token": TOKEN}, {"token_command": "x"}, {"project": "a/b"}, {"url": "x"}):
            with pytest.raises(ValidationError):
                publisher(google, shop, **wrong)


@pytest.mark.parametrize("status", [429, 503])
def test_it_is_left_alone_as_long_as_it_asks(
    google: GoogleLineageStandIn, shop: Engine, status: int
) -> None:
    google.fail(Reply(status, {}, {"Retry-After": "7"}), times=2)
    waits: list[float] = []
    one = publisher(google, shop)
    one.sleep = waits.append
    assert sum(step.created for step in one.publish()) == 5
    assert waits == [7.0, 7.0]


def test_names() -> None:
    def renamed(namespace: str, name: str, *others: Name) -> Name | None:
        return google_name(DatasetRef(Name(namespace, name), others))

    assert renamed("confluent://env-1/lkc-1", "orders") == ("kafka://lkc-1", "orders")
    assert renamed("google://acme/sales", "orders") == ("bigquery", "acme.sales.orders")
    assert renamed("s3a://b", "k") == ("s3://b", "k")
    assert renamed("s3://b", "k", Name("bigquery", "a.b.c")) == ("bigquery", "a.b.c")
    assert renamed("x", "n" * 4_001) is None


class _Killed(BaseException):
    """Ends a pass anywhere, as a signal does."""


@pytest.mark.parametrize("after", range(1, 6))
def test_killed_anywhere_and_resumed(
    google: GoogleLineageStandIn, shop: Engine, after: int
) -> None:
    """Before an answer is read or after: each event is there once in the end."""
    taken = google.take

    def die(call: Any) -> Any:
        reply = taken(call)
        if len(events_sent(google)) == after:
            google.loses_answers = 0
            return None
        return reply

    google.take = die  # type: ignore[method-assign]
    one = publisher(google, shop)

    def kill(seconds: float) -> None:
        raise _Killed

    one.sleep = kill
    with pytest.raises(_Killed):
        list(one.publish())
    google.take = taken  # type: ignore[method-assign]
    done = run(publisher(google, shop))
    assert done.refused == 0 and done.created == 6 - after
    assert len(google.events) == 5
    assert run(publisher(google, shop)).sent == 0
