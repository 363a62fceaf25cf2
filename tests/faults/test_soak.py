"""A server's memory at rest stays what it was at a tenth of a million events (see `soak`).

    HEADWATER_SOAK_EVENTS=100000 pytest -m long tests/faults/test_soak.py

`python -m tests.faults.soak` does the same, and goes on where it was ended.
"""

import os
from pathlib import Path

import pytest

from testing.services.headwater import Headwater
from tests.faults.soak import MILLION, NO_LAKE, Soak


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_memory_stays(
    database: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def say(text: str) -> None:
        with capsys.disabled():
            print(f"\nsoak: {text}", flush=True)

    events = int(os.environ.get("HEADWATER_SOAK_EVENTS", str(MILLION)))
    store = None if database == "sqlite" else str(request.getfixturevalue("postgresql_url"))
    with Headwater.start(store, tmp_path, env=NO_LAKE) as server:
        Soak(tmp_path, events, say).run(server)
