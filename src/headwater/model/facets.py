"""The facets the product understands, read leniently: what does not fit is kept, not understood."""

from typing import Any

import msgspec

from headwater.model.values import json_text


class SchemaField(msgspec.Struct, gc=False):
    name: str
    type: str | None = None
    description: str | None = None
    fields: list["SchemaField"] | None = None


class Schema(msgspec.Struct, gc=False):
    fields: list[SchemaField] | None = None


class TransformationFacet(msgspec.Struct, gc=False):
    type: str | None = None
    subtype: str | None = None
    description: str | None = None
    masking: bool | None = None


class InputField(msgspec.Struct, gc=False):
    namespace: str
    name: str
    field: str = ""
    transformations: list[TransformationFacet] | None = None


class OutputField(msgspec.Struct, gc=False):
    inputFields: list[InputField] | None = None
    transformationType: str | None = None
    transformationDescription: str | None = None


class ColumnLineage(msgspec.Struct, gc=False):
    fields: dict[str, OutputField] | None = None
    dataset: list[InputField] | None = None


class LineageInput(msgspec.Struct, gc=False):
    """A source of the explicit `lineage` facet; without a name it is the event's own job."""

    type: str = "DATASET"
    namespace: str | None = None
    name: str | None = None
    field: str = ""
    transformations: list[TransformationFacet] | None = None


class LineageField(msgspec.Struct, gc=False):
    inputs: list[LineageInput] | None = None


class LineageEntry(msgspec.Struct, gc=False):
    """A target of the explicit `lineage` facet; on a dataset's own facet it names nothing."""

    type: str = "DATASET"
    namespace: str | None = None
    name: str | None = None
    inputs: list[LineageInput] | None = None
    fields: dict[str, LineageField] | None = None


class JobLineage(msgspec.Struct, gc=False):
    entries: list[LineageEntry] | None = None


class Identifier(msgspec.Struct, gc=False):
    namespace: str = ""
    name: str = ""
    type: str = ""


class Symlinks(msgspec.Struct, gc=False):
    identifiers: list[Identifier] | None = None


class LifecycleStateChange(msgspec.Struct, gc=False):
    lifecycleStateChange: str
    previousIdentifier: Identifier | None = None


class RunReference(msgspec.Struct, gc=False):
    runId: str


class JobReference(msgspec.Struct, gc=False):
    namespace: str
    name: str


class RootRun(msgspec.Struct, gc=False):
    run: RunReference
    job: JobReference


class ParentRun(msgspec.Struct, gc=False):
    run: RunReference
    job: JobReference
    root: RootRun | None = None


class NominalTime(msgspec.Struct, gc=False):
    nominalStartTime: str | None = None
    nominalEndTime: str | None = None


class Statistics(msgspec.Struct, gc=False):
    """Input or output statistics; numbers are checked where they are used."""

    rowCount: Any = None
    size: Any = None
    byteCount: Any = None
    fileCount: Any = None
    lag: Any = None


class Deletable(msgspec.Struct, gc=False):
    _deleted: bool = False


def decoder(kind: type[Any]) -> "msgspec.json.Decoder[Any]":
    return msgspec.json.Decoder(kind)


def read(facet_decoder: "msgspec.json.Decoder[Any]", raw: bytes) -> Any:
    """Decode a facet, or give None where it does not have the shape its name promises."""
    try:
        return json_text.decode(facet_decoder, raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


_DELETABLE = msgspec.json.Decoder(Deletable)


def is_deleted(raw: bytes) -> bool:
    """Whether a facet is marked as deleted."""
    if b'"_deleted"' not in raw:
        return False
    found = read(_DELETABLE, raw)
    return found is not None and found._deleted
