"""What the store refuses, for other reasons than being unavailable: reported, and kept."""

from headwater.errors import NotStorable
from headwater.model.facts import Facts
from headwater.model.intake import reject


def refusal_of(error: Exception) -> NotStorable:
    """The first line of a database's message; the others repeat the statement."""
    reason = str(error).partition("\n")[0] or type(error).__name__
    return NotStorable(f"the store refuses it: {reason}")


def keep_refused(data: bytes, received_at: int, source: str, refusal: NotStorable) -> Facts:
    """An event that was refused by itself, as one of the rejected."""
    return reject(data, received_at, source, "$", refusal.message)
