"""Testing where events go: the lake and the store, each by itself."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from headwater.errors import LakeUnavailable
from headwater.pipeline.check_steps import Step, run_steps
from headwater.store.engine import Engine, describe
from headwater.store.failures import answering
from headwater.store.maintenance.exclusive import removing
from headwater.store.migrate import HEAD, upgrade


def check_targets(engine: Engine, lake: Path | None) -> Iterator[Step]:
    """Where events go, each by itself."""
    yield from run_steps(("store", lambda: _try_store(engine)))
    if lake is not None:
        yield from run_steps(("lake", lambda: _try_lake(lake)))


def _try_store(engine: Engine) -> str:
    where = describe(engine.url)
    with answering(f"{where} cannot be written"):
        upgrade(engine)
        # Changes nothing, but only who may write gets that far.
        with removing(engine):
            pass
    return f"{where}, revision {HEAD}"


def _try_lake(lake: Path) -> str:
    try:
        lake.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=lake, prefix="."):
            return str(lake)
    except OSError as error:
        raise LakeUnavailable(f"{lake} cannot be written: {error.strerror}") from error
