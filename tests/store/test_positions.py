"""How far a source is taken in only ever grows, until another source has its name."""

import pytest
from sqlalchemy import Engine

from headwater.store import positions
from headwater.store.positions import SourcePosition, move_position, read_positions

Moved = dict[str, tuple[int, str]]


def move(engine: Engine, partition: str, value: int, incarnation: str = "") -> None:
    with engine.begin() as connection:
        move_position(connection, "topic", partition, value, incarnation)


def read(engine: Engine, source: str = "topic") -> dict[str, SourcePosition]:
    with engine.connect() as connection:
        return read_positions(connection, source)


def moved(engine: Engine) -> Moved:
    return {
        partition: (position.value, position.incarnation)
        for partition, position in read(engine).items()
    }


def test_what_has_not_begun_is_absent(engine: Engine) -> None:
    assert read(engine) == {}


def test_it_never_moves_back(engine: Engine) -> None:
    for value, found in ((0, 0), (5, 5), (3, 5), (5, 5), (0, 5), (2**40, 2**40), (6, 2**40)):
        move(engine, "0", value)
        assert moved(engine) == {"0": (found, "")}


def test_another_incarnation_begins_anew(engine: Engine) -> None:
    """A topic that was removed and made again counts from 0."""
    for value, incarnation, found in (
        (7, "a", (7, "a")),
        (2, "a", (7, "a")),
        (2, "b", (2, "b")),
        (1, "b", (2, "b")),
        (3, "b", (3, "b")),
        (0, "", (0, "")),
    ):
        move(engine, "0", value, incarnation)
        assert moved(engine) == {"0": found}


def test_each_source_and_partition_has_its_own(engine: Engine) -> None:
    move(engine, "0", 1)
    move(engine, "1", 2, "b")
    with engine.begin() as connection:
        move_position(connection, "other", "0", 3)
    assert moved(engine) == {"0": (1, ""), "1": (2, "b")}
    assert set(read(engine, "other")) == {"0"} and read(engine, "none") == {}


def test_when_it_moved_is_kept(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(range(100, 200))
    monkeypatch.setattr(positions, "now", lambda: next(times))
    for value in (1, 1, 0):
        move(engine, "0", value)
        assert read(engine)["0"].moved_at == 100
    move(engine, "0", 2)
    assert read(engine)["0"].moved_at == 103
    move(engine, "0", 2, "b")
    assert read(engine)["0"].moved_at == 104


def test_it_is_undone_with_its_transaction(engine: Engine) -> None:
    with engine.connect() as connection:
        move_position(connection, "topic", "0", 7)
        connection.rollback()
    assert read(engine) == {}
