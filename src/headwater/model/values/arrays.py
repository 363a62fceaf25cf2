"""Cutting an array of events into the bytes of each, however many and however odd."""

import json
import re
from collections.abc import Iterator
from itertools import islice

import msgspec
from msgspec import Raw

from headwater.errors import InvalidEvent
from headwater.model.values.json_text import (
    BYTE_ORDER_MARK,
    TOO_DEEP,
    WHITE_SPACE,
    Readable,
    clean,
    invalid_json,
    is_too_deep,
)

MAX_EVENTS = 100_000

_MANY_COMMAS = 1_000_000
_ARRAY = msgspec.json.Decoder(list[Raw])
_SCANNER = json.JSONDecoder()
_NEXT = re.compile(r"[ \t\r\n]*")
_SEPARATOR = re.compile(r"[ \t\r\n]*([,\]])[ \t\r\n]*")


def is_array(data: bytes) -> bool:
    """Whether a body is an array, valid or not."""
    return data[:64].lstrip(WHITE_SPACE + BYTE_ORDER_MARK).startswith(b"[")


def split_array(data: bytes, max_events: int = MAX_EVENTS) -> list[bytes]:
    """Cut a JSON array into the bytes of its elements, at most `max_events`."""
    data = clean(data)
    # The fast way makes all elements at once: many commas may mean far too many. They are counted
    # only where there is room for so many, because that takes as long as to decode.
    if len(data) > 2 * _MANY_COMMAS and data.count(b",") > _MANY_COMMAS:
        elements = list(islice(_scan_array(data), max_events + 1))
    else:
        elements = _split_array(data)
    if len(elements) > max_events:
        raise InvalidEvent("$", f"more than {max_events:,} events in one array; send fewer")
    return elements


def _split_array(data: bytes) -> list[bytes]:
    try:
        return [bytes(element) for element in _ARRAY.decode(data)]
    except (msgspec.DecodeError, RecursionError) as error:
        readable = Readable(data)
        if readable.text == data:
            raise invalid_json(error) from None
    try:
        return [readable.restore(bytes(element)) for element in _ARRAY.decode(readable.text)]
    except (msgspec.DecodeError, RecursionError) as error:
        raise invalid_json(error) from None


def _scan_array(data: bytes) -> Iterator[bytes]:
    """Cut an array element by element, slower, holding one at a time."""
    if is_too_deep(data):
        raise InvalidEvent("$", TOO_DEEP)
    text = data.decode()
    position = _NEXT.match(text, 1).end()  # type: ignore[union-attr]
    while not text.startswith("]", position):
        try:
            _, end = _SCANNER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise invalid_json(error) from None
        yield text[position:end].encode()
        separator = _SEPARATOR.match(text, end)
        if separator is None:
            raise InvalidEvent("$", f"invalid JSON: no comma after character {end}")
        position = separator.end() - (separator[1] == "]")
