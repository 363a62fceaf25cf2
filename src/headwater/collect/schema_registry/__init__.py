"""`collect schema-registry`: the schemas of topics, by the API of Confluent's registry."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from headwater.collect import Collected
from headwater.collect.pairs import read_pairs
from headwater.collect.rest_check import check_api
from headwater.collect.schema_registry.fetch import RegisteredSchema, RegistryApi
from headwater.collect.schema_registry.places import Places, SubjectPlace
from headwater.collect.schema_registry.settings import SchemaRegistrySettings
from headwater.collect.schema_registry.state import KnownDataset, ReportedSchemas
from headwater.collect.schema_registry.translate import (
    SubjectHistory,
    TranslatedDataset,
    translate,
    translate_deletion,
)
from headwater.config import Section
from headwater.model.naming import DatasetName
from headwater.model.values.instant import now
from headwater.plugins import CheckStep

__all__ = ["SchemaRegistryCollector", "SchemaRegistrySettings"]

# The texts that are held from the list of a pass; those beyond it are read again where needed.
MOST_HELD = 100_000_000
# Another compatibility changes no version: of subjects without news it is looked at in turns.
_COMPATIBILITIES = 500
# Datasets whose versions and references are read together.
_AT_ONCE = 200


class SchemaRegistryCollector:
    """Reports the schemas of a registry as those of their topics; only changes are sent."""

    settings_class: ClassVar[type[Section]] = SchemaRegistrySettings

    def __init__(self, settings: SchemaRegistrySettings, destination: str) -> None:
        self._settings = settings
        self._state = ReportedSchemas(settings.state, destination, settings.url, settings.bootstrap)
        self._places = Places(settings.url, settings.bootstraps, read_pairs(settings.topics))
        self._turn = random.random()
        self.skipped = 0

    def check(self) -> list[CheckStep]:
        parts: dict[str, Callable[[RegistryApi], str]] = {
            "registry": lambda api: (
                f"a schema registry at {self._settings.url}, "
                f"compatibility {api.read_default_compatibility()}"
            ),
            "subjects": lambda api: f"{api.count_subjects():,} subjects",
        }
        advice = "is --url that of a schema registry?"
        return check_api(
            self._settings, lambda: RegistryApi(self._settings), parts, self._state, advice
        )

    def collect(self) -> Iterator[Collected]:
        self.skipped = 0
        api = RegistryApi(self._settings)
        try:
            yield from _Pass(self._settings, self._places, self._state.datasets, api).run(
                self._turn, self._note_skipped
            )
        finally:
            api.close()
        self._turn = random.random()

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        changes: dict[str, KnownDataset | None] = {}
        for each in delivered:
            # The last event of a dataset has what is known once all of them are delivered.
            if isinstance(each.position, TranslatedDataset):
                changes[each.source] = each.position.known
        if changes:
            self._state.note(changes)

    def _note_skipped(self) -> None:
        self.skipped += 1


class _Listed:
    """A subject as it is listed now."""

    def __init__(self, schema: RegisteredSchema, place: SubjectPlace) -> None:
        self.schema = schema
        self.place = place


class _Pass:
    """One look at a whole registry."""

    def __init__(
        self,
        settings: SchemaRegistrySettings,
        places: Places,
        known: Mapping[str, KnownDataset],
        api: RegistryApi,
    ) -> None:
        self._settings = settings
        self._places = places
        self._known = dict(known)
        self._api = api
        # Before anything is read: what happens meanwhile is newer.
        self._at = now()
        self._default = api.read_default_compatibility()
        self._compatibilities: dict[str, str] = {}

    def run(self, turn: float, note_skipped: Any) -> Iterator[Collected]:
        listed = self._list()
        self._read_compatibilities(listed, turn)
        changed = [name for name in sorted(listed) if self._is_changed(name, listed[name])]
        for _ in range(len(listed) - len(changed)):
            note_skipped()
        for start in range(0, len(changed), _AT_ONCE):
            names = changed[start : start + _AT_ONCE]
            yield from self._translate({name: listed.pop(name) for name in names})
        yield from self._translate_deletions([*listed, *changed])

    def _list(self) -> dict[str, list[_Listed]]:
        """The newest version of each subject, by its dataset; texts only of what is new."""
        versions = {
            subject: (name, known.version)
            for name, dataset in self._known.items()
            for subject, known in dataset.subjects.items()
        }
        found: dict[str, list[_Listed]] = {}
        held = 0
        for schema in self._api.read_newest(versions):
            place = self._places.find(schema)
            name = _name(place.dataset)
            is_known = versions.get(schema.subject) == (name, schema.version)
            held += 0 if is_known else len(schema.text or "")
            if is_known or held > MOST_HELD:
                schema = schema._replace(text=None)
            found.setdefault(name, []).append(_Listed(schema, place))
        return found

    def _read_compatibilities(self, listed: Mapping[str, list[_Listed]], turn: float) -> None:
        others = []
        needed = []
        for name, subjects in listed.items():
            known = self._known.get(name)
            for each in subjects:
                subject = each.schema.subject
                before = known.subjects.get(subject) if known else None
                if before is None or before.version != each.schema.version:
                    needed.append(subject)
                else:
                    self._compatibilities[subject] = before.compatibility
                    others.append(subject)
        start = int(turn * len(others))
        needed += [*others[start:], *others[:start]][:_COMPATIBILITIES]
        for subject, level in self._api.read_compatibility(needed).items():
            self._compatibilities[subject] = level or self._default

    def _is_changed(self, name: str, subjects: Sequence[_Listed]) -> bool:
        known = self._known.get(name)
        if known is None:
            return True
        now_there = {
            each.schema.subject: (
                each.schema.version,
                self._compatibilities.get(each.schema.subject),
            )
            for each in subjects
        }
        return now_there != {
            subject: (each.version, each.compatibility) for subject, each in known.subjects.items()
        }

    def _translate(self, datasets: Mapping[str, list[_Listed]]) -> Iterator[Collected]:
        """Some datasets together, so that what they lack is read several at once."""
        needed = [
            key
            for name, subjects in datasets.items()
            for each in subjects
            for key in self._needed(each.schema, self._known.get(name))
        ]
        read = self._api.read_versions(needed)
        for name, subjects in datasets.items():
            known = self._known.get(name)
            histories = [self._history(each, known, read) for each in subjects]
            if any(each.newest.text is None for each in histories):
                # It was deleted between the list and this: the next pass knows.
                continue
            dataset = subjects[0].place.dataset
            found = translate(self._settings.url, dataset, histories, known, self._at)
            yield from _collected(name, found)

    def _needed(
        self, newest: RegisteredSchema, known: KnownDataset | None
    ) -> Iterator[tuple[str, int]]:
        """The versions that are to be read beside the newest one, as it was listed."""
        before = known.subjects.get(newest.subject) if known else None
        if newest.text is None:
            yield newest.subject, newest.version
        if before is not None:
            first = max(before.version + 1, newest.version - self._settings.history)
        elif newest.registered_at is not None:
            first = max(1, newest.version - self._settings.history + 1)
        else:
            # When the older ones were registered nobody knows.
            return
        yield from ((newest.subject, number) for number in range(first, newest.version))

    def _history(
        self, listed: _Listed, known: KnownDataset | None, read: Mapping[Any, RegisteredSchema]
    ) -> SubjectHistory:
        newest = listed.schema
        before = known.subjects.get(newest.subject) if known else None
        newest = read.get((newest.subject, newest.version), newest)
        older = (read.get(key) for key in self._needed(newest, known))
        versions = (*(each for each in older if each is not None), newest)
        references: dict[Any, Any] = {}
        for each in versions:
            references |= self._api.read_references(each)
        return SubjectHistory(
            listed.place,
            versions,
            self._compatibilities.get(newest.subject, self._default),
            references,
            before.version if before else None,
        )

    def _translate_deletions(self, present: Sequence[str]) -> Iterator[Collected]:
        gone = sorted(self._known.keys() - set(present))
        restorable = self._api.read_deleted() if gone else set()
        for name in gone:
            known = self._known[name]
            subjects = {subject: subject in restorable for subject in known.subjects}
            found = translate_deletion(self._settings.url, known, subjects, self._at)
            yield from _collected(name, found)


def _name(dataset: DatasetName) -> str:
    return f"{dataset.namespace}|{dataset.name}"


def _collected(name: str, found: TranslatedDataset) -> Iterator[Collected]:
    last = len(found.events) - 1
    for number, event in enumerate(found.events):
        position: Any = found if number == last else None
        yield Collected(msgspec.json.encode(event), name, position=position)
