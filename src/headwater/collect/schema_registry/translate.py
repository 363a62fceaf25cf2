"""What a registry says of a dataset, as events: one for each state that its schemas had; no I/O."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from headwater.collect.schema_registry.fetch import RegisteredSchema
from headwater.collect.schema_registry.parsing import References, parse_schema
from headwater.collect.schema_registry.parsing.fields import Json, ParsedSchema
from headwater.collect.schema_registry.places import SubjectPlace
from headwater.collect.schema_registry.state import KnownDataset, KnownSubject
from headwater.emit.events import Producer
from headwater.model.naming import DatasetName
from headwater.model.values.instant import format_instant

PRODUCER = Producer.of_part("collect/schema-registry")


class SubjectHistory(NamedTuple):
    """A subject: the versions to report, oldest first and the newest last, and what they need."""

    place: SubjectPlace
    versions: tuple[RegisteredSchema, ...]
    compatibility: str
    references: References
    reported: int | None = None
    """The version that was reported last."""

    @property
    def newest(self) -> RegisteredSchema:
        return self.versions[-1]


class TranslatedDataset(NamedTuple):
    """The events of a dataset, and what is known of it once they are delivered; None: no more."""

    events: list[Json]
    known: KnownDataset | None


def translate(
    registry: str,
    dataset: DatasetName,
    subjects: Sequence[SubjectHistory],
    before: KnownDataset | None,
    at: int,
) -> TranslatedDataset:
    """The states of a dataset since it was last reported, up to a time in microseconds since 1970.

    A version has the time at which it was registered, where that is known; but each event is later
    than the one before, whatever the registry's clock says, as the newest is what counts.
    """
    events: list[Json] = []
    facets = before.facets if before else ()
    last = before.at if before else 0
    for state, since in _states(subjects, at):
        last = max(min(since, at), last + 1)
        described = _Description(registry, state).facets()
        gone = {name: _removed(name) for name in facets if name not in described}
        events.append(_event(dataset, {**described, **gone}, last))
        facets = tuple(described)
    known = KnownDataset(
        dataset.namespace,
        dataset.name,
        {each.newest.subject: _known(each) for each in subjects},
        facets,
        last,
    )
    return TranslatedDataset(events, known)


def translate_deletion(
    registry: str, before: KnownDataset, restorable: Mapping[str, bool], at: int
) -> TranslatedDataset:
    """A dataset of which the registry has no schema any more."""
    subjects = [
        {"subject": name, "isDeleted": True, "canBeRestored": can}
        for name, can in sorted(restorable.items())
    ]
    facets = {name: _removed(name) for name in before.facets}
    facets["schema_registry"] = PRODUCER.custom_facet(registry=registry, subjects=subjects)
    if not before.namespace.startswith("kafka:"):
        # It was nothing but the subject.
        facets["lifecycleStateChange"] = PRODUCER.facet(
            "LifecycleStateChangeDatasetFacet", lifecycleStateChange="DROP"
        )
    dataset = DatasetName(before.namespace, before.name)
    return TranslatedDataset([_event(dataset, facets, max(at, before.at + 1))], None)


def _event(dataset: DatasetName, facets: Json, at: int) -> Json:
    return PRODUCER.dataset_event({**dataset._asdict(), "facets": facets}, at)


def _known(subject: SubjectHistory) -> KnownSubject:
    return KnownSubject(subject.newest.version, subject.compatibility)


def _removed(name: str) -> Json:
    if name == "tags":
        return PRODUCER.facet("TagsDatasetFacet", tags=[])
    return PRODUCER.custom_facet(_deleted=True)


def _states(
    subjects: Sequence[SubjectHistory], at: int
) -> Iterator[tuple[list[tuple[SubjectHistory, RegisteredSchema]], int]]:
    """What the subjects of a dataset were together, and since when, oldest first."""
    current = {
        each.newest.subject: (each, each.versions[0])
        for each in subjects
        if each.reported is not None
    }
    changes = [
        (_since(subject, version, at), number, subject.newest.subject, subject, version)
        for subject in subjects
        for number, version in enumerate(subject.versions)
        if version.version != subject.reported
    ]
    changes.sort(key=lambda change: change[:3])
    # Those of several subjects at one time are one state.
    for (since, _), together in groupby(changes, key=lambda change: change[:2]):
        for *_, name, subject, version in together:
            current[name] = (subject, version)
        yield [current[each] for each in sorted(current)], since
    if not changes:
        # Another compatibility, or a subject that is gone.
        yield [current[each] for each in sorted(current)], at


def _since(subject: SubjectHistory, version: RegisteredSchema, at: int) -> int:
    """Since when a version is the newest: of one that is it again, as a newer one was deleted, that
    is now."""
    is_again = subject.reported is not None and version.version < subject.reported
    return at if is_again else version.registered_at or at


def describe_subjects(registry: str, subjects: Sequence[SubjectHistory]) -> Json:
    """The facets of a dataset by the newest versions of its subjects."""
    return _Description(registry, [(each, each.newest) for each in subjects]).facets()


class _Description:
    """The facets of a dataset in one state."""

    def __init__(
        self, registry: str, state: Sequence[tuple[SubjectHistory, RegisteredSchema]]
    ) -> None:
        self._registry = registry
        self._state = state
        self._parsed = [
            parse_schema(version, subject.references, _part(subject)) for subject, version in state
        ]

    def facets(self) -> Json:
        facets: Json = {"schema_registry": self._origin()}
        values, keys = self._of_part("value", "subject"), self._of_part("key")
        if fields := _together(values):
            facets["schema"] = PRODUCER.facet("SchemaDatasetFacet", fields=fields)
        if fields := _together(keys):
            facets["kafka_key"] = PRODUCER.custom_facet(fields=fields)
        if len(values) == 1:
            version, parsed = values[0]
            facets["version"] = PRODUCER.facet(
                "DatasetVersionDatasetFacet", datasetVersion=str(version.version)
            )
            if parsed.description:
                facets["documentation"] = PRODUCER.facet(
                    "DocumentationDatasetFacet", description=parsed.description
                )
        tags = list(_tags(values))
        if tags:
            facets["tags"] = PRODUCER.facet("TagsDatasetFacet", tags=tags)
        return facets

    def _of_part(self, *parts: str) -> list[tuple[RegisteredSchema, ParsedSchema]]:
        return [
            (version, parsed)
            for (subject, version), parsed in zip(self._state, self._parsed, strict=True)
            if subject.place.part in parts
        ]

    def _origin(self) -> Json:
        subjects = []
        for (subject, version), parsed in zip(self._state, self._parsed, strict=True):
            subjects.append(_describe_subject(subject, version, parsed))
        return PRODUCER.custom_facet(registry=self._registry, subjects=subjects)


def _part(subject: SubjectHistory) -> str:
    return "key" if subject.place.part == "key" else "value"


def _describe_subject(
    subject: SubjectHistory, version: RegisteredSchema, parsed: ParsedSchema
) -> Json:
    found: Json = {
        "subject": version.subject,
        "version": version.version,
        "id": version.id,
        "type": version.type,
        "record": parsed.name or None,
        "part": subject.place.part,
        "namedBy": subject.place.strategy,
        "compatibility": subject.compatibility,
        "registeredAt": format_instant(version.registered_at) if version.registered_at else None,
        "references": [each._asdict() for each in version.references],
        "defaults": parsed.defaults,
        "problems": list(parsed.problems),
    }
    return {key: value for key, value in found.items() if value not in (None, [], {})}


def _together(parts: Sequence[tuple[RegisteredSchema, ParsedSchema]]) -> list[Json]:
    """The fields of one schema; of several, as of a topic with records of several types, each is a
    field of its own."""
    found = [(version, parsed) for version, parsed in parts if parsed.fields]
    if len(found) == 1 and len(parts) == 1:
        return list(found[0][1].fields)
    return [
        {
            "name": parsed.name or version.subject,
            "type": "struct",
            "fields": list(parsed.fields),
            **({"description": parsed.description} if parsed.description else {}),
        }
        for version, parsed in found
    ]


def _tags(parts: Sequence[tuple[RegisteredSchema, ParsedSchema]]) -> Iterator[Json]:
    seen = set()
    for version, parsed in parts:
        above = f"{parsed.name or version.subject}." if len(parts) > 1 else ""
        for path, tag in (*parsed.tags, *_tags_by_path(version, parsed)):
            if (path, tag) not in seen:
                seen.add((path, tag))
                field = {"field": above + path} if path else {}
                yield {"key": tag, "value": "true", "source": "SCHEMA_REGISTRY", **field}


def _tags_by_path(version: RegisteredSchema, parsed: ParsedSchema) -> Iterator[tuple[str, str]]:
    """The tags that stand beside a schema; `*` is one part of a path, `**` any number."""
    for path, tags in version.tags:
        parts = re.split(r"(\*\*|\*)", path)
        marks = {"**": ".*", "*": "[^.]*"}
        pattern = re.compile("".join(marks.get(part, re.escape(part)) for part in parts))
        if parsed.name and pattern.fullmatch(parsed.name):
            yield from (("", tag) for tag in tags)
        for field, owner in parsed.owners.items():
            if pattern.fullmatch(owner) or pattern.fullmatch(field):
                yield from ((field, tag) for tag in tags)
