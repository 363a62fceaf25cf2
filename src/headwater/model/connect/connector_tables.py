"""The tables that sinks write to, by the topics of their records."""

import re

from headwater.model.connect.connector_templates import (
    Config,
    Row,
    entries,
    expand,
    holds,
    python_regex,
)
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
            return self._spelled(stated)
        if self._is_map_complete():
            return self._unknown(topic, "The list of tables has none for this topic.")
        if "qualifier" in self._row and self._row["qualifier"] in topic:
            return topic.replace(self._row["qualifier"], ".")
        if "valid" in self._row and not re.fullmatch(self._row["valid"], topic):
            sentence = "The connector gives a table another name than that of this topic."
            return self._unknown(topic, sentence)
        named = expand(self._row.get("table", "{@topic}"), self._config, {"topic": self._in(topic)})
        if named and "${" in named[0]:
            return self._unknown(named[0], "The name of the table is in fields of the records.")
        return self._spelled(self._sanitized(named[0], "sanitized_name")) if named else ""

    def tables_of(self, topic: str) -> list[str]:
        """The tables of a topic: keys of the configuration may name several."""
        if "table_keys" not in self._row:
            return [self.table_of(topic)]
        keys = python_regex(self._row["table_keys"])
        found = (re.fullmatch(keys, key) for key in sorted(self._config))
        tables = [each["table"] for each in found if each and each["topic"] == topic]
        return tables or [self._unknown(topic, "No setting names a table for this topic.")]

    def _spelled(self, table: str) -> str:
        """A table as its system spells it, which may depend on quotes."""
        bare = _QUOTES.sub("", table)
        if self._row.get("is_upper") and bare == table:
            return table.upper()
        return bare.lower() if self._row.get("is_lower") else bare

    def _is_map_complete(self) -> bool:
        """Whether a list of tables is given, and topics that are not in it have none."""
        is_given = any(map(self._config.get, self._row.get("table_maps", {})))
        return bool(self._row.get("is_map_complete")) and is_given

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
        topic = self._sanitized(topic, "sanitized")
        is_changed = "sanitized" in self._row and self._is_sanitized()
        return f"_{topic}" if is_changed and topic[:1].isdigit() else topic

    def _sanitized(self, name: str, key: str) -> str:
        is_changed = key in self._row and self._is_sanitized()
        return re.sub(self._row[key], "_", name) if is_changed else name

    def _is_sanitized(self) -> bool:
        return holds(self._row["sanitized_where"], self._config)

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
