"""The tables that sinks write to, by the topics of their records."""

import re

from headwater.model.connect.connector_templates import Config, Row, entries, expand, holds
from headwater.model.connect.connector_transforms import ConnectorGap

_QUOTES = re.compile(r"[`\"\[\]]")


class SinkTables:
    """Names tables by a row of the rules; `gaps` has the topics whose table is not known."""

    def __init__(self, row: Row, config: Config) -> None:
        self._row = row
        self._config = config
        self.gaps: list[ConnectorGap] = []

    def table_of(self, topic: str) -> str:
        """The table of a topic, as it is after all transforms; empty where it is not known."""
        if not topic:
            return ""
        if stated := self._stated(topic):
            return stated
        if "qualifier" in self._row and self._row["qualifier"] in topic:
            return topic.replace(self._row["qualifier"], ".")
        if "valid" in self._row and not re.fullmatch(self._row["valid"], topic):
            sentence = "The connector gives a table another name than that of this topic."
            return self._unknown(topic, sentence)
        named = expand(self._row.get("table", "{@topic}"), self._config, {"topic": self._in(topic)})
        if named and "${" in named[0]:
            return self._unknown(named[0], "The name of the table is in fields of the records.")
        table = _QUOTES.sub("", named[0]) if named else ""
        return table.lower() if self._row.get("is_lower") else table

    def _stated(self, topic: str) -> str:
        """The table that the configuration gives a topic: by a list of pairs, or a key of it."""
        if "table_key" in self._row:
            for key in expand(self._row["table_key"], {}, {"topic": topic}):
                if found := self._config.get(key):
                    return found
        for key, separator in self._row.get("table_maps", {}).items():
            for entry in entries(self._config.get(key, "")):
                pattern, _, table = entry.rpartition(separator)
                if _matches(pattern.strip(), topic):
                    above = expand(self._row.get("map_within", "{=}"), self._config, {})
                    return ".".join(filter(None, (*above, table.strip())))
        return ""

    def _in(self, topic: str) -> str:
        """A topic as it is written into the name of a table."""
        if "dots" in self._row:
            topic = topic.replace(".", self._row["dots"])
        if "sanitized" in self._row and holds(self._row["sanitized_where"], self._config):
            topic = re.sub(self._row["sanitized"], "_", topic)
            topic = f"_{topic}" if topic[:1].isdigit() else topic
        return topic

    def _unknown(self, name: str, sentence: str) -> str:
        self.gaps.append(ConnectorGap("output", name, sentence))
        return ""


def _matches(pattern: str, topic: str) -> bool:
    if pattern == topic:
        return True
    try:
        return re.fullmatch(pattern, topic) is not None
    except re.error:
        return False
