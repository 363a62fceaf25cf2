"""Reads the options of a CREATE statement."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlglot import exp


class _Engine(NamedTuple):
    """An engine of ClickHouse: the names of its arguments, by place, and the options they are."""

    connector: str
    arguments: tuple[str, ...]
    options: Mapping[str, str]


_FILES = ("path",)
_ENGINES = {
    "kafka": _Engine(
        "kafka",
        ("kafka_broker_list", "kafka_topic_list"),
        {
            "properties.bootstrap.servers": "{kafka_broker_list}",
            "topic": "{kafka_topic_list}",
        },
    ),
    "mysql": _Engine(
        "jdbc",
        ("host", "database", "table"),
        {"url": "jdbc:mysql://{host}/{database}", "table-name": "{table}"},
    ),
    "postgresql": _Engine(
        "jdbc",
        ("host", "database", "table", "user", "password", "schema"),
        {"url": "jdbc:postgresql://{host}/{database}", "table-name": "{schema}{table}"},
    ),
    "mongodb": _Engine(
        "mongodb",
        ("host", "database", "collection"),
        {
            "uri": "mongodb://{host}",
            "database": "{database}",
            "collection": "{collection}",
        },
    ),
    **dict.fromkeys(("s3", "s3queue", "hdfs"), _Engine("filesystem", _FILES, {"path": "{path}"})),
}
# Their rows are in ClickHouse itself.
_OWN_ENGINES = frozenset(("embeddedrocksdb", "join", "log", "memory", "null", "set", "stripelog"))


def create_options(create: exp.Create) -> dict[str, str]:
    """The `WITH (...)` options of a statement, as text.

    A key in quotes is kept as it is (Flink's); a bare one is in upper case (ksqlDB folds them).
    Those of an engine of ClickHouse have the names that Flink's connectors give them.
    """
    properties = create.args.get("properties")
    found = properties.expressions if properties else []
    own = {each.name: each.text("value") for each in found if type(each) is exp.Property}
    return {**own, **_engine_options(found)}


def external_engine(create: exp.Create) -> str:
    """The engine of ClickHouse whose rows are elsewhere, if it is such a one."""
    name = next((_called(each) for each in create.find_all(exp.EngineProperty)), "")
    key = name.lower()
    is_own = key.endswith("mergetree") or key in _OWN_ENGINES or key == "tinylog"
    return "" if is_own else name


def _called(engine: exp.EngineProperty) -> str:
    this = engine.this
    return str(this.this) if isinstance(this, exp.Anonymous) else this.name


def _engine_options(properties: Sequence[exp.Expr]) -> dict[str, str]:
    engine = next((each for each in properties if isinstance(each, exp.EngineProperty)), None)
    known = _ENGINES.get(_called(engine).lower()) if engine is not None else None
    if engine is None or known is None:
        return {}
    given = dict.fromkeys(known.arguments, "")
    settings = [e for p in properties if isinstance(p, exp.SettingsProperty) for e in p.expressions]
    arguments = engine.this.expressions if isinstance(engine.this, exp.Anonymous) else []
    for place, each in enumerate([*arguments, *settings]):
        if isinstance(each, exp.EQ):
            given[each.this.name] = each.expression.name
        elif place < len(known.arguments) and isinstance(each, exp.Literal):
            given[known.arguments[place]] = each.name
    if given.get("schema"):
        given["schema"] += "."
    if not all(value for key, value in given.items() if key in known.arguments[:3]):
        return {}
    named = {key: text.format(**given) for key, text in known.options.items()}
    return {"connector": known.connector, **named}
