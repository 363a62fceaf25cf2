"""Positions of shards: what the store keeps is what an iterator begins with."""

import pytest

from headwater.pipeline.feeds.kinesis.positions import (
    CLOSED,
    TRIM_HORIZON,
    ShardPosition,
    parse_position,
)
from headwater.store.positions import SourcePosition

SEQUENCE = "49590338271490256608559692538361571095921575989136588898"


@pytest.mark.parametrize(
    "position",
    [TRIM_HORIZON, CLOSED, ShardPosition("at", "1793491200000"), ShardPosition("after", SEQUENCE)],
)
def test_a_position_comes_back_as_it_was(position: ShardPosition) -> None:
    stored = SourcePosition(5, position.text("7"), 0)
    assert parse_position(stored, "7") == position
    assert parse_position(stored, "8") is None


def test_a_position_of_another_kind_is_none() -> None:
    assert parse_position(SourcePosition(5, "a-topic's-id", 0), "7") is None
    assert parse_position(SourcePosition(5, "7 sideways 3", 0), "7") is None


def test_iterators() -> None:
    after = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "StartingSequenceNumber": SEQUENCE}
    assert ShardPosition("after", SEQUENCE).iterator == after
    at = {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": 1_793_491_200.5}
    assert ShardPosition("at", "1793491200500").iterator == at
    assert TRIM_HORIZON.iterator == {"ShardIteratorType": "TRIM_HORIZON"}
