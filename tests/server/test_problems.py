"""`/problems`: one list of what needs somebody, by owner and system, and what somebody knows of."""

from typing import Any
from uuid import uuid4

import pytest

from headwater.answers.problems.listing import PROBLEMS
from headwater.model.values.instant import DAY, MINUTE, format_instant, now
from headwater.store.read.acknowledgements import Acknowledgement
from testing.api import Api, error_of
from testing.events.minimal import JOBS, TABLES, dataset, run_event
from tests.server.test_edits import edit, undo
from tests.server.test_health import HOUR, STREAM, ended, hourly, said

ERROR = {"errorMessage": {"message": "disk full", "programmingLanguage": "PYTHON"}}


def owned(name: str) -> dict[str, Any]:
    return {"ownership": {"owners": [{"name": name, "type": "OWNER"}]}}


def problems(api: Api, **parameters: Any) -> dict[str, str]:
    """What is wrong, by name."""
    answer = api.read("/problems", **parameters)
    assert answer["totalCount"] == len(answer["problems"])
    return {each["name"]: each["problem"] for each in answer["problems"]}


def acknowledge(api: Api, job: str, problem: str = "failed", **rest: Any) -> Any:
    entity = {"type": "job", "namespace": JOBS, "name": job}
    value = {"problem": problem, "reason": "Known.", **rest}
    return edit(api, entity, set={"acknowledged": value})


class TestList:
    def test_nothing_is_wrong(self, api: Api) -> None:
        ended(api, "load", 5 * MINUTE)
        answer = api.read("/problems")
        assert (answer["problems"], answer["totalCount"]) == ([], 0)
        assert answer["counts"] == dict.fromkeys(PROBLEMS, 0)

    def test_all_kinds_worst_first(self, api: Api) -> None:
        failed = ended(api, "broken", 5 * MINUTE, "FAIL", run_facets=ERROR)
        api.store(said("START", 2 * HOUR, str(uuid4()), "quiet", job_facets=STREAM))
        hourly(api, "sums", 5 * HOUR, 100, 100, 100, 100, 100)
        was = ended(api, "again", 3 * HOUR, "FAIL", run_facets=ERROR)
        ended(api, "again", 2 * HOUR)
        api.post({"eventTime": 7})
        answer = api.read("/problems")
        found = [(each["name"], each["problem"]) for each in answer["problems"]]
        assert found[:2] == [("broken", "failed"), ("quiet", "silent")]
        assert [kind for _, kind in found[2:]] == ["late", "stale", "rejected", "recovered"]
        by_kind = {each["problem"]: each for each in answer["problems"]}
        assert by_kind["failed"]["run"] == failed
        assert by_kind["failed"]["reason"].endswith("ago: disk full")
        assert by_kind["recovered"]["run"] == was
        assert "A run failed 3 hours ago: disk full. " in by_kind["recovered"]["reason"]
        assert by_kind["rejected"]["id"] is None
        assert "1 event was rejected" in by_kind["rejected"]["reason"]
        assert by_kind["stale"]["id"] == f"dataset:{TABLES}:totals"

    def test_a_failure_of_days_ago_has_been_forgotten(self, api: Api) -> None:
        ended(api, "load", 2 * DAY, "FAIL")
        ended(api, "load", HOUR)
        assert problems(api) == {}

    def test_by_owner_system_namespace_and_kind(self, api: Api) -> None:
        for name, owner in (("one", "ann"), ("two", "bob")):
            ended(api, name, MINUTE, "FAIL", job_facets=owned(owner) | STREAM)
        quiet = run_event("RUNNING", format_instant(now() - HOUR), job="quiet", job_facets=STREAM)
        api.store(quiet)
        assert problems(api) == {"one": "failed", "two": "failed", "quiet": "silent"}
        assert problems(api, owner="ann") == {"one": "failed"}
        assert problems(api, owner="nobody") == {}
        assert problems(api, problem="silent") == {"quiet": "silent"}
        assert set(problems(api, system="flink")) == {"one", "two", "quiet"}
        assert problems(api, system="spark") == {}
        assert problems(api, namespace=TABLES) == {}
        answer = api.read("/problems", owner="ann")
        assert answer["owners"] == ["ann", "bob"]
        assert (answer["systems"], answer["namespaces"]) == (["flink"], [JOBS])

    def test_owners_are_those_that_a_person_gave(self, api: Api) -> None:
        ended(api, "load", MINUTE, "FAIL", job_facets=owned("ann"))
        entity = {"type": "job", "namespace": JOBS, "name": "load"}
        edit(api, entity, set={"ownership": {"owners": [{"name": "eve"}]}})
        assert problems(api, owner="eve") == {"load": "failed"}
        assert problems(api, owner="ann") == {}

    def test_pages_lose_nothing(self, api: Api) -> None:
        names = [f"load-{number}" for number in range(5)]
        for name in names:
            ended(api, name, MINUTE, "FAIL")
        pages = [api.read("/problems", limit=2, offset=offset) for offset in (0, 2, 4)]
        assert [each["name"] for page in pages for each in page["problems"]] == names
        assert {page["totalCount"] for page in pages} == {5}

    @pytest.mark.parametrize("wrong", [{"problem": "none"}, {"acknowledged": "maybe"}])
    def test_what_is_no_choice_is_refused(self, api: Api, wrong: dict[str, str]) -> None:
        error_of(api.get("/problems", **wrong), 400, next(iter(wrong)))


class TestAcknowledged:
    def test_it_needs_no_attention_until_it_happens_again(self, api: Api) -> None:
        ended(api, "load", 5 * MINUTE, "FAIL")
        kept = acknowledge(api, "load")
        assert problems(api) == {}
        assert api.read("/problems")["acknowledgedCount"] == 1
        (known,) = api.read("/problems", acknowledged="true")["problems"]
        assert known["acknowledged"] == {
            "actor": "local",
            "at": kept["at"],
            "reason": "Known.",
            "until": None,
            "edit": kept["id"],
        }
        assert problems(api, acknowledged="all") == {"load": "failed"}
        # It is no facet, nor anything else that a page shows of a job.
        assert "acknowledged" not in api.job(JOBS, "load")["facets"]
        later = format_instant(now() + MINUTE)
        api.store(run_event("FAIL", later, "01890000-0000-7000-8000-000000000009"))
        assert problems(api) == {"load": "failed"}

    def test_a_snooze_holds_for_its_time(self, api: Api) -> None:
        ended(api, "load", 5 * MINUTE, "FAIL")
        acknowledge(api, "load", until=format_instant(now() + HOUR))
        ended(api, "load", MINUTE, "FAIL")
        assert problems(api) == {}
        acknowledge(api, "load", until=format_instant(now() - 1))
        assert problems(api) == {"load": "failed"}

    def test_another_problem_is_not_covered(self, api: Api) -> None:
        ended(api, "load", 5 * MINUTE, "FAIL")
        acknowledge(api, "load", "late", until=format_instant(now() + HOUR))
        assert problems(api) == {"load": "failed"}

    def test_undoing_shows_it_again(self, api: Api) -> None:
        ended(api, "load", 5 * MINUTE, "FAIL")
        undo(api, acknowledge(api, "load")["id"])
        assert problems(api) == {"load": "failed"}
        assert api.read("/problems")["acknowledgedCount"] == 0

    def test_of_datasets(self, api: Api) -> None:
        hourly(api, "sums", 5 * HOUR, 100, 100, 100, 100, 100)
        entity = {"type": "dataset", "namespace": TABLES, "name": "totals"}
        value = {"problem": "stale", "reason": "Moved to the new cluster."}
        edit(api, entity, set={"acknowledged": value})
        assert problems(api) == {"sums": "late"}
        assert "acknowledged" not in api.dataset(TABLES, "totals")["facets"]

    @pytest.mark.parametrize(
        ("value", "path"),
        [
            ({"problem": "failed", "reason": " "}, "$.set.acknowledged.reason"),
            ({"problem": "failed", "reason": "x" * 2_001}, "$.set.acknowledged.reason"),
            ({"problem": "ugly", "reason": "x"}, "$.set.acknowledged.problem"),
            ({"problem": "failed", "reason": "x", "until": "soon"}, "$.set.acknowledged.until"),
            ({"problem": "failed", "reason": "x", "more": 1}, "$.set.acknowledged.more"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, api: Api, value: Any, path: str) -> None:
        api.store(run_event(outputs=[dataset("orders")]))
        entity = {"type": "dataset", "namespace": TABLES, "name": "orders"}
        body = {"entity": entity, "set": {"acknowledged": value}}
        answer = api.client.post("/api/v1/edits", json=body)
        assert answer.status_code in (400, 422)
        assert answer.json()["path"].startswith(path.rpartition(".")[0])


def test_what_an_acknowledgement_covers() -> None:
    once = Acknowledgement("failed", "", None, 100, "ann", b"")
    assert once.covers("failed", 100, 200)
    assert once.covers("failed", None, 200)
    assert not once.covers("failed", 101, 200)
    assert not once.covers("late", 100, 200)
    snoozed = once._replace(until=150)
    assert snoozed.covers("failed", 120, 149)
    assert not snoozed.covers("failed", 100, 150)
