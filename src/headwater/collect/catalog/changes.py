"""What has changed of a catalog since it was last reported, as events; and remembering that."""

import hashlib
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from headwater.collect import Collected
from headwater.collect.catalog.entries import CatalogReading, LinkedJob, TableEntry
from headwater.collect.catalog.events import (
    created_facet,
    deleted_facets,
    dropped_facets,
    job_facets,
    job_uses,
    table_facets,
)
from headwater.collect.state_file import StateFile
from headwater.emit.events import Producer
from headwater.emit.gaps import FACET, gaps_facets
from headwater.model.naming import DatasetName
from headwater.model.values.consumer_groups import COLLECTOR_NAMESPACE

Json = dict[str, Any]
_TABLE, _JOB, _GAPS = "table", "job", "gaps"


class ReportedEntry(msgspec.Struct, frozen=True):
    """A table or job as it was last reported."""

    digest: str
    facets: tuple[str, ...] = ()
    is_gone: bool = False


class KeptCatalog(msgspec.Struct):
    entries: dict[str, ReportedEntry] = {}
    """By kind, namespace and name, each in a line."""


class _Change(msgspec.Struct, frozen=True):
    key: str
    known: ReportedEntry


class CatalogChanges(StateFile[KeptCatalog]):
    """What one destination was sent of one catalog."""

    def __init__(
        self, folder: Path, kind: str, place: str, identity: tuple[str, ...], producer: Producer
    ) -> None:
        super().__init__(folder, kind, (*identity, place), KeptCatalog())
        self._kind = kind
        self._place = place
        self._producer = producer
        self.skipped = 0

    def report(self, reading: CatalogReading, at: int) -> Iterator[Collected]:
        """What is other than it was, at a time in microseconds since 1970."""
        self.skipped = 0
        seen: set[str] = set()
        for table in reading.tables:
            seen.add(key := _key(_TABLE, table.name))
            yield from self._table(key, table, reading.is_whole, at)
        for job in reading.jobs:
            seen.add(key := _key(_JOB, DatasetName(job.namespace, job.name)))
            yield from self._job(key, job, at)
        if reading.is_whole:
            yield from self._gone(seen, at)
        yield from self._gaps(reading, at)

    def note(self, delivered: Sequence[Collected]) -> None:
        changes = [each.position for each in delivered if isinstance(each.position, _Change)]
        for change in changes:
            self.kept.entries[change.key] = change.known
        if changes:
            self.save()

    def _table(self, key: str, table: TableEntry, is_whole: bool, at: int) -> Iterator[Collected]:
        facets = table_facets(self._producer, table)
        before = self.kept.entries.get(key)
        # What was not read this time may well be as it was.
        kept = () if is_whole or before is None else before.facets
        known = ReportedEntry(_digest(facets), tuple(sorted({*facets, *kept})))
        if before == known:
            self.skipped += 1
            return
        if before is not None:
            facets |= deleted_facets(self._producer, set(before.facets) - set(known.facets))
            facets |= created_facet(self._producer) if before.is_gone else {}
        yield self._dataset_event(key, table.name, facets, known, at)

    def _job(self, key: str, job: LinkedJob, at: int) -> Iterator[Collected]:
        facets = job_facets(self._producer, job)
        inputs, outputs = job_uses(self._producer, job)
        known = ReportedEntry(_digest([facets, inputs, outputs]), tuple(sorted(facets)))
        before = self.kept.entries.get(key)
        if before == known:
            self.skipped += 1
            return
        if before is not None:
            facets |= deleted_facets(self._producer, set(before.facets) - facets.keys())
        named = {"namespace": job.namespace, "name": job.name, "facets": facets}
        event = self._producer.job_event(named, inputs, outputs, at=at)
        yield _collected(job.name, event, _Change(key, known))

    def _gone(self, seen: set[str], at: int) -> Iterator[Collected]:
        """Tables and jobs that are no longer in the catalog."""
        for key, before in sorted(self.kept.entries.items()):
            kind, _, rest = key.partition("\n")
            if kind == _GAPS or key in seen or before.is_gone:
                continue
            name = DatasetName(*rest.split("\n", 1))
            known = ReportedEntry(before.digest, is_gone=True)
            if kind == _TABLE:
                facets = dropped_facets(self._producer, before.facets)
                yield self._dataset_event(key, name, facets, known, at)
            else:
                named = {**name._asdict(), "facets": {}}
                event = self._producer.job_event(named, at=at)
                yield _collected(name.name, event, _Change(key, known))

    def _gaps(self, reading: CatalogReading, at: int) -> Iterator[Collected]:
        """What could not be read or understood, as gaps of the collector's own job."""
        known = ReportedEntry(_digest(sorted(set(reading.gaps))))
        before = self.kept.entries.get(_GAPS)
        if before is None and not reading.gaps:
            return
        if before == known:
            self.skipped += 1
            return
        facets = gaps_facets(self._producer, reading.gaps) or {
            FACET: self._producer.run_facet(gaps=[])
        }
        name = f"collect {self._kind} {self._place}"
        kind = self._producer.job_type("BATCH", "HEADWATER", "COLLECTOR")
        job = {"namespace": COLLECTOR_NAMESPACE, "name": name, "facets": {"jobType": kind}}
        run = {"runId": str(uuid.uuid5(uuid.NAMESPACE_URL, name)), "facets": facets}
        event = self._producer.run_event("COMPLETE", job, run, at=at)
        yield _collected(f"{self._place}: gaps", event, _Change(_GAPS, known))

    def _dataset_event(
        self, key: str, name: DatasetName, facets: Json, known: ReportedEntry, at: int
    ) -> Collected:
        event = self._producer.dataset_event({**name._asdict(), "facets": facets}, at)
        return _collected(name.name, event, _Change(key, known))


def _key(kind: str, name: DatasetName) -> str:
    return f"{kind}\n{name.namespace}\n{name.name}"


def _collected(source: str, event: Json, change: _Change) -> Collected:
    return Collected(msgspec.json.encode(event), source, position=change)


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:32]
