"""Datasets and their versions in Marquez's shape."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from headwater.model import facets as known
from headwater.model.values.memo import Memo
from headwater.server.marquez.shapes.common import (
    NameShape,
    VersionId,
    dataset_type,
    dataset_version,
    facet_fields,
    facet_text,
    instant_or_none,
    raw_facets,
    tags_by_field,
    whole_tags,
)
from headwater.server.marquez.shapes.runs import RunShape
from headwater.store.read.datasets import DatasetRecord, State
from headwater.store.read.facets import Stated

_SCHEMA = known.decoder(known.Schema)
_COLUMNS = known.decoder(known.ColumnLineage)


class FieldShape(Struct):
    """A field, with the fields inside it, which Marquez drops."""

    name: str
    type: str | None
    tags: list[str]
    description: str | None
    fields: "list[FieldShape] | UnsetType" = UNSET


class ColumnSourceShape(Struct):
    """A source column of another column."""

    namespace: str
    dataset: str
    field: str
    transformationDescription: str | None
    transformationType: str | None


class ColumnLineageShape(Struct):
    """The source columns of a column."""

    name: str
    inputFields: list[ColumnSourceShape]
    transformationDescription: str | None
    transformationType: str | None


class DatasetShape(Struct):
    """The current state of a dataset. If it has several names, `shownAs` is the one that lineage
    shows, if it differs, and `aliases` are the other names."""

    id: NameShape
    type: str
    name: str
    physicalName: str
    createdAt: str | None
    updatedAt: str | None
    namespace: str
    sourceName: str
    fields: list[FieldShape]
    tags: list[str]
    lastModifiedAt: str | None
    lastLifecycleState: str | None
    description: str | None
    currentVersion: str
    columnLineage: list[ColumnLineageShape] | None
    facets: dict[str, Any]
    deleted: bool
    schemaLocation: str | None | UnsetType = UNSET
    shownAs: NameShape | UnsetType = UNSET
    aliases: list[NameShape] | UnsetType = UNSET


class DatasetList(Struct):
    """Datasets of a namespace, and the total count."""

    datasets: list[DatasetShape]
    totalCount: int


class DatasetVersionShape(Struct):
    """A dataset during an interval."""

    id: VersionId
    type: str
    name: str
    physicalName: str
    createdAt: str | None
    version: str
    namespace: str
    sourceName: str
    fields: list[FieldShape]
    tags: list[str]
    lifecycleState: str | None
    description: str | None
    currentSchemaVersion: str | None
    createdByRun: RunShape | None
    facets: dict[str, Any]
    schemaLocation: str | None | UnsetType = UNSET


class DatasetVersionList(Struct):
    """Versions of a dataset, newest first."""

    versions: list[DatasetVersionShape]
    totalCount: int


def dataset_shape(
    dataset: DatasetRecord,
    state: State,
    stated: Stated,
    bodies: Mapping[bytes, bytes],
    lifecycle: str | None,
) -> DatasetShape:
    facets = stated.facets(bodies)
    schema, columns = (bodies.get(digest or b"") for digest in (state.schema, state.columns))
    kind = dataset_type(dataset.namespace, facet_fields(facets, "datasetType"))
    return DatasetShape(
        NameShape(dataset.namespace, dataset.name),
        kind,
        dataset.name,
        physical_name(dataset, facets),
        instant_or_none(state.first_seen),
        instant_or_none(state.last_seen),
        dataset.namespace,
        source_name(dataset, facets),
        fields_of(schema, facets, stated),
        whole_tags(facet_fields(facets, "tags")),
        instant_or_none(state.written_at),
        lifecycle,
        facet_text(facets, "documentation", "description"),
        dataset_version(dataset.id, state.schema),
        column_lineage(state.columns, columns),
        facets_with(facets, schema, columns),
        False,
        schema_location(kind, facets),
    )


def physical_name(dataset: DatasetRecord, facets: Mapping[str, bytes]) -> str:
    return facet_text(facets, "physicalName", "name") or dataset.name


def source_name(dataset: DatasetRecord, facets: Mapping[str, bytes]) -> str:
    return facet_text(facets, "dataSource", "name") or dataset.namespace


def schema_location(kind: str, facets: Mapping[str, bytes]) -> str | None | UnsetType:
    """Where the schema of a stream is kept; tables have none."""
    return facet_text(facets, "schemaLocation", "url") if kind == "STREAM" else UNSET


def facets_with(
    facets: Mapping[str, bytes], schema: bytes | None, columns: bytes | None
) -> dict[str, Any]:
    """A dataset's facets, and those that are stored by author."""
    stated = {"schema": schema, "columnLineage": columns}
    return raw_facets(
        {**facets, **{name: body for name, body in stated.items() if body is not None}}
    )


def fields_of(
    schema: bytes | None, facets: Mapping[str, bytes], stated: Stated
) -> list[FieldShape]:
    """The fields of a schema, with tags and descriptions from edits and events."""
    read: known.Schema | None = known.read(_SCHEMA, schema) if schema is not None else None
    descriptions = stated.word.descriptions() if stated.word else {}
    return fields_shape(read, tags_by_field(facet_fields(facets, "tags")), descriptions)


def fields_shape(
    schema: known.Schema | None,
    tags: Mapping[str, list[str]],
    descriptions: Mapping[str, str] | None = None,
) -> list[FieldShape]:
    fields = (schema.fields if schema else None) or ()
    return [_field(field, tags, descriptions or {}) for field in fields]


def _field(
    field: known.SchemaField,
    tags: Mapping[str, list[str]],
    descriptions: Mapping[str, str],
    prefix: str = "",
) -> FieldShape:
    name = f"{prefix}{field.name}"
    inner = [_field(each, tags, descriptions, f"{name}.") for each in field.fields or ()]
    return FieldShape(
        field.name,
        field.type,
        sorted(tags.get(name, [])),
        descriptions.get(name, field.description),
        inner or UNSET,
    )


# As it is written, by the digest of the facet it is made from.
_LINEAGE: Memo[Raw] = Memo(8_000_000)


def column_lineage(digest: bytes | None, body: bytes | None) -> Any:
    """What the columns of a dataset are made from, by its column map; None where none is known."""
    if digest is None or body is None:
        return None
    if (shown := _LINEAGE.get(digest)) is None:
        stated: known.ColumnLineage | None = known.read(_COLUMNS, body)
        outputs = (stated.fields if stated else None) or {}
        encoded = msgspec.json.encode([_column(name, each) for name, each in outputs.items()])
        shown = Raw(encoded)
        _LINEAGE.put(digest, shown, len(encoded))
    return shown


def _column(name: str, output: known.OutputField) -> ColumnLineageShape:
    sources = [_source(source, output) for source in output.inputFields or ()]
    first = sources[0] if sources else None
    return ColumnLineageShape(
        name,
        sources,
        first.transformationDescription if first else output.transformationDescription,
        first.transformationType if first else output.transformationType,
    )


def _source(source: known.InputField, output: known.OutputField) -> ColumnSourceShape:
    steps = source.transformations or ()
    first = steps[0] if steps else known.TransformationFacet()
    return ColumnSourceShape(
        source.namespace,
        source.name,
        source.field,
        first.description or output.transformationDescription,
        first.subtype or first.type or output.transformationType,
    )
