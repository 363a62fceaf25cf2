"""Columns through a connector: from a table to a topic, or from a topic to a table.

What each transform does to columns is data (`columns` in `connectors.json`), which the Java part
reads too.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from headwater.model.connect.column_state import (
    ColumnOrigin,
    PartColumns,
    Path,
    StateColumn,
    UnknownColumns,
)
from headwater.model.connect.column_steps import RecordColumns, apply_step, is_where
from headwater.model.connect.connector_templates import (
    Config,
    Row,
    entries,
    holds,
    knowledge,
    python_regex,
)
from headwater.model.connect.connector_transforms import ConnectorGap, TransformChain

Columns = Mapping[Path, tuple[ColumnOrigin, ...]]


class ConnectorColumns(NamedTuple):
    """Each column that is written, with those it comes from; none where that is not known.

    Those of a topic's key are by themselves.
    """

    columns: Columns
    gaps: tuple[ConnectorGap, ...] = ()
    key_columns: Columns = {}


class _UnknownTransform(Exception):
    def __init__(self, kind: str, sentence: str) -> None:
        self.gap = ConnectorGap("operator", kind, sentence)


def columns_of_sink(
    row: Row | None, config: Config, topic: str, key: Sequence[Path], value: Sequence[Path]
) -> ConnectorColumns:
    """The columns of what a sink writes, from those of a topic's key and value."""
    record = {
        "key": PartColumns.of_fields("key", key),
        "value": PartColumns.of_fields("value", value),
        "headers": PartColumns(),
    }
    try:
        record = _through(config, topic, record)
        for step in (row or {}).get("columns", []):
            record = apply_step(step, "value", config, record)
        return ConnectorColumns(record["value"].named())
    except _UnknownTransform as error:
        return ConnectorColumns({}, (error.gap,))
    except UnknownColumns:
        return ConnectorColumns({})


def columns_of_source(
    row: Row | None,
    config: Config,
    table: str,
    topic: str,
    value: Sequence[Path],
    key: Sequence[Path] = (),
) -> ConnectorColumns:
    """The columns of a topic that a source writes, by its schema, from those of a table.

    `topic` is the one before all transforms, empty where that is not known.
    """
    stated = (row or {}).get("record")
    if stated is None or not table:
        return ConnectorColumns({})
    is_whole = holds((row or {}).get("whole_where", []), config)
    record = {
        "key": _of_table(stated.get("key", [])),
        "value": _of_table([[]] if is_whole else stated["value"]),
        "headers": PartColumns(),
    }
    try:
        record = _through(config, topic, record)
    except _UnknownTransform as error:
        return ConnectorColumns({}, (error.gap,))
    except UnknownColumns:
        return ConnectorColumns({})

    def found(part: PartColumns, paths: Sequence[Path]) -> Columns:
        there = {path: part.find(path) for path in paths}
        return {
            path: tuple(
                _on_the_way(row or {}, config, table, each)
                for each in (column.origins if column is not None else ())
                if each.path
            )
            for path, column in there.items()
        }

    return ConnectorColumns(found(record["value"], value), (), found(record["key"], key))


def _of_table(paths: Sequence[Sequence[str]]) -> PartColumns:
    """A part of a record in which these paths are a row of a table whose columns are not known."""
    whole = StateColumn((ColumnOrigin("value", ()),), is_open=True)
    return PartColumns({tuple(path): whole for path in paths})


def _on_the_way(row: Row, config: Config, table: str, origin: ColumnOrigin) -> ColumnOrigin:
    """What the connector itself does to a column: Debezium may mask or shorten it."""
    column = f"{table}.{'.'.join(origin.path)}"
    is_masked = _is_listed(row.get("masked"), config, column)
    return origin.then(is_masked or _is_listed(row.get("changed"), config, column), is_masked)


def _is_listed(keys: str | None, config: Config, column: str) -> bool:
    """Whether settings with such keys list a column: by expressions for its whole name."""
    patterns = [
        pattern
        for key, value in config.items()
        if keys and re.fullmatch(keys, key)
        for pattern in entries(value)
    ]
    # A table may be named with its database, and a column without it.
    names = [column, column.partition(".")[2]]
    return any(_matches(pattern, name) for pattern in patterns for name in names)


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.fullmatch(python_regex(pattern), name, re.IGNORECASE) is not None
    except re.error:
        # Java has some that Python does not.
        return False


def _through(config: Config, topic: str, record: RecordColumns) -> RecordColumns:
    """The columns of a record after all transforms; raises where one is not known."""
    chain = TransformChain(config)
    known = knowledge()["columns"]
    for transform, at in chain.with_topics(topic):
        base = re.sub(r"\$(Key|Value)$", "", transform.kind)
        if _is_one_of(base, [*knowledge()["transforms"]["ours"], *known["keep"]]):
            continue
        rule = next(
            (
                each
                for each in known["transforms"]
                if _is_one_of(base, each["classes"])
                and is_where(each.get("where", {}), transform.settings())
            ),
            None,
        )
        if rule is None:
            sentence = "What this transform does to the columns of records is not known."
            raise _UnknownTransform(transform.kind, sentence)
        applies = chain.applies_to_rows(transform, at)
        if applies is None:
            sentence = "Which records this transform changes is not known."
            raise _UnknownTransform(transform.kind, sentence)
        if not applies:
            continue
        part = "key" if transform.kind.endswith("$Key") else "value"
        try:
            for step in rule["steps"]:
                record = apply_step(step, part, transform.settings(), record)
        except UnknownColumns:
            sentence = "What this transform does to the columns of records is not known."
            raise _UnknownTransform(transform.kind, sentence) from None
    return record


def _is_one_of(kind: str, classes: Sequence[str]) -> bool:
    return any(kind in (each, each.rpartition(".")[2]) for each in classes)
