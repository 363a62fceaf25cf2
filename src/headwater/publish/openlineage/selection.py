"""Which stored events a relay sends, and with which namespaces; the others stay as they came."""

import json
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from headwater.publish.catalog import matches_any
from headwater.publish.openlineage.names import NamespaceRewrite, rewrite_namespaces


class _Named(msgspec.Struct):
    namespace: str
    name: str


class _Subject(msgspec.Struct):
    job: _Named | None = None
    dataset: _Named | None = None


_SUBJECT = msgspec.json.Decoder(_Subject)


def read_subject(payload: bytes) -> str:
    """What an event is of, as NAMESPACE/NAME: its job, or its dataset where it has none."""
    found = _SUBJECT.decode(payload)
    named = found.job or found.dataset
    return "" if named is None else f"{named.namespace}/{named.name}"


class RelayedEvents(NamedTuple):
    """Patterns over the jobs or datasets that events are of, and namespaces to replace."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    rewrites: Sequence[NamespaceRewrite] = ()

    def choose(self, payload: bytes) -> bytes | None:
        """An event as it is to be sent; None where it is not."""
        if (self.include or self.exclude) and not self._has(read_subject(payload)):
            return None
        if not self._may_be_changed(payload):
            return payload
        # By the standard library, which keeps numbers of any size.
        event = json.loads(payload)
        changed = rewrite_namespaces(event, self.rewrites)
        if changed == event:
            return payload
        return json.dumps(changed, separators=(",", ":")).encode()

    def _may_be_changed(self, payload: bytes) -> bool:
        """Whether a namespace to replace may be in it: some producers escape its slashes."""
        if not self.rewrites:
            return False
        return b"\\" in payload or any(f'"{each.old}'.encode() in payload for each in self.rewrites)

    def _has(self, subject: str) -> bool:
        if self.include and not matches_any(self.include, subject):
            return False
        return not matches_any(self.exclude, subject)
