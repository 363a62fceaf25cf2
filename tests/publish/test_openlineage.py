"""`publish openlineage`: its settings, what it checks, and what it sends with a key."""

import httpx2
import pytest
from pydantic import SecretStr, ValidationError

from headwater.errors import TargetUnavailable
from headwater.plugins import CheckStep
from headwater.publish.openlineage import OpenLineageSettings
from headwater.publish.openlineage.send import HttpTarget

ADDRESS = "http://target/api/v1/lineage"


def settings(to: str, **others: str) -> OpenLineageSettings:
    return OpenLineageSettings.model_validate({"to": to, **others})


class TestSettings:
    @pytest.mark.parametrize("url", ["http://a:5000", "http://a:5000/", "https://a/base"])
    def test_the_address(self, url: str) -> None:
        base = url.rstrip("/")
        assert settings(url).address == f"{base}/api/v1/lineage"
        assert settings(url, endpoint="/other/path").address == f"{base}/other/path"

    @pytest.mark.parametrize(
        "url", ["", "a:5000", "ftp://a", "http://", "http://ann:pw@a", "http://a?key=1", "http://["]
    )
    def test_what_is_none(self, url: str) -> None:
        with pytest.raises(ValidationError):
            settings(url)

    def test_they_do_not_change_and_refuse_others(self) -> None:
        with pytest.raises(ValidationError):
            settings("http://a", key="x")
        with pytest.raises(ValidationError):
            settings("http://a").to = "http://b"


class TestCheck:
    @pytest.mark.parametrize("status", [200, 201, 400, 422, 500])
    def test_one_that_takes_events(self, status: int) -> None:
        connect, accept = self.steps(status)
        assert connect.is_ok and accept.is_ok

    @pytest.mark.parametrize("status", [301, 401, 403, 404, 503])
    def test_one_that_does_not(self, status: int) -> None:
        connect, accept = self.steps(status)
        assert connect.is_ok and not accept.is_ok
        assert str(status) in accept.detail and accept.next_step

    def steps(self, status: int) -> list[CheckStep]:
        def answer(request: httpx2.Request) -> httpx2.Response:
            assert request.content == b"[]"
            return httpx2.Response(status)

        with HttpTarget(ADDRESS, transport=httpx2.MockTransport(answer)) as target:
            return target.check()

    def test_nobody_there(self) -> None:
        with HttpTarget("http://127.0.0.1:1/api/v1/lineage") as target:
            (connect,) = target.check()
        assert not connect.is_ok and "no answer" in connect.detail


def test_the_key_is_sent() -> None:
    seen: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.headers["authorization"])
        return httpx2.Response(201)

    transport = httpx2.MockTransport(answer)
    with HttpTarget(ADDRESS, SecretStr("s3cret"), transport=transport) as target:
        assert list(target.send([b"{}"])) == [(0, None)]
    assert seen == ["Bearer s3cret"]


@pytest.mark.parametrize("status", [301, 401, 422])
def test_a_key_that_the_target_repeats_is_masked(status: int) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        header = request.headers["authorization"]
        location = {"location": f"http://other/{header}"} if status == 301 else {}
        return httpx2.Response(status, text=f"bad header {header}", headers=location)

    transport = httpx2.MockTransport(answer)
    with HttpTarget(ADDRESS, SecretStr("s3cret"), transport=transport) as target:
        try:
            ((_, reason),) = target.send([b"{}"])
        except TargetUnavailable as error:
            reason = error.message
        assert reason is not None and "Bearer ***" in reason and "s3cret" not in reason
        assert not any("s3cret" in step.detail for step in target.check())


def test_a_batch_that_repeats_the_key() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        failed = [{"index": 0, "reason": request.headers["authorization"]}]
        return httpx2.Response(200, json={"failed_events": failed})

    transport = httpx2.MockTransport(answer)
    with HttpTarget(ADDRESS, SecretStr("s3cret"), batch=2, transport=transport) as target:
        assert list(target.send([b"{}"])) == [(0, "Bearer ***")]


@pytest.mark.parametrize(
    ("given", "least", "most"),
    [("7", 7, 7), ("Thu, 01 Jan 2099 00:00:00 GMT", 1e6, 1e10), ("soon", None, None)],
)
def test_how_long_it_asks_to_be_left_alone(
    given: str, least: float | None, most: float | None
) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(503, headers={"retry-after": given})

    with (
        HttpTarget(ADDRESS, transport=httpx2.MockTransport(answer)) as target,
        pytest.raises(TargetUnavailable) as caught,
    ):
        list(target.send([b"{}"]))
    found = caught.value.retry_after
    assert found is None if least is None or most is None else found and least <= found <= most


@pytest.mark.parametrize("batch", [1, 100])
def test_a_web_page_takes_nothing(batch: int) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, html="\n<!DOCTYPE html><title>Sign in</title>")

    transport = httpx2.MockTransport(answer)
    with HttpTarget(ADDRESS, batch=batch, transport=transport) as target:
        with pytest.raises(TargetUnavailable, match="with a web page; is the address right"):
            list(target.send([b"{}", b"{}"]))
        (step,) = target.check()
    assert not step.is_ok and "web page" in step.detail
