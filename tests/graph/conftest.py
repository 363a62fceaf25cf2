"""What the tests of lineage ask: the rows in memory, SQLite, and PostgreSQL where it runs."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from testing.events.full import Json
from testing.services.postgresql import PostgreSQL
from tests.graph.lineage import Lineage, Tell, facts_of, memory_reader, store_reader
from tests.store.stores import Store, open_store


@pytest.fixture(scope="session")
def sqlite_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all tests; each empties it first."""
    with open_store(f"sqlite:///{tmp_path_factory.mktemp('graph') / 'store.db'}") as store:
        yield store


@pytest.fixture(scope="session")
def postgresql_store(postgresql: PostgreSQL) -> Iterator[Store]:
    with open_store(postgresql.url("graph")) as store:
        yield store
    postgresql.drop("graph")


@pytest.fixture(
    scope="session", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)]
)
def store(request: pytest.FixtureRequest) -> Store:
    """A store to empty and fill, on each database."""
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


@pytest.fixture(
    params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.integration)]
)
def tell(request: pytest.FixtureRequest) -> Iterator[Tell]:
    """Tell a history, and then ask about it: of each way to read it."""
    with ExitStack() as stack:

        def told(*events: Json) -> Lineage:
            stated = facts_of(events)
            contents = {id: facet.body for each in stated for id, facet in each.contents.items()}
            if request.param == "memory":
                return Lineage(memory_reader(stated), contents)
            store: Store = request.getfixturevalue(f"{request.param}_store")
            reader = stack.enter_context(store_reader(store, stated))
            return Lineage(reader, contents)

        yield told
