"""The lineage of a dataset in DataHub: one aspect, of which only our links are ours to change."""

from typing import Any

from headwater.publish.catalog import Json

# By which links, flows and jobs are known to be ours.
MADE_BY = {"managed_by": "headwater"}
_OF_LINK = ("dataset", "type", "properties")
_OF_COLUMN = ("upstreamType", "upstreams", "downstreamType", "downstreams", "transformOperation")


def merge_lineage(there: Json, ours: Json) -> Json:
    """What the aspect is to be: links of others as they are, and all of ours.

    A link that others state as well stays theirs, with its columns.
    """
    theirs = [each for each in _list(there, "upstreams") if not _is_ours(each)]
    were_ours = {each.get("dataset") for each in _list(there, "upstreams") if _is_ours(each)}
    of_others = {each.get("dataset") for each in theirs}
    columns = [
        each
        for each in _list(there, "fineGrainedLineages")
        if not were_ours.issuperset(_datasets(each))
    ]
    links = [each for each in _list(ours, "upstreams") if each["dataset"] not in of_others]
    return {
        **there,
        "upstreams": theirs + links,
        "fineGrainedLineages": columns + _without(ours, of_others),
    }


def is_same(there: Json, expected: Json) -> bool:
    """Whether an aspect says what it is to say; DataHub adds times and authors to it."""
    return _comparable(there) == _comparable(expected)


def has_ours(there: Json) -> bool:
    return any(_is_ours(each) for each in _list(there, "upstreams"))


def _without(ours: Json, of_others: set[Any]) -> list[Json]:
    found = []
    for each in _list(ours, "fineGrainedLineages"):
        upstreams = [urn for urn in each["upstreams"] if dataset_of(urn) not in of_others]
        if upstreams:
            found.append({**each, "upstreams": upstreams})
    return found


def _datasets(column: Json) -> set[str]:
    """The datasets that a column comes from; of one without any nobody knows."""
    return {dataset_of(urn) for urn in column.get("upstreams") or [""]}


def dataset_of(field: str) -> str:
    """The dataset of a field: `urn:li:schemaField:(DATASET,FIELD)`."""
    return field.removeprefix("urn:li:schemaField:(").rpartition(",")[0]


def _is_ours(link: Json) -> bool:
    properties = link.get("properties") or {}
    return all(properties.get(key) == value for key, value in MADE_BY.items())


def _list(aspect: Json, name: str) -> list[Json]:
    return [each for each in aspect.get(name) or [] if isinstance(each, dict)]


def _comparable(aspect: Json) -> list[str]:
    links = [_only(each, _OF_LINK) for each in _list(aspect, "upstreams")]
    columns = [_only(each, _OF_COLUMN) for each in _list(aspect, "fineGrainedLineages")]
    return sorted(repr(sorted(each.items())) for each in links + columns)


def _only(entry: Json, names: tuple[str, ...]) -> Json:
    return {name: entry[name] for name in names if entry.get(name)}
