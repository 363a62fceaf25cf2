"""What a list of pipelines says, checked: its pipelines, with the settings of their ends."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from headwater.errors import SourceUnavailable

Json = dict[str, Any]
# Streamkap marks the settings that users give; its connectors have them without.
_MARK = ".user.defined"


class End(msgspec.Struct):
    """A source or a destination. Its settings may stand with it, or in a list of their own."""

    name: str = ""
    id: str | int = ""
    connector: str = ""
    topics: list[str] = []
    config: Json = {}

    @property
    def key(self) -> str:
        return str(self.id)

    @property
    def settings(self) -> dict[str, str]:
        return {
            key.removesuffix(_MARK): _text(value)
            for key, value in self.config.items()
            if value is not None
        }


class Transform(msgspec.Struct):
    """A transform; without its topics it is only known that there is one."""

    name: str = ""
    id: str | int = ""
    inputs: list[str] = []
    outputs: list[str] = []

    @property
    def key(self) -> str:
        return str(self.id)


class Pipeline(msgspec.Struct):
    name: str
    source: End
    destination: End
    id: str | int = ""
    transforms: list[Transform | str | int] = []
    topics: list[str] = []
    description: str | None = None
    owner: str | None = None

    @property
    def key(self) -> str:
        return str(self.id)


class _Lists(msgspec.Struct):
    pipelines: list[Any] | None = None
    result: list[Any] | None = None
    sources: list[Any] = []
    destinations: list[Any] = []
    transforms: list[Any] = []


def read_pipelines(place: str, document: Any) -> tuple[list[Pipeline], list[str]]:
    """The pipelines of a list, and a sentence for each that cannot be read.

    Raises SourceUnavailable where it is no list of pipelines at all.
    """
    if isinstance(document, list):
        document = {"pipelines": document}
    try:
        lists = msgspec.convert(document, _Lists)
    except msgspec.ValidationError as error:
        raise SourceUnavailable(place, f"it is no list of pipelines: {error}") from None
    listed = lists.pipelines if lists.pipelines is not None else lists.result
    if listed is None:
        raise SourceUnavailable(place, "it has no list under 'pipelines' or 'result'")
    sources, destinations = _by_id(lists.sources), _by_id(lists.destinations)
    transforms = _by_id(lists.transforms)
    found, problems = [], []
    for number, each in enumerate(listed):
        try:
            pipeline = msgspec.convert(each, Pipeline, strict=False)
            pipeline.source = _completed(pipeline.source, sources)
            pipeline.destination = _completed(pipeline.destination, destinations)
            pipeline.transforms = [_transform(one, transforms) for one in pipeline.transforms]
        except msgspec.ValidationError as error:
            problems.append(f"pipeline {number + 1} cannot be read: {error}")
            continue
        found.append(pipeline)
    return found, problems


def _by_id(listed: list[Any]) -> dict[str, Json]:
    return {str(each["id"]): each for each in listed if isinstance(each, dict) and "id" in each}


def _completed(end: End, known: Mapping[str, Json]) -> End:
    """An end with what stands in a list beside the pipelines."""
    more = known.get(end.key)
    if more is None:
        return end
    other = msgspec.convert(more, End, strict=False)
    return End(
        end.name or other.name,
        end.id,
        end.connector or other.connector,
        end.topics or other.topics,
        {**other.config, **end.config},
    )


def _transform(each: Transform | str | int, known: Mapping[str, Json]) -> Transform:
    stated = each if isinstance(each, Transform) else Transform(str(each), each)
    if stated.inputs or stated.outputs:
        return stated
    more = known.get(stated.key)
    return stated if more is None else msgspec.convert(more, Transform, strict=False)


def transforms_of(pipeline: Pipeline) -> Iterator[Transform]:
    yield from (each for each in pipeline.transforms if isinstance(each, Transform))


def _text(value: Any) -> str:
    """A setting as Kafka Connect has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value)
