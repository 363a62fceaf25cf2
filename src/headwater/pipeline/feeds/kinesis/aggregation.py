"""Records that the Kinesis Producer Library packed into one, taken apart again.

Magic bytes, a message of Protocol Buffers, its MD5; the message's field 3 is a record each, and the
record's field 3 its data. So little of the format is needed that it is read here by hand.
"""

from collections.abc import Iterator
from hashlib import md5

MAGIC = b"\xf3\x89\x9a\xc2"
_DIGEST_BYTES = 16
_RECORD = 3
_DATA = 3
# How the value of a field is stored.
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class BadAggregate(ValueError):
    """Bytes that begin like an aggregate and are none."""


def is_aggregate(data: bytes) -> bool:
    return data.startswith(MAGIC)


def unpack_records(data: bytes) -> list[bytes]:
    """The data of the records in an aggregate, in their order; raises BadAggregate."""
    if len(data) < len(MAGIC) + _DIGEST_BYTES:
        raise BadAggregate("an aggregated record that is cut off")
    body, digest = data[len(MAGIC) : -_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    if md5(body, usedforsecurity=False).digest() != digest:
        raise BadAggregate("an aggregated record whose MD5 is not that of its content")
    return [_data_of(value) for number, value in _fields(body) if number == _RECORD]


def _data_of(record: bytes) -> bytes:
    """The last one counts, as Protocol Buffers have it."""
    values = [value for number, value in _fields(record) if number == _DATA]
    if not values:
        raise BadAggregate("an aggregated record with a part that has no data")
    return values[-1]


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message by number; those that are no bytes are passed over."""
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == _BYTES:
            size, at = _read_varint(message, at)
            if at + size > len(message):
                raise BadAggregate("an aggregated record with a part that is cut off")
            yield number, message[at : at + size]
            at += size
        else:
            at = _skip(message, at, kind)


def _skip(message: bytes, at: int, kind: int) -> int:
    if kind == _VARINT:
        return _read_varint(message, at)[1]
    sizes = {_FIXED64: 8, _FIXED32: 4}
    if kind not in sizes:
        raise BadAggregate(f"an aggregated record with a field of unknown kind {kind}")
    return at + sizes[kind]


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = 0
    for shift in range(0, 64, 7):
        if at >= len(message):
            break
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise BadAggregate("an aggregated record with a number that does not end")
