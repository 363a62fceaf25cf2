"""What a Kafka connector reads and writes, derived from its configuration.

What is known of each class of connectors is data (`connectors.json`), which the Java part inside
Connect's workers reads too. A row gives templates for the names of the datasets outside Kafka.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from headwater.model.connect.connector_names import in_database, name_location, name_system
from headwater.model.connect.connector_tables import SinkTables
from headwater.model.connect.connector_templates import (
    Config,
    Row,
    entries,
    expand,
    find_patterns,
    has_single_entries,
    holds,
    is_alias,
    knowledge,
    python_regex,
)
from headwater.model.connect.connector_transforms import ConnectorGap, TransformChain
from headwater.model.naming import DatasetName

# A database or a schema that is not known; tables in it have no name.
UNKNOWN = "?"

# The two classes of the plugin that configurations name.
TRANSFORM_CLASS = "io.headwater.connect.HeadwaterTransform"
EXTENSION_CLASS = "io.headwater.connect.HeadwaterRestExtension"


class External(NamedTuple):
    """A dataset outside Kafka, and the topics that it fills or is filled from.

    `guessed`: its name depends on a transform whose effect is not known.
    """

    name: DatasetName
    topics: tuple[str, ...]
    other: DatasetName | None = None
    guessed: bool = False


class Described(NamedTuple):
    """What a connector is: `topics` are those that are known, `guessed` is no class we know."""

    role: str
    guessed: bool
    topics: tuple[str, ...]
    externals: tuple[External, ...]
    gaps: tuple[ConnectorGap, ...] = ()


class _Pair(NamedTuple):
    """A table and a topic, either of them empty where it is not known.

    `final` is the topic after all transforms, by which a sink names what it writes.
    """

    table: str
    topic: str
    final: str = ""
    guessed: bool = False


def describe(
    config: Config, seen: Sequence[str] = (), role: str = "", rows: Sequence[Row] = ()
) -> Described:
    """Derive what a connector reads and writes; `seen` are topics of its records.

    `role` is what the worker says of a class that is not known; `rows` are a user's own.
    """
    known = row_of(config, rows)
    role = known["role"] if known else role or _guess_role(config)
    for row in [known] if known else knowledge()["guesses"]:
        connector = _Connector(row, config)
        found = connector.of_sink(seen) if role == "sink" else connector.of_source(seen)
        if found.externals or known:
            return found._replace(role=role, guessed=known is None)
    return found._replace(role=role, guessed=True)


def row_of(config: Config, rows: Sequence[Row] = ()) -> Row | None:
    """The rule for a connector's class; None of one that is not known."""
    return next((row for row in [*rows, *knowledge()["connectors"]] if _is_of(row, config)), None)


def _is_of(row: Row, config: Config) -> bool:
    """Whether a row is for a class, which Connect also takes without `Connector` at its end."""
    kind = config.get("connector.class", "")
    is_class = any(
        is_alias(kind, name) or (kind and kind == _last(name).removesuffix("Connector"))
        for name in row["classes"]
    )
    return is_class and all(
        re.fullmatch(pattern, config.get(key, "")) for key, pattern in row.get("where", {}).items()
    )


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _guess_role(config: Config) -> str:
    kind = _last(config.get("connector.class", "")).lower()
    if "sink" in kind:
        return "sink"
    if "source" in kind or "datagen" in kind:
        return "source"
    return "sink" if "topics" in config or "topics.regex" in config else "source"


def _matches(pattern: str, table: str) -> bool:
    """Whether a pattern of a list, which may omit the database, matches a table."""
    try:
        return bool(re.fullmatch(rf"(?:.*\.)?(?:{pattern})", table, re.IGNORECASE))
    except re.error:
        return False


class _Connector:
    """A connector's configuration, read by a row of the rules."""

    def __init__(self, row: Row, config: Config) -> None:
        self._row = row
        self._config = config
        self._chain = TransformChain(config)
        self._tables = SinkTables(row, config)
        self._gaps = [ConnectorGap(*row["gap"])] if "gap" in row else []
        self._gaps += self._chain.gaps()
        # Tables of the configuration that are others but for their case.
        self._misspelt: set[str] = set()

    def of_source(self, seen: Sequence[str]) -> Described:
        listed = self._in_known_case(self._listed(), seen)
        routed = [(table, self._chain.route(topic)) for table, topic in listed]
        named = [topic for _, topic in routed if topic]
        topics = tuple(dict.fromkeys([*named, *map(self._chain.grouped, seen)]))
        tables = {table for table, _ in listed}
        pairs = [
            _Pair(table, topic, guessed=bool(table) and table not in tables)
            for table, topic in self._read(routed, topics)
        ]
        return self._described(topics, pairs)

    def of_sink(self, seen: Sequence[str]) -> Described:
        topics = tuple(dict.fromkeys([*entries(self._config.get("topics", "")), *seen]))
        if not topics and (pattern := self._config.get("topics.regex")):
            sentence = "No topic is known yet that this pattern matches and records came from."
            self._gaps.append(ConnectorGap("input", pattern, sentence))
        return self._described(topics, [*self._written(topics)])

    def _listed(self) -> list[tuple[str, str]]:
        """Pairs of a table and a topic that a source's configuration names, before transforms."""
        tables = expand(self._row["tables"], self._config, {}) if "tables" in self._row else [""]
        found = [(table, topic) for table in tables for topic in self._topics_of(table)]
        if "topic_keys" in self._row:
            named = (re.fullmatch(self._row["topic_keys"], key) for key in sorted(self._config))
            found += [("", match[1]) for match in named if match]
        return found

    def _in_known_case(
        self, listed: Sequence[tuple[str, str]], seen: Sequence[str]
    ) -> list[tuple[str, str]]:
        """Without the tables that records show in another case, where lists ignore that."""
        if not self._row.get("ignores_case"):
            return [*listed]
        shown = {self._captured(self._chain.grouped(topic)) for topic in seen}
        lower = {table.lower() for table in shown}
        self._misspelt = {
            table for table, _ in listed if table not in shown and table.lower() in lower
        }
        return [(table, topic) for table, topic in listed if table not in self._misspelt]

    def _topics_of(self, table: str) -> list[str]:
        """The topic of a table, by the first pattern that has all of its variables."""
        written = table.replace(".", self._delimiter())
        local = {"table": written, "topic": table, "last": _last(table)} if table else {}
        for pattern in self._row.get("topics", []):
            if found := expand(pattern, self._config, local):
                characters = self._row.get("no_topic_characters", "")
                return [re.sub(characters, "_", each) for each in found] if characters else found
        return []

    def _read(
        self, routed: Sequence[tuple[str, str | None]], topics: Sequence[str]
    ) -> Iterable[tuple[str, str]]:
        """Pairs of a table and a topic of a source."""
        tables = expand(self._row["tables"], self._config, {}) if "tables" in self._row else []
        if not any(re.search(r"@(table|last)\}", each) for each in self._row.get("topics", [])):
            return [
                *((table, "") for table in tables),
                *(("", t) for t in topics if not tables),
            ] or [("", "")]
        pairs = [(table, topic) for table, topic in routed if table and topic]
        paired = {topic for _, topic in pairs}
        for topic in topics:
            if topic not in paired and (table := self._captured(topic)):
                pairs.append((table, topic))
        if self._chain.gaps() and (only := self._only_table(tables)):
            # As of an outbox: whatever its records are routed by, they come from there.
            paired = {topic for _, topic in pairs}
            own = (topic for topic in topics if topic not in paired and not self._is_own(topic))
            pairs += [(only, topic) for topic in own]
        captured = {table for table, _ in pairs} | self._misspelt
        pairs += [(table, "") for table in tables if table not in captured]
        self._report_unknown(topics, pairs)
        self._report_unmatched([table for table, _ in pairs])
        return pairs

    def _only_table(self, tables: Sequence[str]) -> str:
        """The one table that the connector reads, if it is one and no pattern."""
        is_one = has_single_entries(self._row.get("tables", ""), self._config)
        return tables[0] if len(tables) == 1 and is_one and "own_topics" in self._row else ""

    def _report_unknown(self, topics: Sequence[str], pairs: Sequence[tuple[str, str]]) -> None:
        """A topic that may come from any table, or from one that is not known, is a gap."""
        known = {topic for _, topic in pairs}
        for topic in topics:
            if topic not in known and not self._is_own(topic):
                sentence = "From which table the records of this topic come is not known."
                self._gaps.append(ConnectorGap("input", topic, sentence))

    def _report_unmatched(self, tables: Sequence[str]) -> None:
        """A pattern that no table matches that is known: its tables show with their records."""
        for pattern in find_patterns(self._row.get("tables", ""), self._config):
            if not any(_matches(pattern, table) for table in tables):
                sentence = "No record has shown yet which tables this pattern matches."
                self._gaps.append(ConnectorGap("input", pattern, sentence))

    def _is_own(self, topic: str) -> bool:
        """Whether a topic is for the connector's own use: heartbeats, transactions."""
        own = [
            each
            for template in self._row.get("own_topics", [])
            for each in expand(template, self._config, {})
        ]
        return any(topic in (each, self._chain.route(each)) for each in own)

    def _delimiter(self) -> str:
        found = expand(self._row.get("delimiter", "{=.}"), self._config, {})
        return found[0] if found else "."

    def _captured(self, topic: str) -> str:
        """The table that a topic's name refers to; none where a transform renames the topic."""
        topic = self._chain.origin_of(topic)
        if not topic or self._is_own(topic):
            return ""
        for pattern in self._row["topics"]:
            before, found, after = re.sub(r"\{@(table|last)\}", "\0", pattern).partition("\0")
            affixes = product(expand(before, self._config, {}), expand(after, self._config, {}))
            for start, end in affixes if found else []:
                is_match = topic.startswith(start) and topic.endswith(end)
                if is_match and (
                    table := self._table_in(topic[len(start) : len(topic) - len(end)])
                ):
                    return table
        return ""

    def _table_in(self, name: str) -> str:
        delimiter, parts = self._delimiter(), self._row.get("parts", 1)
        table = name.split(delimiter)
        # Another delimiter than a dot may be part of a name too.
        is_table = len(table) == parts or (delimiter == "." and len(table) > parts)
        return ".".join(table) if is_table and all(table) else ""

    def _written(self, topics: Sequence[str]) -> Iterable[_Pair]:
        """Pairs of a table and a topic of a sink."""
        for topic in topics or [""]:
            routed = self._chain.route(topic) if topic else ""
            final = topic if routed is None else routed
            if "tables" in self._row:
                for table in expand(self._row["tables"], self._config, {}):
                    yield _Pair(table, topic, final)
            else:
                for table in self._tables.tables_of(final):
                    yield _Pair(table, topic, final, routed is None)

    def _described(self, topics: tuple[str, ...], pairs: Iterable[_Pair]) -> Described:
        found: dict[DatasetName, External] = {}
        for pair in pairs:
            local = {"table": pair.table, "topic": pair.final or pair.topic}
            for name, other in self._names({key: part for key, part in local.items() if part}):
                before = found[name].topics if name in found else ()
                of = (pair.topic,) if pair.topic and pair.topic not in before else ()
                guessed = pair.guessed and self._is_guess(pair)
                found[name] = External(name, (*before, *of), other, guessed)
        self._report_unnamed(topics, found)
        gaps = tuple(dict.fromkeys([*self._gaps, *self._tables.gaps]))
        return Described("", False, topics, tuple(found.values()), gaps)

    def _report_unnamed(self, topics: Sequence[str], found: Mapping[DatasetName, External]) -> None:
        """A dataset that the settings do not name is a gap, where there must be one."""
        role, is_outside = self._row.get("role"), "url" in self._row or "namespace" in self._row
        must_be = role and not self._row.get("may_have_no_name") and is_outside
        if not must_be or found or self._gaps or self._tables.gaps or self._is_nameless():
            return
        kind, does = ("output", "writes") if role == "sink" else ("input", "reads")
        sentence = f"The settings do not name the datasets that the connector {does}."
        if all(map(self._is_own, topics)):
            sentence = (
                f"Its first record shows which datasets the connector {does}; none is listed."
            )
        name = self._config.get("connector.class", "")
        self._gaps.append(ConnectorGap(kind, name, sentence))

    def _is_nameless(self) -> bool:
        """Whether a URL is of a kind that has no name, such as a database in memory."""
        urls = expand(self._row.get("url", "{@nothing}"), self._config, {})
        return any(
            rule["namespace"] == "{@nothing}" and re.fullmatch(rule["pattern"], url)
            for url in urls
            for rule in knowledge()["urls"]
        )

    def _is_guess(self, pair: _Pair) -> bool:
        """Whether another topic would have another table or folder, or a table another schema."""
        if self._row.get("role") == "source":
            is_stated = "schema" in self._above("")
            return not is_stated and not self._names({"table": pair.table, "schema": UNKNOWN})
        other = f"{pair.final}-other"
        local = {"table": self._tables.table_of(other), "topic": other}
        return self._names({"table": pair.table, "topic": pair.final}) != self._names(local)

    def _names(self, local: Mapping[str, str]) -> list[tuple[DatasetName, DatasetName | None]]:
        row, config = self._row, self._config
        if "location" in row and "table" in local:
            for location in expand(row["location"], config, local):
                return [self._name_location(location, local["table"])]
        if "url" in row:
            urls = expand(row["url"], config, {})
            local = {**self._above(local.get("topic", "")), **local}
            return [(name, None) for url in urls for name in self._at(url, local)]
        namespaces = expand(row.get("namespace", "{=}"), config, local)
        names = expand(row.get("name", "{=}"), config, local)
        is_folder = row.get("is_folder", False)
        return [
            (name_system(space, name, is_folder), None)
            for space in namespaces
            for name in names
            if name
        ]

    def _name_location(self, location: str, table: str) -> tuple[DatasetName, DatasetName]:
        row, config = self._row, self._config
        suffix = row["database_suffix"] if holds(row.get("suffix_where", []), config) else ""
        root = row["root_database"] if holds(row.get("root_where", []), config) else ""
        catalogs = expand(row.get("catalog", "{@nothing}"), config, {})
        is_catalog = bool(catalogs) and holds(row.get("catalog_where", []), config)
        return name_location(location, table, suffix, root, catalogs[0] if is_catalog else "")

    def _at(self, url: str, local: Mapping[str, str]) -> Iterable[DatasetName]:
        """The table behind a URL; user and options of the URL are omitted."""
        # A row may have a pattern of its own, for addresses that only it understands.
        for rule in [self._row] if "pattern" in self._row else knowledge()["urls"]:
            found = re.fullmatch(python_regex(rule["pattern"]), url)
            if found is None:
                continue
            parts = {**{key: part for key, part in found.groupdict().items() if part}, **local}
            spaces = expand(rule["namespace"], self._config, parts)
            if "name" in rule:
                names = expand(rule["name"], self._config, parts)
                is_folder = rule.get("is_folder", False)
                return [name_system(space, name, is_folder) for space in spaces for name in names]
            within = expand(rule.get("within", "{=}"), self._config, parts)
            if "table" not in local:
                return []
            name = in_database(within[0] if within else "", local["table"])
            is_known = UNKNOWN not in name.split(".")
            return [name_system(space, name) for space in spaces if is_known]
        return []

    def _above(self, topic: str) -> dict[str, str]:
        """Database and schema, where settings besides the address name them."""
        above = {}
        if "schema" in self._row and any(expand(self._row["schema"][0], self._config, {})):
            schemas = expand(self._row["schema"][1], self._config, {})
            above["schema"] = schemas[0] if len(schemas) == 1 else UNKNOWN
        for key in expand(self._row.get("database_key", "{@nothing}"), {}, {"topic": topic}):
            if self._config.get(key):
                above["database"] = self._config[key]
        return above
