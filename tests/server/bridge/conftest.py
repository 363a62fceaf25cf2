"""Servers whose extractions find an estate: written down as events, or behind strict APIs."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from headwater.collect import Collected
from testing.api import Api, open_api
from testing.events.confluent import collected
from testing.services.postgresql import PostgreSQL
from testing.stand_ins.confluent import open_cloud
from testing.wait import wait_until

Json = dict[str, Any]
EXTRACT_CALLS: list[Json] = []


def extract(params: Json, report: Callable[[str], None]) -> Iterable[Collected]:
    EXTRACT_CALLS.append(params)
    report("1 environments")
    return collected()


@pytest.fixture(scope="session")
def bridge_on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    store = tmp_path_factory.mktemp("bridge") / "headwater.db"
    with open_api(f"sqlite:///{store}", extract=extract) as api:
        yield api


@pytest.fixture(scope="session")
def bridge_on_postgresql(postgresql: PostgreSQL) -> Iterator[Api]:
    with open_api(postgresql.url("bridge_tests"), extract=extract) as api:
        yield api


@pytest.fixture(scope="session")
def _bridge_to_cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder = tmp_path_factory.mktemp("bridge_to_cloud")
    store = f"sqlite:///{folder / 'headwater.db'}"
    with (
        open_cloud(folder / "cloud") as cloud,
        open_api(store, collect={"confluent": cloud.values}) as api,
    ):
        yield api


@pytest.fixture
def cloud_bridge(_bridge_to_cloud: Api) -> Api:
    """A server with an empty store, whose settings name the account of the stand-in."""
    _bridge_to_cloud.empty()
    return _bridge_to_cloud


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def bridge(request: pytest.FixtureRequest) -> Api:
    """A server with an empty store, on each database."""
    found: Api = request.getfixturevalue(f"bridge_on_{request.param}")
    found.empty()
    EXTRACT_CALLS.clear()
    return found


@pytest.fixture
def estate(bridge: Api) -> Api:
    """The same after an extraction."""
    extracted(bridge)
    return bridge


def extracted(api: Api, **request: Any) -> Json:
    """Extract, wait, and give the task."""
    answer = api.client.post("/api/v1/tasks/extract", **request)
    assert answer.status_code == 202, answer.text
    return finished(api, answer.json()["task_id"])


def finished(api: Api, task_id: str) -> Json:
    """Wait for a task to end, and give it."""

    def read() -> Json:
        task: Json = api.read(f"/tasks/{task_id}")
        return task

    wait_until(lambda: read()["status"] in ("completed", "failed"), lambda: str(read()))
    return read()
