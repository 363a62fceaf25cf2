"""The steps of `connectors.json` that describe what a transform does to the columns of records."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.model.connect.column_state import (
    PartColumns,
    Path,
    StateColumn,
    UnknownColumns,
)
from headwater.model.connect.connector_templates import Config, entries, expand

Step = Mapping[str, Any]
RecordColumns = dict[str, PartColumns]
"""The parts of a record: `key`, `value`, `headers`."""

# What Debezium's short names of added fields are part of; the others are of the source.
_OF_ENVELOPE = frozenset(("op", "ts_ms", "ts_us", "ts_ns"))
_OF_TRANSACTION = frozenset(("id", "total_order", "data_collection_order"))


def setting(keys: str, config: Config) -> str:
    """The first of some settings that has a value, `a|b`, or the default in them, `a|=default`."""
    for key in keys.split("|"):
        if key.startswith("="):
            return key[1:]
        if config.get(key):
            return config[key]
    return ""


def is_where(conditions: Mapping[str, str], config: Config) -> bool:
    return all(re.fullmatch(value, setting(key, config)) for key, value in conditions.items())


def apply_step(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    """The columns after a step, on one part of a record, with the settings of a transform."""
    if not is_where(step.get("where", {}), config):
        return record
    return _STEPS[step["do"]](step, step.get("in", part), config, record)


def _select(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    columns = record[part]
    only = entries(setting(step.get("only", ""), config))
    if only:
        always = entries(setting(step.get("always", ""), config))
        columns = PartColumns().with_each(columns.take_each([*only, *always]))
    columns = columns.without(set(entries(setting(step.get("drop", ""), config))))
    # All at once: names may change places.
    pairs = [each.partition(":") for each in entries(setting(step.get("rename", ""), config))]
    renames = {old: new for old, colon, new in pairs if colon}
    taken = columns.take_each(renames)
    columns = columns.without(taken.keys())
    return {**record, part: columns.with_each({renames[old]: taken[old] for old in taken})}


def _change(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    is_masked = step.get("masking", False)
    columns = record[part]
    # `field:type` of a cast; a type alone, or no field, is for all of it.
    pairs = [each.rpartition(":") for each in entries(setting(step["fields"], config))]
    is_pair = step["fields"] == "spec"
    names = [pair[0] for pair in pairs] if is_pair else [pair[2] for pair in pairs]
    if not names or "" in names:
        return {**record, part: columns.changed(is_masked)}
    changed = {
        name: {path: column.changed(is_masked) for path, column in below.items()}
        for name, below in columns.take_each(names).items()
    }
    return {**record, part: columns.with_each(changed)}


def _insert(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    columns = record[part]
    for templates in step["names"]:
        path = [name for template in templates for name in expand(template, config, {})]
        if len(path) == len(templates):
            # Kafka's InsertField: a mark at the end is not part of the name.
            names = tuple(re.sub(r"[?!]$", "", name) for name in path)
            columns = columns.with_column(names, StateColumn())
    return {**record, part: columns}


def _hoist(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    if record[part].joined:
        raise UnknownColumns
    name = setting(step["field"], config)
    columns = {(name, *path): column for path, column in record[part].columns.items()}
    return {**record, part: PartColumns(columns)}


def _collapse(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    found = record[part].named().values()
    origins = dict.fromkeys(origin.then(True, False) for each in found for origin in each)
    column = StateColumn(tuple(origins))
    return {**record, part: PartColumns({(setting(step["field"], config),): column})}


def _extract(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    name = setting(step["field"], config)
    is_nested = setting(step.get("syntax", ""), config).upper() == "V2"
    path = _nested(name) if is_nested else (name,)
    return {**record, part: PartColumns(record[part].take(path))}


def _nested(name: str) -> Path:
    """A path of Kafka's second syntax: names with a dot are in backticks."""
    parts = re.findall(r"`((?:[^`]|``)+)`(?:\.|$)|([^.]+)(?:\.|$)", name)
    return tuple(quoted or plain for quoted, plain in parts)


def _flatten(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    return {**record, part: record[part].flat(setting(step["delimiter"], config))}


def _copy(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    source = record[step.get("from", part)]
    target = PartColumns() if step.get("is_new") else record[step.get("to", part)]
    names = entries(setting(step["fields"], config))
    new = entries(setting(step.get("names", step["fields"]), config))
    to = step.get("to", part)
    if step.get("is_whole"):
        return {**record, to: PartColumns(source.take(tuple(names[:1])))}
    if () in source.columns and not source.columns[()].is_open and len(names) == len(new) == 1:
        # A key that is one value by itself has the name that the settings give it.
        return {**record, to: target.with_column((new[0],), source.columns[()])}
    if step.get("is_all") and not names:
        names = new = list(dict.fromkeys(path[0] for path in source.named() if path))
    for name, other in zip(names, new, strict=False):
        target = target.with_columns((other,), source.take((name,)) or {(): StateColumn()})
    return {**record, to: target}


def _embed(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    columns = record[part].with_columns(tuple(step["under"]), record[step["from"]].columns)
    return {**record, part: columns}


def _unwrap(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    """The new state of a row out of a change event; other records are left as they are."""
    columns = record[part]
    inside = columns.take((step["field"],))
    is_event = any(columns.take((name,)) for name in step["beside"])
    if not inside or not is_event or _is_whole(columns):
        return record
    found = PartColumns(inside)
    for path, *sources in step.get("also", []):
        found = found.with_column(tuple(path), _combined(columns, sources))
    prefix = setting(step.get("prefix", ""), config)
    for each in entries(setting(step.get("add", ""), config)):
        field, _, new = each.partition(":")
        name = prefix + (new or field.replace(".", "_"))
        found = found.with_column((name,), _gathered(columns, _envelope_path(field)))
    return {**record, part: found}


def _is_whole(columns: PartColumns) -> bool:
    """Whether all of it is one row whose columns are not known: no change event."""
    return () in columns.columns and columns.columns[()].is_open


def _envelope_path(field: str) -> Path:
    if "." in field:
        return tuple(field.split("."))
    if field in _OF_ENVELOPE:
        return (field,)
    return ("transaction" if field in _OF_TRANSACTION else "source", field)


def _gathered(columns: PartColumns, path: Path) -> StateColumn:
    """What is at and below a path as one column."""
    origins = dict.fromkeys(o for each in columns.take(path).values() for o in each.origins)
    return StateColumn(tuple(origins))


def _combined(columns: PartColumns, sources: Sequence[Sequence[str]]) -> StateColumn:
    """What is at several paths as one column; `a|b` is the first of both that is there."""
    paths = [_present(columns, tuple(above), choices) for *above, choices in sources]
    found = [_gathered(columns, path) for path in paths]
    whole = StateColumn(tuple(dict.fromkeys(o for each in found for o in each.origins)))
    return whole.changed() if len(sources) > 1 else whole


def _present(columns: PartColumns, above: Path, choices: str) -> Path:
    paths = [(*above, name) for name in choices.split("|")]
    return next((path for path in paths if columns.take(path)), paths[0])


def _parse(step: Step, part: str, config: Config, record: RecordColumns) -> RecordColumns:
    """A text that becomes a structure: its fields are not known, and all come from it."""
    columns = record[part]
    text = columns.columns.get(())
    if text is None or text.is_open:
        return record
    raise UnknownColumns


_STEPS: Mapping[str, Callable[[Step, str, Config, RecordColumns], RecordColumns]] = {
    "change": _change,
    "collapse": _collapse,
    "copy": _copy,
    "embed": _embed,
    "extract": _extract,
    "flatten": _flatten,
    "hoist": _hoist,
    "insert": _insert,
    "parse": _parse,
    "select": _select,
    "unwrap": _unwrap,
}
# What each kind of step must have.
STEP_KEYS: Mapping[str, tuple[str, ...]] = {
    "change": ("fields",),
    "collapse": ("field",),
    "copy": ("fields",),
    "embed": ("from", "under"),
    "extract": ("field",),
    "flatten": ("delimiter",),
    "hoist": ("field",),
    "insert": ("names",),
    "parse": (),
    "select": (),
    "unwrap": ("field", "beside"),
}
