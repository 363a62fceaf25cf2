"""The columns of topics, by the newest versions of their subjects in a schema registry."""

from collections.abc import Iterator, Sequence
from typing import Any

from headwater.collect.connect.columns import TopicColumns
from headwater.collect.connect.settings import TopicSettings
from headwater.collect.schema_registry.fetch import RegistryApi
from headwater.collect.schema_registry.parsing import parse_schema
from headwater.collect.schema_registry.parsing.fields import ParsedSchema
from headwater.collect.schema_registry.settings import SchemaRegistrySettings
from headwater.errors import SourceUnavailable
from headwater.model.connect.column_state import Path

Json = dict[str, Any]


class RegisteredColumns:
    """Reads each topic's schemas once; without a registry none are known."""

    def __init__(self, settings: TopicSettings) -> None:
        self._api: RegistryApi | None = None
        if settings.registry:
            self._api = RegistryApi(
                SchemaRegistrySettings(
                    url=settings.registry,
                    bootstrap=settings.bootstrap,
                    user=settings.registry_user,
                    password=settings.registry_password,
                    ca=settings.ca,
                    timeout=settings.timeout,
                    state=settings.state,
                )
            )
        self._known: dict[str, TopicColumns | None] = {}
        self._failure: SourceUnavailable | None = None

    def close(self) -> None:
        if self._api is not None:
            self._api.close()

    def __call__(self, topic: str) -> TopicColumns | None:
        if self._api is None:
            return None
        if self._failure is not None:
            # It is not waited for again, connector by connector.
            raise self._failure
        if topic not in self._known:
            try:
                self._known[topic] = self._read_both(self._api, topic)
            except SourceUnavailable as error:
                self._failure = error
                raise
        return self._known[topic]

    def _read_both(self, api: RegistryApi, topic: str) -> TopicColumns | None:
        value = self._read(api, topic, "value")
        return TopicColumns(self._read(api, topic, "key"), value) if value else None

    def _read(self, api: RegistryApi, topic: str, part: str) -> tuple[Path, ...]:
        schema = api.read_latest(f"{topic}-{part}")
        if schema is None:
            return ()
        parsed = parse_schema(schema, api.read_references(schema), part)
        return paths_of(parsed, part)


def paths_of(parsed: ParsedSchema, part: str) -> tuple[Path, ...]:
    """The columns of a schema, each with the names that lead to it."""
    return ((),) if _is_whole(parsed, part) else tuple(_leaves((), parsed.fields))


def _is_whole(parsed: ParsedSchema, part: str) -> bool:
    """Whether it is one value without fields, which is shown under the name of its part."""
    return not parsed.name and [each["name"] for each in parsed.fields] == [part]


def _leaves(above: Path, fields: Sequence[Json]) -> Iterator[Path]:
    for field in fields:
        path = (*above, str(field["name"]))
        # What is inside of a list or a map is not followed by itself.
        if field["type"] == "struct" and field.get("fields"):
            yield from _leaves(path, field["fields"])
        else:
            yield path
