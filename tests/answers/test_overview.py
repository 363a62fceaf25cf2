"""What is kept of all jobs and datasets: as much as there are, however often they are heard of."""

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
