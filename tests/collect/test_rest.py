"""Requests to REST APIs: TLS with a CA of one's own, a proxy, limits; and the steps of a check."""

import logging
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.collect.connect import ConnectCollector, ConnectSettings
from headwater.collect.rest import RestClient, RestSettings
from headwater.errors import BadConfig, SourceUnavailable
from headwater.plugins import CheckStep
from testing.stand_ins.connect_rest import ConnectStandIn
from testing.stand_ins.serving import StandInAnswer, serve

CONFIG = {"connector.class": "FileStreamSink", "topics": "orders", "file": "/tmp/x"}


def make_certificate(folder: Path, name: str) -> Path:
    """A certificate for the loopback address that signed itself, with its key, in one file."""
    file, key = folder / f"{name}.pem", folder / f"{name}.key"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", f"/CN={name}"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    file.write_text(file.read_text() + key.read_text())
    return file


@pytest.fixture
def worker() -> ConnectStandIn:
    stand_in = ConnectStandIn()
    stand_in.add("copy", CONFIG)
    return stand_in


def settings(url: str, folder: Path, **more: Any) -> ConnectSettings:
    own = {"url": url, "group": "g", "bootstrap": "k:9092", "state": folder / "state"}
    return ConnectSettings.model_validate({**own, **more})


def collect(chosen: ConnectSettings) -> int:
    return len(list(ConnectCollector(chosen, "http://server").collect()))


def check(chosen: ConnectSettings) -> list[CheckStep]:
    return list(ConnectCollector(chosen, "http://server").check())


def names(steps: list[CheckStep]) -> list[str]:
    return [step.name for step in steps]


class TestTls:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> Path:
        return make_certificate(tmp_path, "worker")

    @pytest.fixture
    def secured(self, worker: ConnectStandIn, certificate: Path) -> Iterator[ConnectStandIn]:
        with serve(worker, certificate) as stand_in:
            yield stand_in

    def test_a_ca_of_ones_own(
        self, secured: ConnectStandIn, certificate: Path, tmp_path: Path
    ) -> None:
        chosen = settings(secured.url, tmp_path, ca=certificate)
        assert collect(chosen) == 1
        steps = check(chosen)
        assert names(steps) == ["address", "port", "TLS", "worker", "connectors", "state"]
        assert all(step.is_ok for step in steps)
        assert "TLSv1" in steps[2].detail

    @pytest.mark.parametrize("is_given", [False, True])
    def test_a_certificate_that_is_not_trusted(
        self, secured: ConnectStandIn, tmp_path: Path, is_given: bool
    ) -> None:
        """Neither by the system, nor by another CA."""
        other = {"ca": make_certificate(tmp_path, "other")} if is_given else {}
        chosen = settings(secured.url, tmp_path, **other)
        with pytest.raises(SourceUnavailable, match="(?i)certificate verify failed"):
            collect(chosen)
        *_, failed = check(chosen)
        assert (failed.name, failed.is_ok) == ("TLS", False)
        assert "self-signed" in failed.detail and "--ca" in failed.next_step
        assert secured.requests == []

    def test_plain_text_where_tls_is_spoken_and_the_other_way(
        self, secured: ConnectStandIn, certificate: Path, tmp_path: Path
    ) -> None:
        with pytest.raises(SourceUnavailable, match="no answer"):
            collect(settings(secured.url.replace("https", "http"), tmp_path))
        with serve(ConnectStandIn()) as plain:
            chosen = settings(plain.url.replace("http", "https"), tmp_path, ca=certificate)
            *_, failed = check(chosen)
            assert failed.name == "TLS" and "http://" in failed.next_step

    def test_a_certificate_of_the_client(
        self, worker: ConnectStandIn, certificate: Path, tmp_path: Path
    ) -> None:
        client = make_certificate(tmp_path, "client")
        with serve(worker, certificate, clients=client) as stand_in:
            chosen = settings(stand_in.url, tmp_path, ca=certificate, certificate=client)
            assert collect(chosen) == 1
            with pytest.raises(SourceUnavailable, match="no answer"):
                collect(settings(stand_in.url, tmp_path, ca=certificate))

    @pytest.mark.parametrize("name", ["none.pem", "text.pem"])
    def test_a_file_that_is_no_ca(self, secured: ConnectStandIn, tmp_path: Path, name: str) -> None:
        (tmp_path / "text.pem").write_text("no certificate")
        chosen = settings(secured.url, tmp_path, ca=tmp_path / name)
        with pytest.raises(BadConfig, match="--ca or --certificate"):
            collect(chosen)
        *_, failed = check(chosen)
        assert failed.name == "TLS" and name in failed.detail and "PEM" in failed.next_step


class TestProxy:
    def test_the_environments(
        self, worker: ConnectStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serve(worker) as proxy:
            monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("//", "//me:pass-word@"))
            monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//me:pass-word@"))
            for name in ("NO_PROXY", "no_proxy"):
                monkeypatch.delenv(name, raising=False)
            chosen = settings("http://connect.internal:8083", tmp_path)
            assert collect(chosen) == 1
            assert proxy.requests[0] == "http://connect.internal:8083/"
            steps = check(chosen)
            assert names(steps) == ["proxy", "worker", "connectors", "state"]
            assert "pass-word" not in str(steps)

    def test_none_for_this_machine(
        self, worker: ConnectStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:1")
        with serve(worker) as stand_in:
            assert collect(settings(stand_in.url, tmp_path)) == 1


class TestSteps:
    def test_a_name_that_is_none(self, tmp_path: Path) -> None:
        # Never a name: RFC 6761.
        (failed,) = check(settings("http://connect.invalid:8083", tmp_path))
        assert failed.name == "address" and "connect.invalid" in failed.next_step

    def test_nobody_listens(self, tmp_path: Path) -> None:
        steps = check(settings("http://127.0.0.1:1", tmp_path))
        assert names(steps) == ["address", "port"]
        assert steps[-1].detail == "127.0.0.1:1: Connection refused"
        assert "is it running" in steps[-1].next_step

    @pytest.mark.parametrize(
        ("path", "answer", "step", "advice"),
        [
            ("/", StandInAnswer(401), "worker", "give --user and --password"),
            ("/", StandInAnswer(403), "worker", "let this user read"),
            ("/", StandInAnswer(404), "worker", "is --url complete?"),
            ("/", StandInAnswer(502), "worker", "look at its log"),
            ("/", StandInAnswer(200, b"<html>"), "worker", "that of the REST API"),
            ("/", StandInAnswer(200, b"[]"), "worker", "a Connect worker?"),
            ("/connectors", StandInAnswer(403), "connectors", "let this user read"),
        ],
    )
    def test_what_to_do(
        self,
        worker: ConnectStandIn,
        tmp_path: Path,
        path: str,
        answer: StandInAnswer,
        step: str,
        advice: str,
    ) -> None:
        with serve(worker) as stand_in:
            stand_in.faults[path] = [answer]
            steps = check(settings(stand_in.url, tmp_path))
        assert [each.is_ok for each in steps] == [True] * (len(steps) - 1) + [False]
        assert steps[-1].name == step and advice in steps[-1].next_step


def test_asked_too_often(worker: ConnectStandIn, tmp_path: Path) -> None:
    """It waits as long as it is told, but not for an hour; and not for ever."""
    waits: list[float] = []
    with serve(worker) as stand_in:
        client = RestClient(settings(stand_in.url, tmp_path), 1, sleep=waits.append)
        slow = [StandInAnswer(429, headers={"Retry-After": each}) for each in ("3", "3600", "soon")]
        stand_in.faults["/"] = [*slow, StandInAnswer(200, b"{}")]
        assert client.get("/") == {}
        assert waits[:2] == [3.0, 10.0] and waits[2] < 10
        stand_in.faults["/"] = [StandInAnswer(429)]
        with pytest.raises(SourceUnavailable, match="answered 429"):
            client.get("/")
        client.close()


def test_half_an_answer(worker: ConnectStandIn, tmp_path: Path) -> None:
    with serve(worker) as stand_in:
        stand_in.faults["/connectors"] = [StandInAnswer(200, b'{"copy": {}}', sent=5)]
        with pytest.raises(SourceUnavailable, match="no answer"):
            collect(settings(stand_in.url, tmp_path))


def test_the_password_is_in_no_log(
    worker: ConnectStandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setenv("CONNECT_PASSWORD", "hush-hush-hush")
    with serve(worker) as stand_in:
        own = {"user": "me", "password": "env:CONNECT_PASSWORD"}
        chosen = settings(stand_in.url, tmp_path, **own)
        assert collect(chosen) == 1
        stand_in.faults["/connectors"] = [StandInAnswer(500, b"hush-hush-hush is wrong")]
        with pytest.raises(SourceUnavailable) as found:
            collect(chosen)
    assert "hush" not in caplog.text + str(found.value) + repr(chosen)


def test_settings_are_not_read_for_plain_text(tmp_path: Path) -> None:
    """The system's CAs are many, and nothing is checked with them."""
    chosen = RestSettings(url="http://127.0.0.1:1", ca=tmp_path / "none.pem")
    RestClient(chosen, 1).close()
    with pytest.raises(BadConfig):
        RestClient(chosen.model_copy(update={"url": "https://127.0.0.1:1"}), 1)
