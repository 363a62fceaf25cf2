"""JSON bytes as they come: how deep they nest, and halves of surrogate pairs in them.

JSON may name half of a surrogate pair (`"\\ud800"`). Such text is legal, so it is kept byte for
byte, but no strict decoder reads it. Where one refuses, the halves are replaced by escapes of the
same length and the rest is read as usual.
"""

import re
from array import array
from itertools import accumulate
from typing import TypeVar

import msgspec

T = TypeVar("T")

# Deep enough for any event, and less than any decoder's own limit, which depends on its caller.
MAX_DEPTH = 500
TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"

_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|\\u([dD])([89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\."
)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[]{}", bytes((1, 255, 1, 255)))


class Readable:
    """A text with its lone surrogates replaced, so that it can be read, and put back afterwards.

    A half `\\udXXX` becomes `\\ueXXX`, or another letter where the text has such escapes itself.
    """

    def __init__(self, data: bytes) -> None:
        free = (letter for letter in "efcba" if not _escapes(letter).search(data))
        letter = next(free, "e")
        self._escapes = _escapes(letter)
        self._letters = bytes.maketrans(b"dD", f"{letter}{letter.upper()}".encode())
        self._back = bytes.maketrans(f"{letter}{letter.upper()}".encode(), b"dD")
        first = int(f"{letter}800", 16)
        self._halves = {first + offset: 0xD800 + offset for offset in range(0x800)}
        self.text = _ESCAPE.sub(self._replace, data)

    def _replace(self, match: re.Match[bytes]) -> bytes:
        if match[1] is None:
            return match[0]
        return rb"\u" + match[1].translate(self._letters) + match[2]

    def restore(self, piece: bytes) -> bytes:
        """Give back what the sender wrote."""
        return self._escapes.sub(
            lambda match: rb"\u" + match[1].translate(self._back) + match[2], piece
        )

    def restore_string(self, string: str) -> str:
        """Give a string read from the text the halves it was written with."""
        return string.translate(self._halves)


def _escapes(letter: str) -> re.Pattern[bytes]:
    return re.compile(rf"\\u([{letter}{letter.upper()}])([89a-fA-F][0-9a-fA-F]{{2}})".encode())


def decode(decoder: "msgspec.json.Decoder[T]", data: bytes) -> T:
    """Decode; a lone surrogate is read as the replacement character."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        readable = _ESCAPE.sub(lambda match: rb"\ufffd" if match[1] else match[0], data)
        if readable == data:
            raise
        return decoder.decode(readable)


def is_too_deep(data: bytes) -> bool:
    """Tell whether brackets nest deeper than MAX_DEPTH; exact only where they could."""
    if data.count(b"{") + data.count(b"[") <= MAX_DEPTH:
        return False
    unescaped = data.replace(rb"\\", b"").replace(rb"\"", b"")
    outside_strings = b"".join(unescaped.split(b'"')[::2])
    brackets = outside_strings.translate(_STEPS, _NOT_BRACKETS)
    return max(accumulate(array("b", brackets)), default=0) > MAX_DEPTH


def storable(text: str) -> str:
    """Show by its picture what no text column can hold; the bytes it came from are kept exact."""
    return text.replace("\0", "\u2400")


def minify(data: bytes) -> bytes:
    """Drop the white space between tokens, and change nothing else."""
    try:
        return msgspec.json.format(data, indent=-1)
    except msgspec.DecodeError:
        return data
