"""What the shapes of Marquez's API share: names, versions, times, and facets as they came."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Raw, Struct

from headwater.model.values.ids import digest
from headwater.model.values.instant import format_instant
from headwater.store.read.content_cache import read_fields

Shape = dict[str, Any]
Fields = Mapping[str, Any]

_STREAM_SCHEMES = ("kafka", "kinesis", "pulsar", "pubsub")


class NameShape(Struct):
    """A dataset or job by its names."""

    namespace: str
    name: str


class VersionId(Struct):
    """A version of a dataset or job."""

    namespace: str
    name: str
    version: str


def memo_key(known: tuple[Any, ...]) -> bytes:
    """A key for what is made of something: a digest takes little room, and is quick to compare."""
    return digest(msgspec.msgpack.encode(known))


def instant_or_none(micros: int | None) -> str | None:
    return None if micros is None else format_instant(micros)


def facet_fields(facets: Mapping[str, bytes], name: str) -> dict[str, Any]:
    """A facet's fields; none where it is absent or no object."""
    body = facets.get(name)
    return read_fields(body) if body is not None else {}


def facet_text(facets: Mapping[str, bytes], name: str, field: str) -> str | None:
    """A field of a facet, if it is a text."""
    return text_of(facet_fields(facets, name), field)


def text_of(fields: Fields, name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None


def raw_facets(facets: Mapping[str, bytes]) -> dict[str, Any]:
    return {name: Raw(body) for name, body in sorted(facets.items())}


def dataset_version(dataset: bytes, schema: bytes | None) -> str:
    """Name a dataset's state by what it is, so that every process names it alike."""
    return str(UUID(bytes=digest(dataset + (schema or b""))))


def job_version(job: bytes, uses: Iterable[tuple[int, bytes]], location: str | None) -> str:
    """Name a job's state by what it reads and writes, and where its code is."""
    parts = sorted(bytes((direction,)) + dataset for direction, dataset in uses)
    code = b"" if location is None else b"\0" + location.encode("utf-8", "surrogatepass")
    return str(UUID(bytes=digest(b"".join((job, *parts, code)))))


def dataset_type(namespace: str, stated: Fields) -> str:
    """Marquez knows tables and streams; `stated` is the datasetType facet."""
    kind = str(stated.get("datasetType", "")).upper()
    is_stream = namespace.partition(":")[0] in _STREAM_SCHEMES or kind in ("TOPIC", "STREAM")
    return "STREAM" if is_stream else "DB_TABLE"


def simple_name(name: str, parent: str | None) -> str:
    """A job's name without that of its parent."""
    return name.removeprefix(f"{parent}.") if parent else name


def _tags(stated: Fields) -> list[dict[str, Any]]:
    tags = stated.get("tags")
    return [tag for tag in tags if isinstance(tag, dict)] if isinstance(tags, list) else []


def whole_tags(stated: Fields) -> list[str]:
    """The tags of a thing itself, from its tags facet."""
    return sorted({str(tag.get("key")) for tag in _tags(stated) if not tag.get("field")})


def tags_by_field(stated: Fields) -> dict[str, list[str]]:
    tags: dict[str, list[str]] = {}
    for tag in _tags(stated):
        if field := tag.get("field"):
            tags.setdefault(str(field), []).append(str(tag.get("key")))
    return tags
