"""The server on each database, started once; every test finds its store empty."""

from collections.abc import Iterator

import pytest

from headwater.answers import following
from testing.api import Api, open_api
from testing.services.postgresql import PostgreSQL


@pytest.fixture(autouse=True)
def up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks take in all that came: beside a pass, which comes each ten seconds, a test that takes
    longer would be answered as of that pass (tests/answers/test_following.py)."""
    monkeypatch.setattr(following, "FEW", 1_000_000)


@pytest.fixture(scope="session")
def api_on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path_factory.mktemp('server') / 'headwater.db'}") as api:
        yield api


@pytest.fixture(scope="session")
def api_on_postgresql(postgresql: PostgreSQL) -> Iterator[Api]:
    with open_api(postgresql.url("server_tests")) as api:
        yield api


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def api(request: pytest.FixtureRequest) -> Api:
    """A server with an empty store, on each database."""
    found: Api = request.getfixturevalue(f"api_on_{request.param}")
    found.empty()
    return found


@pytest.fixture
def sqlite_api(api_on_sqlite: Api) -> Api:
    """A server with an empty store on SQLite, where the database makes no difference."""
    api_on_sqlite.empty()
    return api_on_sqlite
