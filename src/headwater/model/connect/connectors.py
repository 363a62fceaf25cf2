"""What a Kafka connector reads and writes, derived from its configuration.

What is known of each class of connectors is data (`connectors.json`), which the Java part inside
Connect's workers reads too. A row says by templates what the datasets outside Kafka are called:
`{a.key|other.key|=literal}` is the first that there is, `@name` in it a part found before (the
topic, the table, a group of a URL), and `{a.list*}` stands for each of its entries.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from headwater.model.connect.connector_names import in_database, name_location, name_system
from headwater.model.naming import DatasetName

Config = Mapping[str, str]
Row = Mapping[str, Any]

# The two classes of the plugin that configurations name.
TRANSFORM_CLASS = "io.headwater.connect.HeadwaterTransform"
EXTENSION_CLASS = "io.headwater.connect.HeadwaterRestExtension"

_VARIABLE = re.compile(r"\{([^{}]+)\}")
_PLAIN = re.compile(r"[\w$ -]+(\.[\w$ -]+)*")


class External(NamedTuple):
    """A dataset outside Kafka, and the topics that it fills or is filled from."""

    name: DatasetName
    topics: tuple[str, ...]
    other: DatasetName | None = None


class Described(NamedTuple):
    """What a connector is: `topics` are those that are known, `guessed` is no class we know."""

    role: str
    guessed: bool
    topics: tuple[str, ...]
    externals: tuple[External, ...]


def describe(
    config: Config, seen: Sequence[str] = (), role: str = "", rows: Sequence[Row] = ()
) -> Described:
    """Derive what a connector reads and writes; `seen` are topics of its records.

    `role` is what the worker says of a class that is not known; `rows` are a user's own.
    """
    kind = config.get("connector.class", "")
    known = next((row for row in [*rows, *knowledge()["connectors"]] if _is_of(row, kind)), None)
    role = known["role"] if known else role or _guess_role(config)
    topics = _topics(config, role, known or {}, seen)
    candidates = [known] if known else knowledge()["guesses"]
    for row in candidates:
        externals = _externals(row, config, role, topics)
        if externals:
            return Described(role, known is None, topics, externals)
    return Described(role, known is None, topics, ())


@cache
def knowledge() -> Mapping[str, Any]:
    """The contents of `connectors.json`."""
    found: Mapping[str, Any] = json.loads(
        files("headwater.model.connect").joinpath("connectors.json").read_bytes()
    )
    return found


def _is_of(row: Row, kind: str) -> bool:
    """Connect takes a class by its whole name, its last part, and that without `Connector`."""
    for name in row["classes"]:
        last = name.rpartition(".")[2]
        if kind and kind in (name, last, last.removesuffix("Connector")):
            return True
    return False


def _guess_role(config: Config) -> str:
    kind = config.get("connector.class", "").rpartition(".")[2].lower()
    if "sink" in kind:
        return "sink"
    if "source" in kind or "datagen" in kind:
        return "source"
    return "sink" if "topics" in config or "topics.regex" in config else "source"


def _topics(config: Config, role: str, row: Row, seen: Sequence[str]) -> tuple[str, ...]:
    """Topics from the configuration, then those that were seen."""
    if role == "sink":
        listed = _entries(config.get("topics", ""))
    elif _is_renamed(config):
        listed = []
    else:
        patterns = row.get("topics", [])[:1]
        tables = _expand(row["tables"], config, {}) if "tables" in row else [""]
        listed = [
            topic
            for table in tables
            for pattern in patterns
            for topic in _expand(pattern, config, {"table": table} if table else {})
        ]
        if "topic_keys" in row:
            named = (re.fullmatch(row["topic_keys"], key) for key in sorted(config))
            listed += [found[1] for found in named if found]
    return tuple(dict.fromkeys([*listed, *seen]))


def _is_renamed(config: Config) -> bool:
    """Whether a transform may give records of a source another topic."""
    names = _entries(config.get("transforms", ""))
    return any(config.get(f"transforms.{name}.type", "") != TRANSFORM_CLASS for name in names)


def _externals(row: Row, config: Config, role: str, topics: Sequence[str]) -> tuple[External, ...]:
    found: dict[DatasetName, External] = {}
    for table, topic in _tables(row, config, role, topics):
        local = {"table": table, "topic": topic}
        for name, other in _names(row, config, {k: v for k, v in local.items() if v}):
            before = found[name].topics if name in found else ()
            of = (topic,) if topic and topic not in before else ()
            found[name] = External(name, (*before, *of), other)
    return tuple(found.values())


def _tables(
    row: Row, config: Config, role: str, topics: Sequence[str]
) -> Iterable[tuple[str, str]]:
    """Pairs of a table and a topic, either of them empty where it is not known."""
    listed = _expand(row["tables"], config, {}) if "tables" in row else []
    if role == "sink":
        if "tables" in row:
            return [(table, topic) for table in listed for topic in topics or [""]]
        return [(_table_of(row, config, topic), topic) for topic in topics or [""]]
    if "{@table}" not in "".join(row.get("topics", [])):
        return [("", topic) for topic in topics or [""]]
    pairs = [(_captured(row, config, topic), topic) for topic in topics]
    captured = {table for table, _ in pairs}
    return [*(pair for pair in pairs if pair[0]), *((t, "") for t in listed if t not in captured)]


def _table_of(row: Row, config: Config, topic: str) -> str:
    if not topic:
        return ""
    written = topic.replace(".", row["dots"]) if "dots" in row else topic
    named = _expand(row.get("table", "{@topic}"), config, {"topic": written})
    return named[0] if named else ""


def _captured(row: Row, config: Config, topic: str) -> str:
    """The table that a topic's name refers to; none for a connector's own topics."""
    for pattern in row["topics"]:
        before, _, after = pattern.partition("{@table}")
        for start in _expand(before, config, {}):
            table = topic.removeprefix(start)
            is_of = topic.startswith(start) and not after
            if is_of and table and table.count(".") + 1 >= row.get("parts", 1):
                return table
    return ""


def _names(
    row: Row, config: Config, local: Mapping[str, str]
) -> list[tuple[DatasetName, DatasetName | None]]:
    if "location" in row and "table" in local:
        for location in _expand(row["location"], config, local):
            return [name_location(location, local["table"], _database_suffix(row, config))]
    if "url" in row:
        return [
            (name, None)
            for url in _expand(row["url"], config, {})
            for name in _at(url, config, local)
        ]
    namespaces = _expand(row.get("namespace", "{=}"), config, local)
    names = _expand(row.get("name", "{=}"), config, local)
    return [(name_system(space, name), None) for space in namespaces for name in names if name]


def _database_suffix(row: Row, config: Config) -> str:
    """What the catalog puts behind the name of a database's folder."""
    pairs = (each.split("=") for each in row.get("suffix_where", []))
    is_used = any(config.get(key) == value for key, value in pairs)
    return str(row["database_suffix"]) if is_used else ""


def _at(url: str, config: Config, local: Mapping[str, str]) -> Iterable[DatasetName]:
    """The table behind a URL; user and options of the URL are omitted."""
    for rule in knowledge()["urls"]:
        found = re.fullmatch(rule["pattern"].replace("(?<", "(?P<"), url)
        if found is None:
            continue
        parts = {**local, **{key: part for key, part in found.groupdict().items() if part}}
        spaces = _expand(rule["namespace"], config, parts)
        if "name" in rule:
            names = _expand(rule["name"], config, parts)
            return [name_system(space, name) for space in spaces for name in names]
        within = _expand(rule["within"], config, parts)
        if "table" not in local:
            return []
        name = in_database(within[0] if within else "", local["table"])
        return [name_system(space, name) for space in spaces]
    return []


def _expand(template: str, config: Config, local: Mapping[str, str]) -> list[str]:
    """All that a template can mean: nothing where a variable has no value."""
    texts = [""]
    end = 0
    for found in _VARIABLE.finditer(template):
        between = template[end : found.start()]
        end = found.end()
        values = _values(found[1], config, local)
        texts = [text + between + value for text in texts for value in values]
    return [text + template[end:] for text in texts]


def _values(variable: str, config: Config, local: Mapping[str, str]) -> list[str]:
    is_list = variable.endswith("*")
    for choice in variable.removesuffix("*").split("|"):
        if choice.startswith("="):
            return [choice[1:]]
        value = local.get(choice[1:]) if choice.startswith("@") else config.get(choice)
        if value:
            if is_list:
                return [entry for entry in map(_unescaped, _entries(value)) if entry]
            return [value.replace("${topic}", local.get("topic", "${topic}"))]
    return []


def _entries(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def _unescaped(pattern: str) -> str:
    """The one name that a regular expression stands for; nothing where it stands for more."""
    plain = pattern.replace("\\.", ".").replace("\\$", "$")
    return plain if _PLAIN.fullmatch(plain) else ""
