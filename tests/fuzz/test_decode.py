"""`decode` and `project` under events by chance: facts, or a reason; never another error.

The mutators are driven by a seed, which is printed. `python -m tests.fuzz.with_atheris` does the
same guided by coverage, where atheris is installed.
"""

import os
from random import Random

import pytest

from tests.fuzz.mutators import mutate
from tests.fuzz.taking_in import check_taken_in
from tests.pipeline.corpus import make_corpus

COUNTS = [300, pytest.param(100_000, marks=pytest.mark.long)]


@pytest.mark.slow
@pytest.mark.parametrize("count", COUNTS)
def test_whatever_it_is(count: int) -> None:
    seed = int(os.environ.get("HEADWATER_FUZZ_SEED", Random().randrange(2**32)))
    print(f"fuzz: seed {seed}")
    random = Random(seed)
    for _ in range(count):
        data = mutate(random, random.choice(make_corpus().all))
        try:
            check_taken_in(data)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {data[:2_000]!r}") from error
