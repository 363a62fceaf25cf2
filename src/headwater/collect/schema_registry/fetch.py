"""What a schema registry says of its subjects, in its own words: by Confluent's API, which Apicurio
and others speak as well."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx2

from headwater.collect.rest import RestClient
from headwater.collect.schema_registry.settings import SchemaRegistrySettings
from headwater.errors import SourceUnavailable

# Requests at once.
_AT_ONCE = 12
_PAGE = 1_000
# All contexts, and not only the default one.
_EVERYWHERE = "subjectPrefix=:*:"
# How registries answer what they do not have: Apicurio lists no schemas, and hides some configs.
_UNKNOWN = (400, 403, 404, 405, 422, 500, 501)
# A schema may refer to others, and those again to others.
_MOST_REFERENCES = 200


class Reference(NamedTuple):
    """Another schema, by the name under which a schema uses it."""

    name: str
    subject: str
    version: int


class RegisteredSchema(NamedTuple):
    """A version of a subject. `text` is None where it was left out, `registered_at` (microseconds)
    where the registry does not tell; `tags` are by path, `*` and `**` allowed."""

    subject: str
    version: int
    id: int | None
    type: str
    text: str | None
    references: tuple[Reference, ...] = ()
    registered_at: int | None = None
    tags: tuple[tuple[str, tuple[str, ...]], ...] = ()


class RegistryApi:
    """Requests to a registry."""

    def __init__(
        self,
        settings: SchemaRegistrySettings,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = RestClient(settings, _AT_ONCE, transport, sleep)

    def close(self) -> None:
        self._client.close()

    def read_default_compatibility(self) -> str:
        found = self._client.get("/config")
        level = found.get("compatibilityLevel") if isinstance(found, dict) else None
        if not isinstance(level, str):
            raise SourceUnavailable(
                self._client.url, "it answers, but not as a schema registry; is the path right?"
            )
        return level

    def count_subjects(self) -> int:
        return len(self._subjects())

    def read_newest(self, known: Iterable[str] = ()) -> Iterator[RegisteredSchema]:
        """The newest version of every subject that is not deleted; `known` ones are looked for even
        where the list lacks them, as Apicurio's does when a newest version was deleted."""
        page = self._client.find(f"/schemas?{_EVERYWHERE}&{_page(0)}", *_UNKNOWN)
        if not isinstance(page, list):
            subjects = self._subjects()
            missing = sorted(set(known) - set(subjects))
            yield from self._newest_one_by_one([*subjects, *missing])
            return
        seen: set[str] = set()
        while page:
            found = [each for each in map(_schema, page) if each and each.subject not in seen]
            yield from found
            seen.update(each.subject for each in found)
            # One that knows no pages answers with the first again.
            if len(page) < _PAGE or not found:
                return
            page = self._client.get(f"/schemas?{_EVERYWHERE}&{_page(len(seen))}")

    def read_latest(self, subject: str) -> RegisteredSchema | None:
        """The newest version of a subject; None if there is none."""
        return self._read_version((subject, "latest"))

    def read_versions(self, needed: Iterable[tuple[str, int]]) -> dict[Any, RegisteredSchema]:
        """Versions of subjects; those that are gone are left out."""
        found = self._client.read_each(dict.fromkeys(needed), self._read_version)
        return {(each.subject, each.version): each for each in found if each is not None}

    def read_compatibility(self, subjects: Iterable[str]) -> Mapping[str, str | None]:
        """The compatibility that subjects have of their own."""
        names = list(subjects)
        found = self._client.read_each(names, self._read_compatibility)
        return dict(zip(names, found, strict=True))

    def read_deleted(self) -> set[str]:
        """All subjects, also those that can still be restored; none if it does not tell."""
        found = self._client.find(f"/subjects?{_EVERYWHERE}&deleted=true", *_UNKNOWN)
        return set(map(str, found)) if isinstance(found, list) else set()

    def read_references(self, schema: RegisteredSchema) -> dict[Reference, RegisteredSchema]:
        """All that a schema refers to, also by others; what is not there is left out."""
        found: dict[Reference, RegisteredSchema] = {}
        waiting = list(schema.references)
        while waiting and len(found) < _MOST_REFERENCES:
            reference = waiting.pop()
            if reference in found:
                continue
            there = self._read_version((reference.subject, reference.version))
            if there is not None:
                found[reference] = there
                waiting.extend(there.references)
        return found

    def _subjects(self) -> list[str]:
        found = self._client.get(f"/subjects?{_EVERYWHERE}")
        if not isinstance(found, list):
            raise SourceUnavailable(self._client.url, "its list of subjects is no list")
        return [str(each) for each in found]

    def _newest_one_by_one(self, subjects: list[str]) -> Iterator[RegisteredSchema]:
        newest = [(subject, "latest") for subject in subjects]
        found = self._client.read_each(newest, self._read_version)
        yield from (each for each in found if each is not None)

    def _read_version(self, needed: tuple[str, int | str]) -> RegisteredSchema | None:
        subject, version = needed
        path = f"/subjects/{quote(subject, safe='')}/versions/{version}"
        found = _schema(self._client.find(path, 404))
        return None if found is None else found._replace(subject=subject)

    def _read_compatibility(self, subject: str) -> str | None:
        found = self._client.find(f"/config/{quote(subject, safe='')}", *_UNKNOWN)
        level = found.get("compatibilityLevel") if isinstance(found, dict) else None
        return level if isinstance(level, str) else None


def _page(offset: int) -> str:
    return f"latestOnly=true&offset={offset}&limit={_PAGE}"


def _schema(found: Any) -> RegisteredSchema | None:
    """A version as the registry describes it; None if it is none, or is deleted."""
    if not isinstance(found, dict) or found.get("deleted") is True:
        return None
    subject, version, text = found.get("subject"), found.get("version"), found.get("schema")
    if not (isinstance(subject, str) and isinstance(version, int) and isinstance(text, str)):
        return None
    number, at = found.get("id"), found.get("ts")
    return RegisteredSchema(
        subject,
        version,
        number if isinstance(number, int) else None,
        str(found.get("schemaType") or "AVRO"),
        text,
        tuple(_references(found.get("references"))),
        at * 1_000 if isinstance(at, int) and 0 < at < 10**14 else None,
        tuple(_tags(found)),
    )


def _references(found: Any) -> Iterator[Reference]:
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict) and isinstance(each.get("version"), int):
            yield Reference(str(each.get("name")), str(each.get("subject")), each["version"])


def _tags(found: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Tags by path, as the schema's metadata and as the catalog have them."""
    metadata = found.get("metadata")
    by_path = metadata.get("tags") if isinstance(metadata, dict) else None
    for path, tags in by_path.items() if isinstance(by_path, dict) else ():
        if isinstance(tags, list):
            yield str(path), tuple(map(str, tags))
    catalog = found.get("schemaTags")
    for each in catalog if isinstance(catalog, list) else ():
        entity = each.get("schemaEntity") if isinstance(each, dict) else None
        if isinstance(entity, dict) and isinstance(each.get("tags"), list):
            yield str(entity.get("entityPath")), tuple(map(str, each["tags"]))
