"""`/senders`: who sends, when last and how many, and what of it was rejected."""

from typing import Any

import pytest

from headwater.model.values.instant import DAY, MINUTE, SECOND, format_instant, now
from headwater.store.stats.senders import MOST_EVENTS
from testing.api import Api


def sent(producer: str | None, ago: int, job: str = "load", namespace: str = "jobs") -> Any:
    event = {
        "eventType": "COMPLETE",
        "eventTime": format_instant(now() - ago),
        "run": {"runId": f"run {ago}"},
        "job": {"namespace": namespace, "name": job},
    }
    return event if producer is None else {**event, "producer": producer}


def senders(api: Api) -> dict[str, Any]:
    answer = api.read("/senders")
    assert answer["totalCount"] == len(answer["senders"])
    return {sender["producer"]: sender for sender in answer["senders"]}


class TestSenders:
    def test_newest_first_with_their_last_event(self, api: Api) -> None:
        api.store(sent("https://old", 60 * MINUTE), sent("https://new", MINUTE, namespace="a"))
        api.store(sent("https://new", 2 * MINUTE, namespace="b"))
        found = senders(api)
        assert list(found) == ["https://new", "https://old"]
        assert found["https://new"]["events"] == 2
        assert found["https://new"]["namespaces"] == ["a", "b"]
        assert found["https://new"]["lastEventAt"] > found["https://old"]["lastEventAt"]
        assert found["https://old"]["perHour"] == 0.0

    def test_one_that_names_no_producer(self, api: Api) -> None:
        api.store(sent(None, MINUTE))
        assert senders(api)[""]["events"] == 1

    def test_a_large_one_is_counted_and_not_opened(self, api: Api) -> None:
        """However small it is stored."""
        large = sent("https://large", MINUTE)
        large["job"]["facets"] = {"documentation": {"description": "x" * 400_000}}
        api.store(large)
        assert senders(api)[""]["events"] == 1

    def test_what_was_rejected_is_its_sender_s(self, api: Api) -> None:
        api.store(sent("https://good", MINUTE))
        bad = {"eventTime": "never", "producer": "https://bad", "job": {"namespace": "x"}}
        for body in (bad, b"{"):
            assert api.post(body).status_code in (400, 422)
        found = senders(api)
        assert (found["https://bad"]["rejected"], found["https://bad"]["events"]) == (1, 0)
        assert found["https://bad"]["lastReason"]
        assert found["https://bad"]["lastEventAt"] is None
        assert found[""]["rejected"] == 1
        assert found["https://good"]["rejected"] == 0

    @pytest.mark.slow
    def test_one_that_has_stopped_is_found_behind_the_newest(self, api: Api) -> None:
        api.store(sent("https://stopped", 3 * DAY))
        api.store(*(sent("https://busy", number * SECOND) for number in range(MOST_EVENTS)))
        found = senders(api)
        assert found["https://busy"]["events"] == MOST_EVENTS
        assert found["https://busy"]["perHour"] > 1_000
        assert found["https://stopped"]["events"] == 0
        assert api.read("/senders")["read"] == MOST_EVENTS + 1
