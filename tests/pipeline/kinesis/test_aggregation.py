"""Aggregated records: taken apart as they were put together, and refused if they are broken."""

from hashlib import md5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.pipeline.feeds.kinesis.aggregation import (
    MAGIC,
    BadAggregate,
    is_aggregate,
    unpack_records,
)


def varint(value: int) -> bytes:
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def number_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def seal(body: bytes) -> bytes:
    return MAGIC + body + md5(body).digest()


def aggregate(parts: list[bytes]) -> bytes:
    """As the producer library does it: keys first, then records that refer to them."""
    records = [field(3, number_field(1, 0) + number_field(2, 1) + field(3, part)) for part in parts]
    return seal(field(1, b"key") + field(2, b"0") + b"".join(records))


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_what_was_put_together_is_taken_apart(parts: list[bytes]) -> None:
    data = aggregate(parts)
    assert is_aggregate(data)
    assert unpack_records(data) == parts


def test_records_of_the_library_itself() -> None:
    """Bytes as the library's format has them: two records, with tags, under one key."""
    tag = field(4, field(1, b"name") + field(2, b"value"))
    first = field(3, number_field(1, 0) + field(3, b'{"a": 1}') + tag)
    second = field(3, field(3, b'{"b": 2}') + number_field(1, 0))
    assert unpack_records(seal(field(1, b"k") + first + second)) == [b'{"a": 1}', b'{"b": 2}']


def test_fields_that_are_not_known_are_passed_over() -> None:
    unknown = varint(9 << 3 | 1) + bytes(8) + varint(10 << 3 | 5) + bytes(4) + number_field(11, 300)
    assert unpack_records(seal(unknown + field(3, field(3, b"x")))) == [b"x"]


def test_an_event_is_no_aggregate() -> None:
    assert not is_aggregate(b'{"eventTime": "2026-01-01T00:00:00Z"}')


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (MAGIC + b"x", "cut off"),
        (aggregate([b"a"])[:-1] + b"\0", "MD5"),
        (seal(field(3, number_field(1, 0))), "no data"),
        (seal(varint(3 << 3 | 2) + varint(50) + b"x"), "cut off"),
        (seal(b"\x80" * 12), "does not end"),
        (seal(varint(3 << 3 | 3)), "unknown kind 3"),
    ],
)
def test_what_is_broken_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(BadAggregate, match=reason):
        unpack_records(data)


@given(st.binary(max_size=100))
def test_no_bytes_are_too_odd(body: bytes) -> None:
    try:
        unpack_records(seal(body))
    except BadAggregate as error:
        assert "aggregated record" in str(error)
