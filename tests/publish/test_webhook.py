"""Reports to a webhook: what Slack reads, and webhooks that do not answer as they should."""

import json
from typing import Any

import httpx2
import pytest

from headwater.errors import TargetUnavailable
from headwater.publish.webhook import finding_keys, post_report, report_text

URL = "https://hooks.example/services/T0/B0/secret"


def finding(name: str = "orders", kind: str = "unknownTopic") -> dict[str, Any]:
    return {
        "id": f"dataset:kafka://b:9092:{name}",
        "kind": kind,
        "name": name,
        "cluster": "kafka://b:9092",
        "reason": "No job is known",
        "since": "2026-01-31T12:00:00Z",
    }


def refused(answer: httpx2.Response | Exception) -> str:
    def handle(request: httpx2.Request) -> httpx2.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(TargetUnavailable) as raised:
        post_report(URL, "text", httpx2.MockTransport(handle))
    assert "secret" not in raised.value.message
    return raised.value.message


def test_slack_reads_one_text() -> None:
    bodies = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        assert request.method == "POST" and request.headers["Content-Type"] == "application/json"
        bodies.append(json.loads(request.content))
        return httpx2.Response(200, text="ok")

    post_report(URL, report_text([finding("<a&b>")], 1), httpx2.MockTransport(handle))
    (body,) = bodies
    assert body.keys() == {"text"}
    assert body["text"].startswith("Headwater: 1 finding in Kafka\n• unknownTopic: &lt;a&amp;b&gt;")


def test_many_findings_are_counted() -> None:
    text = report_text([finding(str(number)) for number in range(100)], 100)
    assert len(text.splitlines()) == 32 and text.endswith("and 70 more: `headwater discover`")


def test_webhooks_that_fail() -> None:
    assert "within 10 s" in refused(httpx2.ReadTimeout("hangs"))
    assert "hooks.example" in refused(httpx2.ConnectError("connection refused"))
    assert "404 no_service" in refused(httpx2.Response(404, text="no_service"))
    assert "302" in refused(httpx2.Response(302, headers={"Location": "https://login.example"}))


@pytest.mark.parametrize("url", ["", "hooks.example/secret", "ftp://hooks.example/secret"])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(TargetUnavailable, match="no URL") as raised:
        post_report(url, "text")
    assert "secret/" not in raised.value.message


def test_a_finding_of_another_kind_is_another() -> None:
    found = [finding(), finding(), finding(kind="noReader")]
    assert len(finding_keys(found)) == 2
