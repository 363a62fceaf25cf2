"""How far a shard is read, as the store keeps it: sequence numbers are too large for its numbers.

A position's text is `CREATED KIND [WHERE]`: when the stream was created, by which another of the
same name is distinguished, and what the next iterator of the shard begins with.
"""

from typing import Any, Literal, NamedTuple

from headwater.store.positions import SourcePosition

Kind = Literal["start", "at", "after", "closed"]


class ShardPosition(NamedTuple):
    """Where in a shard reading goes on."""

    kind: Kind
    where: str = ""
    """At a time in milliseconds; after a sequence number."""

    @property
    def iterator(self) -> dict[str, Any]:
        """What requests an iterator from here on."""
        match self.kind:
            case "at":
                return {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": int(self.where) / 1000}
            case "after":
                kind = "AFTER_SEQUENCE_NUMBER"
                return {"ShardIteratorType": kind, "StartingSequenceNumber": self.where}
        return {"ShardIteratorType": "TRIM_HORIZON"}

    def text(self, created: str) -> str:
        """As a position's text, of the stream that was created then."""
        return " ".join(filter(None, (created, self.kind, self.where)))


TRIM_HORIZON = ShardPosition("start")
CLOSED = ShardPosition("closed")
_KINDS: dict[str, Kind] = {"start": "start", "at": "at", "after": "after", "closed": "closed"}


def parse_position(position: SourcePosition, created: str) -> ShardPosition | None:
    """A position of this very stream; None for one of another that had its name."""
    of, _, rest = position.incarnation.partition(" ")
    kind, _, where = rest.partition(" ")
    if of != created or kind not in _KINDS:
        return None
    return ShardPosition(_KINDS[kind], where)
