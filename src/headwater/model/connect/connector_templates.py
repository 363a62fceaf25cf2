"""Templates of `connectors.json`: texts with variables from a connector's configuration.

`{a.key|other.key|=literal}` is the first that there is, `@name` in it a part found before (the
topic, the table, a group of a URL), and `{a.list*}` stands for each of its entries. `a.key!` also
counts if it is set to nothing, `a.key^` is written in upper case.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

Config = Mapping[str, str]
Row = Mapping[str, Any]

_VARIABLE = re.compile(r"\{([^{}]+)\}")
_PLAIN = re.compile(r"[\w$ -]+(\.[\w$ -]+)*")


@cache
def knowledge() -> Mapping[str, Any]:
    """The contents of `connectors.json`."""
    found: dict[str, Any] = json.loads(
        files("headwater.model.connect").joinpath("connectors.json").read_bytes()
    )
    families = found["families"]
    rows = [{**families.get(row.get("family"), {}), **row} for row in found["connectors"]]
    return {**found, "connectors": rows}


def python_regex(pattern: str) -> str:
    """A regular expression of Java's as Python writes it: named groups."""
    return re.sub(r"\(\?<(?=\w)", "(?P<", pattern)


def is_alias(given: str, name: str) -> bool:
    """Connect takes a class by its whole name and by its last part."""
    return bool(given) and given in (name, name.rpartition(".")[2])


def expand(template: str, config: Config, local: Mapping[str, str]) -> list[str]:
    """All that a template can mean: nothing where a variable has no value."""
    texts = [""]
    end = 0
    for found in _VARIABLE.finditer(template):
        between = template[end : found.start()]
        end = found.end()
        values = _values(found[1], config, local)
        texts = [text + between + value for text in texts for value in values]
    return [text + template[end:] for text in texts]


def entries(text: str) -> list[str]:
    """The entries of a list of Connect's."""
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def has_single_entries(template: str, config: Config) -> bool:
    """Whether each list in a template has one entry, patterns included."""
    return all(len(each) == 1 for each in _lists(template, config))


def find_patterns(template: str, config: Config) -> list[str]:
    """The entries of a template's lists that stand for more than one name."""
    return [entry for each in _lists(template, config) for entry in each if not _unescaped(entry)]


def _lists(template: str, config: Config) -> list[list[str]]:
    lists = [found[1] for found in _VARIABLE.finditer(template) if found[1].endswith("*")]
    return [
        entries(next(filter(None, map(config.get, each.removesuffix("*").split("|"))), ""))
        for each in lists
    ]


def holds(conditions: list[str], config: Config) -> bool:
    """Whether one of the conditions `key=value` is true of a configuration, in whatever case."""
    pairs = (each.split("=") for each in conditions)
    return any(config.get(key, "").strip().lower() == value.lower() for key, value in pairs)


def _values(variable: str, config: Config, local: Mapping[str, str]) -> list[str]:
    is_list = variable.endswith("*")
    for choice in variable.removesuffix("*").split("|"):
        if choice.startswith("="):
            return [choice[1:]]
        key = choice.rstrip("!^")
        value = local.get(key[1:]) if key.startswith("@") else config.get(key)
        if value or (value is not None and choice.endswith("!")):
            if is_list:
                return [entry for entry in map(_unescaped, entries(value)) if entry]
            spelled = value.upper() if choice.endswith("^") else value
            return [_with_topic(spelled, local.get("topic"))]
    return []


def _with_topic(value: str, topic: str | None) -> str:
    if topic is None:
        return value
    return value.replace("${topic}", topic).replace("{{topic}}", topic)


def _unescaped(pattern: str) -> str:
    """The one name that a regular expression stands for; nothing where it stands for more."""
    plain = pattern.replace("\\.", ".").replace("\\$", "$")
    return plain if _PLAIN.fullmatch(plain) else ""
