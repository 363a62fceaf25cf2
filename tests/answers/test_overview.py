"""What is kept of all jobs and datasets: as much as there are, however often they are heard of."""

from random import Random

import pytest

from headwater.answers.overview import Overview
from headwater.graph.health.datasets import DatasetState
from headwater.graph.health.jobs import JobState

JOBS = [bytes([number]) * 16 for number in range(100)]


def test_notes_of_when_to_judge_again_do_not_add_up() -> None:
    overview = Overview(JobState, DatasetState)
    for turn in range(1_000):
        for number, job in enumerate(JOBS):
            overview.judge_again(job, 1_000_000 + 1_000 * turn + number)
    assert overview.notes < 2_000
    assert overview.take_due(1_000_000 + 999_000 - 1, 1_000) == set()
    assert overview.take_due(1_000_000 + 999_000 + 49, 1_000) == set(JOBS[:50])
    assert overview.take_due(3_000_000, 1_000) == set(JOBS[50:])


@pytest.mark.parametrize("turns", [1, 50, 5_000])
def test_the_order_of_time_is_that_of_what_was_last_seen(turns: int) -> None:
    random = Random(turns)
    overview = Overview(JobState, DatasetState)
    ids = [bytes([number // 256, number % 256]) * 8 for number in range(3_000)]
    last_seen: dict[bytes, int] = {}
    for _ in range(4):
        for _ in range(turns):
            id, at = random.choice(ids), random.randrange(500)
            overview.see(id, at)
            last_seen[id] = max(at, last_seen.get(id, 0))
        given = overview.newest()
        expected = sorted(((at, id) for id, at in last_seen.items()), reverse=True)
        assert given == expected
        overview.see(ids[0], 1_000)
        assert given == expected
        last_seen[ids[0]] = 1_000
