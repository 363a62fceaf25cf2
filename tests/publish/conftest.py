"""A store with a small estate, for catalogs to publish."""

from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.publish import Published
from headwater.publish.catalog.publisher import CatalogPublisher
from headwater.store.engine import Engine
from headwater.store.write.writer import open_writer
from testing.events.bridge import estate
from testing.stores import open_prepared

Fill = Callable[[Iterable[bytes]], None]


@pytest.fixture
def store(tmp_path: Path) -> Engine:
    return open_prepared(f"sqlite:///{tmp_path / 'store.db'}")


@pytest.fixture
def fill(store: Engine) -> Fill:
    def write(events: Iterable[bytes]) -> None:
        with closing(open_writer(store)) as writer:
            writer.write([project(decode_event(event)) for event in events])

    return write


@pytest.fixture
def shop(store: Engine, fill: Fill) -> Engine:
    """The store with the estate."""
    fill(estate())
    return store


def run(publisher: CatalogPublisher) -> Published:
    """One pass, without waiting; what it did in all."""
    publisher.sleep = lambda seconds: None
    total = Published()
    for step in publisher.publish():
        counts = {
            name: getattr(total, name) + getattr(step, name)
            for name in Published._fields
            if isinstance(getattr(step, name), int)
        }
        total = total._replace(**counts, problems=(*total.problems, *step.problems, *step.left_out))
    return total
