"""Bad input and faults: each is reported where it is, and the rest goes on."""

import json
import logging
from typing import Any

import httpx2
import pytest

from headwater.collect.confluent import ConfluentSettings, extract
from headwater.collect.confluent.account import CloudAccount
from headwater.collect.confluent.fetch import read_account
from headwater.collect.confluent.http import CloudHttp, Deadline, Endpoint, NotNow
from headwater.errors import BadConfig, SourceUnavailable
from testing.stand_ins.confluent import CloudAnswer, OpenCloud
from tests.collect.confluent.extraction import Extraction, gather, run

SHOP = "confluent://env-abc/lkc-123"
ERROR = b'{"errors": [{"status": "403", "detail": "not yours"}]}'
HTML = CloudAnswer(200, b"<html>Log in</html>", {"Content-Type": "text/html"})


class Clock:
    """Time that passes by waiting alone."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def read(opened: OpenCloud, **more: Any) -> Extraction:
    """An extraction that waits for nothing."""
    settings = opened.settings(**more)
    clock = Clock()
    account = CloudAccount(settings, clock.sleep, clock)
    try:
        environments = read_account(account)
    finally:
        account.close()
    errors = [str(problem) for each in environments for problem in each.problems]
    return Extraction({}, {}, errors)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (CloudAnswer(401, ERROR), "answered 401"),
        (CloudAnswer(403, ERROR), "answered 403: not yours"),
        (CloudAnswer(404, ERROR), "answered 404"),
        (CloudAnswer(500, b"oops"), "answered 500: oops"),
        (HTML, "answered something that is not JSON"),
        (CloudAnswer(200, b"[1]"), "no object"),
        (CloudAnswer(200, b'{"a": 1}'), ""),
    ],
)
def test_one_part_fails_and_the_rest_goes_on(
    opened: OpenCloud, answer: CloudAnswer, reason: str
) -> None:
    path = "/connect/v1/environments/env-abc"
    opened.fail(path, answer)
    found = read(opened)
    if not reason:
        assert found.errors == []
        return
    (error,) = found.errors
    assert error.startswith("connectors of env-abc/lkc-123: ")
    assert reason in error
    assert ";" in error


def test_half_of_the_parts_fail(opened: OpenCloud) -> None:
    for start in ("/rest/lkc-123", "/registry/", "/flink/", "/tableflow/"):
        opened.fail(start, CloudAnswer(403, ERROR))
    found = run(opened.settings())
    assert "postgres-cdc-source" in found.jobs
    assert "lksqlc-1/CSAS_ENRICHED_ORDERS_7" in found.jobs
    parts = {error.partition(" of ")[0] for error in found.errors}
    assert {"topics", "schemas", "Stream Catalog", "Tableflow", "consumer groups"} <= parts
    # Even so, a topic has its Kafka name.
    output = found.jobs["postgres-cdc-source"]["outputs"][0]
    assert output["facets"]["symlinks"]["identifiers"][0]["name"] == "orders"
    assert {gap["name"] for gap in found.gaps("extraction")}


def test_a_storm_of_429_is_waited_for(opened: OpenCloud) -> None:
    storm = [CloudAnswer(429, b"<html>", {"Retry-After": "3"})] * 8
    opened.fail("/connect/v1/environments/env-abc", *storm, CloudAnswer(200, b"{}"))
    clock = Clock()
    account = CloudAccount(opened.settings(), clock.sleep, clock)
    environments = read_account(account)
    account.close()
    assert [str(p) for each in environments for p in each.problems] == []
    assert clock.waits.count(3.0) == 8


def test_a_page_token_that_repeats_is_an_error(opened: OpenCloud) -> None:
    following = f"{opened.cloud.url}/cmk/v2/clusters?environment=env-abc&page_token=again"
    body = json.dumps({"data": [], "metadata": {"next": following}}).encode()
    opened.fail("/cmk/v2/clusters", CloudAnswer(200, body))
    errors = read(opened).errors
    assert any("does not end: a page repeats" in each for each in errors)


def test_a_next_page_elsewhere_gets_no_key(opened: OpenCloud) -> None:
    following = "http://127.0.0.1:1/cmk/v2/clusters?page_token=x"
    body = json.dumps({"data": [], "metadata": {"next": following}}).encode()
    opened.fail("/cmk/v2/clusters", CloudAnswer(200, body))
    errors = read(opened).errors
    assert any("the next page of /cmk/v2/clusters is at another address" in each for each in errors)


def test_a_group_that_is_deleted_between_list_and_get(opened: OpenCloud) -> None:
    gone = CloudAnswer(404, b'{"error_code": 404, "message": "gone"}')
    opened.fail("/rest/lkc-123/kafka/v3/clusters/lkc-123/consumer-groups/billing", gone)
    found = run(opened.settings())
    assert found.errors == []
    assert found.edges("billing") == ([], [])
    assert "no committed offsets" in found.gaps("billing")[0]["description"]


def test_a_part_that_takes_too_long(opened: OpenCloud) -> None:
    opened.fail("/ksqldb/", CloudAnswer(429, b"", {"Retry-After": "60"}))
    found = read(opened)
    assert any("took longer than 120 seconds" in each for each in found.errors)


def test_an_api_that_hangs_is_given_up_and_may_answer_later(opened: OpenCloud) -> None:
    settings = opened.settings()
    clock = Clock()

    def hang(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ReadTimeout("the read operation timed out")

    http = CloudHttp(settings, httpx2.MockTransport(hang), clock.sleep)
    endpoint = Endpoint(http, settings.url, settings.cloud_key, Deadline(120, clock))
    with pytest.raises(NotNow, match="no answer: the read operation timed out") as raised:
        endpoint.get("/org/v2/environments")
    assert "--timeout" in raised.value.next_step
    assert clock.waits == [0.5, 1.0, 2.0, 4.0, 8.0]
    http.close()


def test_resources_without_keys_are_named(opened: OpenCloud) -> None:
    keys = tuple(each for each in opened.values["keys"] if not each.startswith("lkc-123"))
    found = run(opened.settings(keys=keys))
    assert any("--keys lkc-123=KEY:env:VARIABLE" in each for each in found.errors)
    assert "delta-sink" in found.jobs


def test_the_key_of_another_resource_does_not_open_it(opened: OpenCloud) -> None:
    keys = opened.settings().keys_by_resource
    other = keys["lkc-mjnq51"]
    swapped = (*opened.values["keys"], f"lkc-123={other.key}:{other.secret}")
    found = run(opened.settings(keys=swapped))
    assert any("is it" in each or "key of this resource" in each for each in found.errors)


def test_an_account_that_cannot_be_read_at_all(opened: OpenCloud) -> None:
    opened.fail("/org/v2/environments", CloudAnswer(401, ERROR))
    with pytest.raises(SourceUnavailable, match="answered 401"):
        list(extract(opened.settings()))
    opened.cloud.faults.clear()
    with pytest.raises(SourceUnavailable, match="no environment 'env-none'"):
        list(extract(opened.settings(environment_ids=("env-none",))))
    with pytest.raises(BadConfig):
        list(extract(ConfluentSettings(url=opened.cloud.url)))


def test_whoever_reports_may_end_it(opened: OpenCloud) -> None:
    class Cancelled(Exception):
        pass

    def report(line: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        list(extract(opened.settings(), report))


@pytest.mark.parametrize(
    "broken",
    [
        b'{"data": [null, 7, {"id": 5}], "metadata": null}',
        b'{"data": [{"spec": "text", "status": []}]}',
        b'{"data": [{"topic_name": {"a": 1}}], "metadata": {"next": null}}',
        b'{"data": {"a": 1}}',
        b"null",
    ],
)
def test_answers_of_other_shapes_end_nothing(opened: OpenCloud, broken: bytes) -> None:
    for start in ("/fcpm/", "/tableflow/", "/srcm/", "/rest/", "/ksqldb/", "/v2/metrics"):
        opened.fail(start, CloudAnswer(200, broken))
    found = gather(extract(opened.settings(enable_metrics=True)))
    assert "delta-sink" in found.jobs


def test_no_secret_is_anywhere(opened: OpenCloud, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secrets = ["cloud-secret", "table-secret", "kafka-secret", "sr-secret", "ksql-secret"]
    # Even where a server repeats them.
    opened.fail("/connect/", CloudAnswer(400, b'{"message": "cloud-secret is wrong"}'))
    opened.fail("/rest/lkc-123", CloudAnswer(400, b"kafka-secret"))
    lines: list[str] = []
    settings = opened.settings()
    collected = list(extract(settings, lines.append))
    everything = " ".join(
        [*lines, caplog.text, repr(settings), *(f"{e.error} {e.data.decode()}" for e in collected)]
    )
    for secret in secrets:
        assert secret not in everything
