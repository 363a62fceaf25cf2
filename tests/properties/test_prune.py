"""Pruning twice is pruning once, and what is answered now does not change, whatever was sent."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from headwater.model.values.ids import NO_CONTENT, UNREPORTED
from headwater.model.values.instant import parse_instant
from headwater.store.maintenance.prune import prune
from testing.services.postgresql import PostgreSQL
from tests.properties.strategies import event_lists, facts_of
from tests.store.rows import differences
from tests.store.stores import Store, open_store
from tests.store.test_prune import answers, check_answers

HORIZONS = [
    parse_instant(time)
    for time in (
        "1969-12-31T23:59:59.999999Z",
        "2024-05-01T10:00:00Z",
        "2024-05-01T10:00:00.000001Z",
        "2024-05-01T10:01:00Z",
        "2024-05-01T12:00:00Z",
    )
]


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)]
)
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    if request.param == "sqlite":
        with open_store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'store.db'}") as store:
            yield store
        return
    postgresql: PostgreSQL = request.getfixturevalue("postgresql")
    with open_store(postgresql.url("prune")) as store:
        yield store
    postgresql.drop("prune")


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_twice_is_once_and_the_answers_stay(store: Store, data: DataObject) -> None:
    sent = [facts_of(event) for event in data.draw(event_lists(max_size=12))]
    horizon = data.draw(st.sampled_from(HORIZONS))
    store.empty()
    store.write([sent])
    before = answers(store.engine)
    counted = prune(store.engine, horizon, is_dry_run=True)
    assert prune(store.engine, horizon) == counted
    check_answers(before, answers(store.engine))
    once = store.rows()
    assert not prune(store.engine, horizon)
    assert differences(store.rows(), once) == {}
    stored = {row[0] for row in once["content"]} | {None, NO_CONTENT, UNREPORTED}
    assert {row[-2] for row in once["facet"]} <= stored
    assert {digest for row in once["run_dataset"] for digest in row[5::2]} <= stored
    assert {digest for row in once["job_dataset"] for digest in row[3:5]} <= stored
    assert {digest for row in once["declared_dataset"] for digest in row[4:6]} <= stored
