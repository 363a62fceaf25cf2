"""JSON bytes as they come: how deep they nest, and what in them no strict decoder reads.

JSON may name half of a surrogate pair (`"\\ud800"`). Such text is legal, so it is kept byte for
byte, but no strict decoder reads it. Where one refuses, the halves are replaced by escapes of the
same length and the rest is read as usual.

JSON sets no limit to numbers either, and most readers do: `1e400` is beyond a double, and Python
takes no integer of more than 4,300 digits. Such numbers are shown as text (`readable_numbers`).
"""

import re
from array import array
from itertools import accumulate
from typing import TypeVar

import msgspec

from headwater.errors import InvalidEvent

T = TypeVar("T")

# Deep enough for any event, and less than any decoder's own limit, which depends on its caller.
MAX_DEPTH = 500
TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"

WHITE_SPACE = b" \t\r\n"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|\\u([dD])([89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\."
)
# Large texts are looked at in pieces, so that little is held at once.
_SLICE = 65_536
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)', re.DOTALL)
# Digits alike: signs of a large number are then found with a plain search.
_ALIKE = bytes.maketrans(b"123456789E", b"000000000e")
_SIGNS_OF_LARGE_NUMBERS = (b"0e000", b"0e+000", b"0" * 200)
_STEPS = bytes.maketrans(b"[]{}", bytes((1, 255, 1, 255)))


class Readable:
    """A text with its lone surrogates replaced, so that it can be read, and put back afterwards.

    A half `\\udXXX` becomes `\\ueXXX`, and `\\uDXXX` `\\uEXXX`; or other digits, where the text has
    such escapes or characters itself.
    """

    def __init__(self, data: bytes) -> None:
        text = data.decode()
        free = (digit for digit in "eEfFcCbBaA987654321" if not _occurs(digit, data, text))
        self._digits = {b"d": next(free, "e").encode(), b"D": next(free, "E").encode()}
        self._back = {digit: half for half, digit in self._digits.items()}
        self._escapes = _escapes(b"".join(self._back).decode())
        self._halves = {
            int(digit + b"800", 16) + offset: 0xD800 + offset
            for digit in self._back
            for offset in range(0x800)
        }
        self.text = _ESCAPE.sub(self._replace, data)

    def _replace(self, match: re.Match[bytes]) -> bytes:
        return rb"\u" + self._digits[match[1]] + match[2] if match[1] else match[0]

    def restore(self, piece: bytes) -> bytes:
        """Give back what the sender wrote."""
        return self._escapes.sub(lambda match: rb"\u" + self._back[match[1]] + match[2], piece)

    def restore_string(self, string: str) -> str:
        """Give a string read from the text the halves it was written with."""
        return string.translate(self._halves)


def _escapes(digits: str) -> re.Pattern[bytes]:
    return re.compile(rf"\\u([{digits}])([89a-fA-F][0-9a-fA-F]{{2}})".encode())


def _occurs(digit: str, data: bytes, text: str) -> bool:
    """Whether a text names or holds a character of `\\u` and this digit, in any case."""
    first = int(f"{digit}800", 16)
    characters = re.compile(f"[{chr(first)}-{chr(first + 0x7FF)}]")
    escapes = _escapes(digit.lower() + digit.upper())
    return bool(escapes.search(data) or characters.search(text))


def clean(data: bytes) -> bytes:
    """Strip what may stand around JSON, and refuse what is no text."""
    data = data.strip(WHITE_SPACE).removeprefix(BYTE_ORDER_MARK).strip(WHITE_SPACE)
    _check_text(data)
    return data


def _check_text(data: bytes) -> None:
    if not data:
        raise InvalidEvent("$", "the body is empty; send a JSON event")
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise InvalidEvent("$", f"not UTF-8 at byte {error.start}") from None


def invalid_json(error: Exception) -> InvalidEvent:
    if isinstance(error, RecursionError):
        return InvalidEvent("$", TOO_DEEP)
    text = str(error).removeprefix("JSON is malformed: ")
    return InvalidEvent("$", f"invalid JSON: {text[0].lower()}{text[1:]}")


def decode(decoder: "msgspec.json.Decoder[T]", data: bytes) -> T:
    """Decode; half a surrogate pair is read as NUL, which no name may hold either."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        readable = _ESCAPE.sub(lambda match: rb"\u0000" if match[1] else match[0], data)
        if readable == data:
            raise
        return decoder.decode(readable)


def readable_numbers(data: bytes) -> bytes:
    """The same JSON with numbers that many readers cannot take as text: `1e400` as `"1e400"`."""
    alike = data.translate(_ALIKE)
    # Most of those found are part of a name or an id.
    if not any(sign in alike for sign in _SIGNS_OF_LARGE_NUMBERS) or _is_readable(data):
        return data
    return _TOKEN.sub(_readable_token, data)


def _is_readable(data: bytes) -> bool:
    try:
        msgspec.json.decode(data)
        return True
    except (msgspec.DecodeError, RecursionError):
        return False


def _readable_token(match: re.Match[bytes]) -> bytes:
    token = match[0]
    return b'"%b"' % token if match[1] and not _is_readable(token) else token


def is_too_deep(data: bytes) -> bool:
    """Whether brackets nest deeper than MAX_DEPTH; counted only where they could."""
    if data.count(b"{") + data.count(b"[") <= MAX_DEPTH:
        return False
    unescaped = data.replace(rb"\\", b"").replace(rb"\"", b"")
    depth = in_string = 0
    for start in range(0, len(unescaped), _SLICE):
        parts = unescaped[start : start + _SLICE].split(b'"')
        outside_strings = b"".join(parts[in_string::2])
        steps = array("b", outside_strings.translate(_STEPS, _NOT_BRACKETS))
        if depth + max(accumulate(steps), default=0) > MAX_DEPTH:
            return True
        depth += sum(steps)
        in_string ^= (len(parts) - 1) & 1
    return False


def storable(text: str) -> str:
    """Show by its picture what no text column can hold; the bytes it came from are kept exact."""
    return text.replace("\0", "\u2400")


def minify(data: bytes) -> bytes:
    """Drop the white space between tokens, and change nothing else."""
    try:
        return msgspec.json.format(data, indent=-1)
    except msgspec.DecodeError:
        return data
