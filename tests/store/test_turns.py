"""Much to store is stored in turns: new names ahead, each event as a whole."""

from headwater.model.facts import Facts
from headwater.model.intake import take_in
from headwater.store.write.turns import MAX_NEW, MAX_ROWS, count_rows, in_turns
from testing.events.full import encode
from testing.events.minimal import dataset, run_event


def facts_of(inputs: int, run: str = "run") -> Facts:
    event = run_event(run=run, inputs=[dataset(f"{run}_{number}") for number in range(inputs)])
    intake = take_in(encode(event), 2**60, 2**60, "test")
    assert intake.error is None
    return intake.facts


def test_few_are_stored_at_once() -> None:
    some = [facts_of(2, "a"), facts_of(2, "b")]
    assert list(in_turns(some)) == [some]
    assert list(in_turns([])) == []


def test_many_names_are_stored_ahead_and_the_event_last() -> None:
    facts = facts_of(3 * MAX_NEW)
    *ahead, last = in_turns([facts])
    assert last == [facts]
    assert len(ahead) >= 3
    for (part,) in ahead:
        assert part.rows == {}
        assert len(part.names) + len(part.contents) <= MAX_NEW
    assert {id for (part,) in ahead for id in part.names} == set(facts.names)
    assert {id for (part,) in ahead for id in part.contents} == set(facts.contents)


def test_many_rows_are_stored_in_turns_of_whole_events() -> None:
    events = [facts_of(100, f"run_{number}") for number in range(100)]
    groups = [group for group in in_turns(events) if group[0].rows]
    assert [facts for group in groups for facts in group] == events
    assert len(groups) > 2
    assert all(sum(map(count_rows, group)) <= MAX_ROWS for group in groups)
