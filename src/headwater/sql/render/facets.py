"""A statement's result as the content of OpenLineage's facets: schema and columnLineage."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headwater.model.column_map import Transformation
from headwater.model.naming import DatasetName
from headwater.sql.results import SourceColumn, TableWrite, WrittenColumn

Json = dict[str, Any]
Naming = Callable[[str], DatasetName]


def schema_fields(columns: Iterable[WrittenColumn]) -> list[Json]:
    """The fields of a schema facet; a `*` that is not expanded is none."""
    found = []
    for each in columns:
        if each.name != "*":
            found.append({"name": each.name} | ({"type": each.type} if each.type else {}))
    return found


def column_lineage(writes: Sequence[TableWrite], name_of: Naming) -> Json:
    """The content of a columnLineage facet for all that is written to one dataset.

    Candidates and tables as a whole are left out: the facet has no words for "perhaps".
    """
    fields: dict[str, list[Json]] = {}
    rows: list[Json] = []
    for write in writes:
        for column in write.columns:
            if column.name != "*":
                fields.setdefault(column.name, []).extend(_inputs(column.sources, name_of))
        rows += _inputs(write.rows, name_of)
    content: Json = {"fields": {name: {"inputFields": each} for name, each in fields.items()}}
    if rows:
        content["dataset"] = rows
    return content


def _inputs(
    sources: Mapping[SourceColumn, Sequence[Transformation]], name_of: Naming
) -> list[Json]:
    found = []
    for source, ways in sources.items():
        if source.is_candidate or source.column == "*":
            continue
        dataset = name_of(source.table)
        found.append(
            {
                "namespace": dataset.namespace,
                "name": dataset.name,
                "field": source.field,
                "transformations": [_way(each) for each in ways],
            }
        )
    return found


def _way(way: Transformation) -> Json:
    return {
        "type": way.type,
        "subtype": way.subtype,
        "description": "",
        "masking": bool(way.is_masking),
    }
