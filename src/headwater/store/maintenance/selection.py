"""Which events are to be erased: those that hold a text, or those of a namespace."""

import json
import unicodedata
from collections.abc import Iterator
from typing import Any, Protocol

from headwater.errors import InvalidEvent, InvalidRequest
from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.project import project
from headwater.model.relations import JobRow, Named, NamedKind

# A shorter text is in nearly every event.
SHORTEST_TEXT = 3
# What the log of erasures sets (`maintenance/erasures`): it names nobody, and stays.
ERASURE_ASPECT = "erasure"
_LOGGED = f'"{ERASURE_ASPECT}":'.encode()


class Selection(Protocol):
    """What is to be erased; `kind` is all that the log tells of it."""

    kind: str

    def has(self, payload: bytes) -> bool:
        """Whether an event is selected."""

    def has_text(self, text: str) -> bool:
        """Whether a text beside events, such as an error message, holds what is selected."""

    def has_value(self, column: str, text: str) -> bool:
        """Whether the value of a column of the store names what is selected."""

    def has_rejected(self, payload: bytes) -> bool:
        """Whether a rejected body is selected, of which no more than its bytes is known."""


class HoldingText:
    """Events that hold a text anywhere: in either case, however their JSON spells its letters."""

    kind = "matching"

    def __init__(self, text: str) -> None:
        self._text = _fold(text.strip())
        if len(self._text) < SHORTEST_TEXT:
            raise InvalidRequest("--matching", f"shorter than {SHORTEST_TEXT} characters")

    def has(self, payload: bytes) -> bool:
        return not is_logged_erasure(payload) and self.has_rejected(payload)

    def has_text(self, text: str) -> bool:
        return self._text in _fold(text)

    def has_value(self, column: str, text: str) -> bool:
        return self.has_text(text)

    def has_rejected(self, payload: bytes) -> bool:
        text = payload.decode(errors="replace")
        if self.has_text(text):
            return True
        # Spelled otherwise: JSON may write any letter as \uXXXX, and must write some.
        return "\\" in text and any(map(self.has_text, _strings(text)))


class InNamespace:
    """Events that name a job or a dataset of a namespace, and edits of the namespace itself."""

    kind = "namespace"

    def __init__(self, namespace: str) -> None:
        if not namespace:
            raise InvalidRequest("--namespace", "empty")
        self._namespace = namespace
        spellings = {json.dumps(namespace), json.dumps(namespace, ensure_ascii=False)}
        self._quoted = tuple(spelling.encode(errors="surrogatepass") for spelling in spellings)

    def has(self, payload: bytes) -> bool:
        if is_logged_erasure(payload) or not self._may_have(payload):
            return False
        try:
            return self._is_in(project(decode_event(payload)))
        except InvalidEvent:
            # Another version has taken it in.
            return self.has_rejected(payload)

    def _may_have(self, payload: bytes) -> bool:
        """Cheap, and true of all that is selected: a dataset without a namespace gets one that
        holds its job's."""
        return (
            b"\\" in payload
            or self._namespace.startswith("unknown:")
            or any(quoted in payload for quoted in self._quoted)
        )

    def _is_in(self, facts: Facts) -> bool:
        named = self._namespace
        if any(dataset.namespace == named for dataset in facts.names.values()):
            return True
        if any(JobRow._make(row).namespace == named for row in facts.rows.get("job", ())):
            return True
        others = (Named._make(row) for row in facts.rows.get("named", ()))
        return any(row.kind == NamedKind.NAMESPACE and row.name == named for row in others)

    def has_text(self, text: str) -> bool:
        return self._namespace in text

    def has_value(self, column: str, text: str) -> bool:
        return column == "namespace" and text == self._namespace

    def has_rejected(self, payload: bytes) -> bool:
        if any(quoted in payload for quoted in self._quoted):
            return True
        return b"\\" in payload and self._namespace in _strings(payload.decode(errors="replace"))


def is_logged_erasure(payload: bytes) -> bool:
    return _LOGGED in payload and b'"edit":' in payload


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _strings(text: str) -> Iterator[str]:
    """Every string of a JSON text; of one that breaks off, those before the break."""
    try:
        found = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        yield from _loose_strings(text)
        return
    left: list[Any] = [found]
    while left:
        each = left.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            yield from each
            left += each.values()
        elif isinstance(each, list):
            left += each


def _loose_strings(text: str) -> Iterator[str]:
    """Strings of what is no JSON: whatever can be read as one from a quotation mark on."""
    start = text.find('"')
    while start >= 0:
        try:
            string, end = json.decoder.scanstring(text, start + 1, False)  # type: ignore[attr-defined]
        except ValueError:
            return
        yield string
        start = text.find('"', end)
