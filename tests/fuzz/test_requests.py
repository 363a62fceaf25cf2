"""A server under requests by chance: no 5xx, none without an answer, no memory that stays.

    HEADWATER_FUZZ_REQUESTS=5000 HEADWATER_FUZZ_SEED=7 pytest tests/fuzz/test_requests.py

`python -m tests.fuzz` sends the same, says how far it is, and goes on where another run ended.
Each 5xx is logged at once with its request and what the server logged meanwhile, and the whole
request is kept as a file. Memory is printed for each tenth of the requests, amid work.
"""

import os
from pathlib import Path
from random import Random

import pytest

from testing.services.headwater import Headwater
from tests.fuzz.run import BLOCK, NO_LAKE, Fuzz, requests

REQUESTS = [
    int(os.environ.get("HEADWATER_FUZZ_REQUESTS", "300")),
    pytest.param(200_000, marks=pytest.mark.long),
]


@pytest.mark.integration
@pytest.mark.parametrize("count", REQUESTS)
def test_whatever_is_sent_is_answered(
    count: int, store_url: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def say(text: str) -> None:
        with capsys.disabled():
            print(f"\nfuzz: {text}", flush=True)

    fuzz = Fuzz(int(os.environ.get("HEADWATER_FUZZ_SEED", Random().randrange(2**32))), count)
    with Headwater.start(store=store_url, env=NO_LAKE) as server:
        fuzz.check(server, fuzz.run(server, tmp_path, say))


@pytest.mark.slow
def test_a_run_that_goes_on_sends_what_the_whole_would_have_sent() -> None:
    reads = [("/api/v1/jobs/{id}", ["limit"])]
    whole = [*requests(7, 0, BLOCK + 20, reads)]
    assert whole[-30:] == [*requests(7, BLOCK - 10, 30, reads)]
    assert whole[-5:] == [*requests(7, BLOCK + 15, 5, reads)]


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "sqlite" else str(request.getfixturevalue("postgresql_url"))
