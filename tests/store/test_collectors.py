"""Who runs a collector, and what came of it: on both databases."""

import pytest
from sqlalchemy import Engine

from headwater.errors import Conflict, NotFound
from headwater.store.collectors import (
    list_collectors,
    note_ended,
    note_started,
    read_collector,
    release_lease,
    remove_collector,
    request_pass,
    take_lease,
)


def lease(engine: Engine, holder: str, at: int, until: int) -> bool:
    with engine.begin() as connection:
        return take_lease(connection, "shop", "connect", 60, holder, at, until)


def test_one_holder_at_a_time(engine: Engine) -> None:
    assert lease(engine, "a", 100, 200)
    assert not lease(engine, "b", 150, 250)
    assert lease(engine, "a", 190, 300), "renewed"
    assert not lease(engine, "b", 250, 350)
    assert lease(engine, "b", 301, 400), "it has ended"
    assert not lease(engine, "a", 302, 402)
    with engine.begin() as connection:
        release_lease(connection, "shop", "a", 303)
    assert not lease(engine, "a", 304, 404), "only its holder can release it"
    with engine.begin() as connection:
        release_lease(connection, "shop", "b", 305)
    assert lease(engine, "a", 305, 405)


def test_passes_and_their_results(engine: Engine) -> None:
    lease(engine, "a", 100, 200)
    with engine.begin() as connection:
        note_started(connection, "shop", 110)
        assert read_collector(connection, "shop").is_running
        note_ended(connection, "shop", 120, 180, 3, 1, "x: refused", False)
        found = read_collector(connection, "shop")
        assert not found.is_running and found.changed_at == 120
        assert (found.stored, found.refused, found.all_stored, found.failures) == (3, 1, 3, 0)
        for number in (1, 2):
            note_ended(connection, "shop", 130, 190, 0, 0, "no answer", True)
            found = read_collector(connection, "shop")
            assert (found.failures, found.problem) == (number, "no answer")
        assert (found.changed_at, found.all_stored) == (120, 3)
        note_ended(connection, "shop", 140, 200, 2, 0, None, False)
        found = read_collector(connection, "shop")
        assert (found.failures, found.problem, found.all_stored) == (0, None, 5)


def test_a_pass_on_request(engine: Engine) -> None:
    lease(engine, "a", 100, 200)
    with engine.begin() as connection:
        note_started(connection, "shop", 110)
        request_pass(connection, "shop", 120)
        assert read_collector(connection, "shop").is_requested
        note_started(connection, "shop", 130)
        assert not read_collector(connection, "shop").is_requested
        with pytest.raises(NotFound, match="shop"):
            request_pass(connection, "shpo", 140)


def test_one_that_nobody_runs_can_be_removed(engine: Engine) -> None:
    lease(engine, "a", 100, 200)
    with engine.begin() as connection:
        with pytest.raises(Conflict, match="runs it"):
            remove_collector(connection, "shop", 150)
        assert [each.name for each in list_collectors(connection)] == ["shop"]
        remove_collector(connection, "shop", 250)
        assert list_collectors(connection) == []
