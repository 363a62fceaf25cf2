"""Topics with a time in their names, as Kafka's TimestampRouter makes them: one group for all.

A new dataset each day would be a graph that only grows. The group has the format of the time in
the place of the time, in braces, which no topic has: `orders-{yyyyMMdd}`.
"""

import re
from typing import NamedTuple

# What the letters of Java's formats stand for, by letter; the others are of a fixed length.
_TEXT = r"[\w+:.-]+"
_NUMBERS = "yuMdDHhKkmsSwWFnN"


class DatedTopics(NamedTuple):
    """The topics of one router, by its two settings."""

    topic_format: str
    timestamp_format: str

    def group_of(self, topic: str) -> str:
        """The group of all topics that a topic becomes, over time."""
        dated = self.topic_format.replace("${timestamp}", f"{{{self.timestamp_format}}}")
        return dated.replace("${topic}", topic)

    def origin_of(self, dated: str) -> str | None:
        """The topic before the router, of one after it or of a group; None if it is neither."""
        time = f"(?:{_pattern(self.timestamp_format)}|{re.escape(f'{{{self.timestamp_format}}}')})"
        pattern = re.escape(self.topic_format)
        pattern = pattern.replace(re.escape("${timestamp}"), time)
        pattern = pattern.replace(re.escape("${topic}"), "(?P<topic>.+)", 1)
        found = re.fullmatch(pattern.replace(re.escape("${topic}"), "(?P=topic)"), dated)
        return found["topic"] if found and "topic" in found.groupdict() else None


def _pattern(timestamp_format: str) -> str:
    """What times of a format look like."""
    parts = []
    for found in re.finditer(r"'([^']*)'|([A-Za-z])\2*|.", timestamp_format):
        letter, text = found[2], found[0]
        if letter is None:
            parts.append(re.escape(text if found[1] is None else found[1] or "'"))
        elif letter not in _NUMBERS or (letter == "M" and len(text) > 2):
            parts.append(_TEXT)
        else:
            parts.append(rf"\d{{{len(text)},}}" if len(text) == 1 else rf"\d{{{len(text)}}}")
    return "".join(parts)
