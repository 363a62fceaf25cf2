"""Reads back from a server what a client has sent to it."""

from typing import Any

import httpx2


def read_json(url: str, **parameters: Any) -> dict[str, Any]:
    answer = httpx2.get(url, params=parameters, trust_env=False)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert isinstance(body, dict)
    return body


def read_events(server: str, namespace: str) -> list[dict[str, Any]]:
    """The events of a namespace's job or dataset, in the order of their event times."""
    events: list[dict[str, Any]] = []
    total = 1
    while len(events) < total:
        address = f"{server}/api/v1/events/lineage"
        page = read_json(address, limit=100, offset=len(events), sortDirection="asc")
        assert page["events"], f"{len(events)} of {total} events"
        events += page["events"]
        total = page["totalCount"]
    return [event for event in events if _subject(event)["namespace"] == namespace]


def read_run_state(server: str, run_id: str) -> str:
    return str(read_json(f"{server}/api/v1/jobs/runs/{run_id}")["state"])


def _subject(event: dict[str, Any]) -> dict[str, Any]:
    subject = event.get("job") or event["dataset"]
    assert isinstance(subject, dict)
    return subject
