"""Retention on a schedule prunes, says so, survives errors, and ends when it is told to."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy import Engine

from headwater.config import RetentionSettings
from headwater.errors import StoreUnavailable
from headwater.server.background import retention
from headwater.server.background.retention import Retention
from headwater.store.write.writer import open_writer
from testing.stores import open_prepared
from testing.wait import PATIENCE_SECONDS, wait_until
from tests.store.test_prune import OLD, ended_run, kept_runs, reads

SOON = timedelta(milliseconds=1)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_prepared(f"sqlite:///{tmp_path / 'store.db'}")
    yield engine
    engine.dispose()


def test_it_prunes_and_says_what_went(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with closing(open_writer(engine)) as writer:
        for number in range(1, 4):
            writer.write(ended_run(number, OLD + number, inputs=reads("orders")))
    with closing(Retention(engine, RetentionSettings(older_than="30d"), SOON)) as schedule:
        schedule.start()
        wait_until(lambda: "pruned what is older than 30d" in caplog.text)
    assert kept_runs(engine) == {1, 3}
    assert "1 run" in caplog.text


def test_without_a_setting_nothing_is_removed(engine: Engine) -> None:
    before = threading.active_count()
    with closing(Retention(engine, RetentionSettings(), SOON)) as schedule:
        schedule.start()
        assert threading.active_count() == before


@pytest.mark.parametrize("error", [StoreUnavailable("locked"), ValueError("a fault")])
def test_an_error_is_logged_and_the_next_time_comes(
    engine: Engine,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    calls = []

    def fail(*arguments: object, **named: object) -> None:
        calls.append(arguments)
        raise error

    monkeypatch.setattr(retention, "prune", fail)
    settings = RetentionSettings(older_than="30d", every="1s")
    with closing(Retention(engine, settings, SOON)) as schedule:
        schedule.start()
        wait_until(lambda: len(calls) > 1)
    assert "prune failed, will be tried again in 0:00:01" in caplog.text


def test_it_ends_in_the_middle_of_a_prune(
    engine: Engine, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    begun = threading.Event()

    def go_on(*_: object, progress: Callable[[str, int, int | None], None]) -> None:
        while True:
            begun.set()
            progress("runs", 0, None)

    monkeypatch.setattr(retention, "prune", go_on)
    schedule = Retention(engine, RetentionSettings(older_than="30d"), SOON)
    schedule.start()
    assert begun.wait(PATIENCE_SECONDS)
    schedule.close()
    wait_until(lambda: "prune interrupted" in caplog.text)


@pytest.mark.parametrize("wrong", [{"older_than": "soon"}, {"every": ""}, {"every": "0h"}])
def test_spans_that_are_none_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        RetentionSettings(**wrong)
