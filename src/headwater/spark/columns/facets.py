"""Columns in OpenLineage's terms: the fields of a schema, and the columnLineage facet."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from headwater.model.naming import DatasetName
from headwater.model.values.derivation import CHANGED, Direct, Way
from headwater.spark.columns.sources import (
    ELEMENT,
    ColumnSource,
    Deciding,
    PlanValue,
    parts_of_type,
    path_text,
)
from headwater.spark.relations import PlanRelation

Json = dict[str, Any]
# The columns, by their datasets, that a source of the plan is.
Fields = Callable[[ColumnSource], Iterable[tuple[PlanRelation, str]]]


def schema_field(name: str, kind: Any) -> Json:
    """A field as OpenLineage's schema has it; `kind` is Spark's type in JSON."""
    if not isinstance(kind, dict):
        return {"name": name, "type": kind} if kind else {"name": name}
    field: Json = {"name": name, "type": kind.get("type", "")}
    if (parts := parts_of_type(kind)) is not None and parts[1]:
        field["fields"] = [
            schema_field("_element" if step == ELEMENT else step, inner)
            for step, inner in parts[1].items()
        ]
    return field


def column_lineage(
    columns: Mapping[str, PlanValue],
    deciding: frozenset[Deciding],
    fields: Fields,
    itself: DatasetName | None,
) -> Json:
    """The facet of a dataset that is written, but for what comes from the dataset itself."""
    facet: Json = {
        "fields": {
            name: {"inputFields": _inputs(part, fields, itself, name)}
            for column, value in columns.items()
            for name, part in leaf_paths((column,), value)
        }
    }
    if deciding:
        facet["dataset"] = _inputs(PlanValue(indirect=deciding), fields, itself)
    return facet


def merge_lineage(one: Json | None, other: Json | None) -> Json | None:
    """The facet of a dataset that two plans write, whose columns come from either."""
    if one is None or other is None:
        return one or other
    mine, others = one["fields"], other["fields"]
    fields = {
        name: {
            "inputFields": _merge_inputs(
                mine.get(name, _NO_INPUTS)["inputFields"],
                others.get(name, _NO_INPUTS)["inputFields"],
            )
        }
        for name in {**mine, **others}
    }
    rows = _merge_inputs(one.get("dataset", []), other.get("dataset", []))
    return {"fields": fields, "dataset": rows} if rows else {"fields": fields}


_NO_INPUTS: Json = {"inputFields": []}


def _merge_inputs(one: Sequence[Json], other: Sequence[Json]) -> list[Json]:
    found: dict[tuple[str, str, str], Json] = {}
    for each in (*one, *other):
        key = (each["namespace"], each["name"], each["field"])
        before = found[key]["transformations"] if key in found else []
        ways = _distinct([*before, *each["transformations"]])
        found[key] = {**each, "transformations": ways}
    return [found[key] for key in sorted(found)]


def leaf_paths(path: tuple[str, ...], value: PlanValue) -> Iterator[tuple[str, PlanValue]]:
    """The parts of a value that have no parts themselves, each with its path."""
    if not value.members:
        yield path_text(path), value
        return
    for step, member in value.members.items():
        part = member.beside(value.indirect)
        # What was done to all of it was done to each of its parts.
        yield from leaf_paths((*path, step), part if part.text else part.described(value.text))


def _inputs(
    value: PlanValue, fields: Fields, itself: DatasetName | None, name: str = ""
) -> list[Json]:
    """Input fields, each once, with all the ways it goes in."""
    found: dict[tuple[DatasetName, str], list[Json]] = {}
    text = value.text.sql if value.text is not None and _is_made(value) else ""
    if text == name:
        text = ""
    for source, way in value.whole.items():
        for relation, field in fields(source):
            kind = _parsed(way, relation, source)
            found.setdefault((relation.name, field), []).append(
                _transformation("DIRECT", kind.direct.name, kind.is_masking, text)
            )
    for source, subtype in sorted(value.all_indirect):
        for relation, field in fields(source):
            found.setdefault((relation.name, field), []).append(
                _transformation("INDIRECT", subtype, False, text)
            )
    return [
        {
            "namespace": name.namespace,
            "name": name.name,
            "field": field,
            "transformations": _distinct(ways),
        }
        for (name, field), ways in sorted(found.items())
        if name != itself
    ]


def _is_made(value: PlanValue) -> bool:
    """Whether there is more to tell than that it is a column."""
    is_changed = any(way.direct is not Direct.IDENTITY for way in value.whole.values())
    return is_changed or bool(value.all_indirect) or len(value.whole) > 1


def _parsed(way: Way, relation: PlanRelation, source: ColumnSource) -> Way:
    """What is parsed out of a column is part of it; of a topic it is a column by itself."""
    return way.then(CHANGED) if source.payload and not relation.is_topic else way


def _transformation(kind: str, subtype: str, is_masking: bool, text: str) -> Json:
    return {"type": kind, "subtype": subtype, "description": text, "masking": is_masking}


def _distinct(ways: Sequence[Json]) -> list[Json]:
    known: dict[tuple[Any, ...], Json] = {}
    for way in ways:
        known.setdefault(tuple(way.values()), way)
    return list(known.values())
