"""`collect pipelines`: the pipelines of a managed platform, by the list that it exports."""

import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from headwater.collect import Collected
from headwater.collect.connect.rows import read_rows
from headwater.collect.pipelines.fetch import read_list
from headwater.collect.pipelines.form import read_pipelines
from headwater.collect.pipelines.settings import PipelinesSettings
from headwater.collect.pipelines.translate import (
    Naming,
    Translation,
    gaps_digest,
    gaps_event,
    removal_event,
    translate,
)
from headwater.collect.state_file import StateFile
from headwater.config import Section
from headwater.errors import HeadwaterError
from headwater.model.values.instant import now
from headwater.plugins import CheckStep

__all__ = ["PipelinesCollector", "PipelinesSettings"]

_GAPS = ""


class _Kept(msgspec.Struct):
    jobs: dict[str, str] = {}
    """The digest of each job as it was last reported; of the gaps under no name."""


class _Change(msgspec.Struct, frozen=True):
    name: str
    digest: str | None


class PipelinesCollector:
    """Reports each source, transform and pipeline of a list as a declared job; only changes."""

    settings_class: ClassVar[type[Section]] = PipelinesSettings

    def __init__(self, settings: PipelinesSettings, destination: str) -> None:
        self._settings = settings
        identity = (destination, settings.place, settings.namespace)
        self._state = StateFile(settings.state, "pipelines", identity, _Kept())
        rows = read_rows(settings.rows)
        self._naming = Naming(
            settings.namespace,
            settings.bootstrap,
            settings.prefix,
            rows,
            settings.tables == "last",
        )
        self.skipped = 0

    @property
    def is_at_end(self) -> bool:
        return False

    def find_missing(self) -> Sequence[str]:
        place = self._settings.place
        return () if self._settings.is_url or Path(place).exists() else (place,)

    def check(self) -> list[CheckStep]:
        advice = "is it the exported list, and may it be read? --token is for a URL"
        try:
            found = self._read()
        except HeadwaterError as error:
            return [CheckStep("list", False, error.message, advice)]
        detail = f"{len(found.jobs):,} jobs, {len(found.gaps):,} gaps"
        problem = self._state.check()
        state = problem or f"{self._state.folder} can be written"
        return [
            CheckStep("list", True, detail),
            CheckStep("state", problem is None, state, "choose a folder with --state"),
        ]

    def collect(self) -> Iterator[Collected]:
        self.skipped = 0
        at = now()
        found = self._read()
        known = self._state.kept.jobs
        for name, job in found.jobs.items():
            if known.get(name) == job.digest:
                self.skipped += 1
            else:
                yield self._collected(name, job.event(at), job.digest)
        for name in sorted(known.keys() - found.jobs.keys() - {_GAPS}):
            yield self._collected(name, removal_event(self._settings.namespace, name, at), None)
        digest = gaps_digest(found.gaps)
        if not found.gaps and _GAPS not in known:
            return
        if known.get(_GAPS) == digest:
            self.skipped += 1
        else:
            place = self._settings.place
            run = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self._settings.namespace}\n{place}"))
            yield self._collected(_GAPS, gaps_event(place, run, found.gaps, at), digest)

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        changes = [each.position for each in delivered if isinstance(each.position, _Change)]
        for name, digest in ((each.name, each.digest) for each in changes):
            if digest is None:
                self._state.kept.jobs.pop(name, None)
            else:
                self._state.kept.jobs[name] = digest
        if changes:
            self._state.save()

    def _read(self) -> Translation:
        place = self._settings.place
        return translate(self._naming, *read_pipelines(place, read_list(self._settings)))

    def _collected(self, name: str, event: Any, digest: str | None) -> Collected:
        source = f"{self._settings.place}: {name or 'gaps'}"
        return Collected(msgspec.json.encode(event), source, position=_Change(name, digest))
