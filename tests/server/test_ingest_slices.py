"""Arrays are taken in a slice at a time, so that little of a large one is in memory as rows."""

from headwater.server.ingest import slices


def test_all_events_in_their_order() -> None:
    events = [bytes([number % 256]) * (number * 37 % 5_000) for number in range(3_000)]
    assert [event for part in slices(events) for event in part] == events
    assert list(slices([])) == []


def test_a_thousand_small_ones_at_once() -> None:
    assert [len(part) for part in slices([b"{}"] * 2_500)] == [1_000, 1_000, 500]


def test_a_megabyte_at_once() -> None:
    assert [len(part) for part in slices([bytes(300_000)] * 7)] == [3, 3, 1]


def test_one_that_is_larger_is_alone() -> None:
    events = [b"{}", bytes(5_000_000), b"{}", b"{}"]
    assert [len(part) for part in slices(events)] == [1, 1, 2]
