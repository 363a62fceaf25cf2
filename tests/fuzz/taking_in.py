"""What must hold of any bytes that are taken in as an event."""

from headwater.model.intake import take_in
from headwater.model.merge import Merged
from headwater.model.values.instant import DAY
from headwater.store.write.writer import ready

RECEIVED = 1_800_000_000_000_000


def check_taken_in(data: bytes) -> None:
    """It states facts that a store can be given, or why not; and the same each time."""
    intake = take_in(data, RECEIVED, DAY, "fuzz")
    again = take_in(data, RECEIVED, DAY, "fuzz")
    assert intake.facts.rows == again.facts.rows
    if intake.error is not None:
        assert [*intake.facts.rows] == ["rejected", "rejected_place"]
        assert intake.error.reason
    merged = Merged()
    merged.add(intake.facts.all_rows())
    for rows in ready(merged).values():
        for row in rows:
            _check_storable(row)


def _check_storable(row: tuple[object, ...]) -> None:
    for value in row:
        if isinstance(value, int):
            assert -(2**63) <= value < 2**63
        elif isinstance(value, str):
            assert "\0" not in value
            value.encode()
