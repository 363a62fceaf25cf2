"""JSON bytes as they come, and the lone surrogates in them that fast decoders cannot read.

JSON may name half of a surrogate pair (`"\\ud800"`). Such text is legal, so it is kept byte for
byte, but no strict decoder reads it. Where one refuses, the halves are replaced by an escape of
the same length and the rest is read as usual.
"""

import re
from typing import TypeVar

import msgspec

T = TypeVar("T")

# U+FFFF, which no text holds on purpose; six bytes, as the escape it stands in for.
PLACEHOLDER = b"\\uffff"
PLACEHOLDER_CHARACTER = "\uffff"

_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\."
)


def replace_lone_surrogates(data: bytes) -> bytes:
    """Replace each half pair by a placeholder of the same length."""
    return _ESCAPE.sub(lambda match: PLACEHOLDER if match[1] else match[0], data)


def decode(decoder: "msgspec.json.Decoder[T]", data: bytes) -> T:
    """Decode, reading past lone surrogates."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        readable = replace_lone_surrogates(data)
        if readable == data:
            raise
        return decoder.decode(readable)


def storable(text: str) -> str:
    """Show by its picture what no text column can hold; the bytes it came from are kept exact."""
    return text.replace("\0", "\u2400")


def minify(data: bytes) -> bytes:
    """Drop the white space between tokens, and change nothing else."""
    try:
        return msgspec.json.format(data, indent=-1)
    except msgspec.DecodeError:
        return data
