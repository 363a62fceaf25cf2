"""Lineage as of any time is the same without the runs that history can do without."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.store.maintenance.redundant_runs import OldRun, ReportedUses, find_repeats

A: ReportedUses = ((b"a", 1, None, None),)
B: ReportedUses = ((b"b", 1, None, None),)
AB: ReportedUses = (*A, *B)
NOTHING: ReportedUses = ()
HORIZON = 20


def lineage(runs: Sequence[OldRun], at: int) -> set[object]:
    """What the newest execution with datasets used by a time, and what was used since it began."""
    begun = [run for run in runs if run.began <= at]
    with_datasets = [run for run in begun if run.reported]
    if not with_datasets:
        return set()
    newest = max(with_datasets, key=lambda run: (run.began, run.id))
    since = min(run.began for run in begun if run.execution == newest.execution)
    return {use for run in with_datasets if run.last_use >= since for use in run.reported}


@st.composite
def histories(draw: st.DrawFn) -> list[OldRun]:
    """Runs that overlap, share parents, and mostly say the same; the newest may not go."""
    runs = []
    for number in range(draw(st.integers(1, 8))):
        began = draw(st.integers(0, 25))
        last_use = began + draw(st.sampled_from((0, 1, 5)))
        id = bytes([number])
        runs.append(
            OldRun(
                id=id,
                execution=draw(st.sampled_from((id, id, b"p", b"q"))),
                began=began,
                last_use=last_use,
                reported=draw(st.sampled_from((A, A, B, AB, NOTHING))),
                may_go=last_use < HORIZON and draw(st.integers(0, 5)) > 0,
            )
        )
    return sorted(runs, key=lambda run: (run.began, run.id))


def split(runs: list[OldRun]) -> tuple[list[OldRun], set[bytes]]:
    past = [run for run in runs if run.began < HORIZON]
    return past, {run.execution for run in runs if run.began >= HORIZON}


@settings(max_examples=1_000, deadline=None)
@given(runs=histories())
def test_lineage_as_of_any_time_is_the_same(runs: list[OldRun]) -> None:
    repeats = find_repeats(*split(runs))
    left = [run for run in runs if run.id not in repeats]
    for at in range(35):
        assert lineage(left, at) == lineage(runs, at), at


@settings(max_examples=500, deadline=None)
@given(runs=histories())
def test_nothing_is_left_for_a_second_time(runs: list[OldRun]) -> None:
    repeats = find_repeats(*split(runs))
    left = [run for run in runs if run.id not in repeats]
    assert find_repeats(*split(left)) == {}


@settings(max_examples=500, deadline=None)
@given(runs=histories())
def test_each_names_a_kept_run_that_says_the_same(runs: list[OldRun]) -> None:
    repeats = find_repeats(*split(runs))
    reported = {run.id: run.reported for run in runs}
    for id, same_as in repeats.items():
        assert same_as not in repeats
        assert reported[id] == (reported[same_as] if same_as else NOTHING)


def test_a_job_that_never_changes_keeps_its_first_run() -> None:
    runs = [OldRun(bytes([n]), bytes([n]), n, n, A, n < 99) for n in range(100)]
    repeats = find_repeats(runs, set())
    assert [run.id[0] for run in runs if run.id not in repeats] == [0, 99]
