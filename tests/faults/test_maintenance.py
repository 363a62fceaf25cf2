"""Backups and prunes beside senders that never tire: nothing acknowledged is lost."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from testing.commands import run_program
from testing.events.minimal import run_event
from testing.services.headwater import Headwater
from testing.services.postgresql import PostgreSQL
from tests.faults.load import JSON, PATH, Load, new_client
from tests.faults.stored import check_consistent, check_quiet, check_store, events_in

pytestmark = pytest.mark.integration

ROUNDS = [1, pytest.param(10, marks=pytest.mark.long)]
# Older than what is sent meanwhile, younger than what is to go.
AGE = "5000d"


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Headwater]:
    store = None if request.param == "sqlite" else str(request.getfixturevalue("postgresql_url"))
    env = {"HEADWATER__LAKE__IS_ON": "false"}
    with Headwater.start(store, tmp_path / "data", env=env) as started:
        yield started


@pytest.fixture
def other_store(server: Headwater, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty store of the same kind."""
    if server.store.startswith("sqlite"):
        yield f"sqlite:///{tmp_path / 'restored.db'}"
        return
    service: PostgreSQL = request.getfixturevalue("postgresql")
    yield service.url("restored")
    service.drop("restored")


def store_old_runs(server: Headwater, number: int) -> set[bytes]:
    """Runs of one job, of which a prune keeps the newest alone."""
    times = [f"2001-{month:02}-01T00:00:00Z" for month in range(1, 13)]
    events = [
        msgspec.json.encode(run_event("COMPLETE", time, run=f"{number}-{time}", job="old"))
        for time in times
    ]
    with new_client(server.url) as client:
        for event in events:
            assert client.post(PATH, content=event, headers=JSON).status_code == 201
    return set(events)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_prunes_under_load(rounds: int, server: Headwater) -> None:
    with Load(server.url) as load:
        for number in range(rounds):
            old = store_old_runs(server, number)
            load.wait_for_more()
            pruned = run_program("db", "prune", "--older-than", AGE, "--store", server.store)
            assert pruned.status == 0, pruned.err
            assert len(old & events_in(server.store)) < len(old) / 2
            load.wait_for_more()
    assert load.wrong == []
    assert load.unanswered == set()
    check_store(server, load.acknowledged)
    check_quiet(server)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_backups_under_load(
    rounds: int, server: Headwater, other_store: str, tmp_path: Path
) -> None:
    """What was acknowledged before a backup began is in it, and it is whole."""
    with Load(server.url) as load:
        for number in range(rounds):
            load.wait_for_more()
            before = set(load.acknowledged)
            file = tmp_path / f"backup-{number}"
            made = run_program("db", "backup", str(file), "--store", server.store)
            assert made.status == 0, made.err
            restored = run_program("db", "restore", str(file), "--force", "--store", other_store)
            assert restored.status == 0, restored.err
            assert not before - events_in(other_store)
            check_consistent(other_store)
    assert load.wrong == []
    assert load.unanswered == set()
    check_store(server, load.acknowledged)
    check_quiet(server)
