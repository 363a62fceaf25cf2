"""`collect dbt`: a dbt project, by the files that dbt writes into its target folder."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, ClassVar

import msgspec

from headwater.collect import Collected
from headwater.collect.dbt.check import check_project
from headwater.collect.dbt.fetch import (
    Signature,
    add_compiled_sql,
    find_signature,
    read_headers,
    read_project,
)
from headwater.collect.dbt.settings import DbtSettings
from headwater.collect.dbt.state import ReportedProject
from headwater.collect.dbt.translate import ProjectEvent, TranslatedProject
from headwater.collect.dbt.warehouses import find_warehouse
from headwater.config import Section
from headwater.plugins import CheckStep

__all__ = ["DbtCollector", "DbtSettings"]


class DbtCollector:
    """Reports models, seeds, snapshots, sources, tests, metrics and exposures, by column.

    Jobs have the names that dbt-ol gives them: where it runs as well, a model is one job. Only what
    is new is sent.
    """

    settings_class: ClassVar[type[Section]] = DbtSettings

    def __init__(self, settings: DbtSettings, destination: str) -> None:
        self._settings = settings
        self._state = ReportedProject(
            settings.state, destination, settings.target, settings.job_namespace
        )
        self._unchanged: Signature | None = None
        self.is_at_end = False
        self.skipped = 0

    def check(self) -> Sequence[CheckStep]:
        return check_project(self._settings, self._state)

    def find_missing(self) -> Sequence[str]:
        manifest = self._settings.target / "manifest.json"
        return [] if manifest.is_file() else [str(manifest)]

    def collect(self) -> Iterator[Collected]:
        signature = find_signature(self._settings.target)
        if signature == self._unchanged:
            return
        self.skipped = 0
        files = read_project(self._settings.target)
        warehouse = find_warehouse(self._settings, files)
        add_compiled_sql(self._settings.target, files)
        headers = read_headers(self._settings.target, files.manifest)
        kept = self._state.kept
        project = TranslatedProject(
            files, warehouse, self._settings, headers, kept.jobs, kept.events.__contains__
        )
        new = 0
        for each in project.events():
            digest = _digest(each)
            if self._state.has(each.about, digest):
                self.skipped += 1
                continue
            new += 1
            data = msgspec.json.encode(each.event)
            yield Collected(data, each.source, position=(each, digest))
        for each in project.taken_back(sorted(kept.events)):
            new += 1
            yield Collected(msgspec.json.encode(each.event), each.source, position=(each, ""))
        # The others are good; of these it is to be known.
        for problem in files.problems:
            raise problem
        self._unchanged = None if new else signature

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        digests: dict[str, str] = {}
        suffixes: dict[str, str] = {}
        for each in delivered:
            event, digest = each.position
            digests[event.about] = digest
            if event.suffix is not None:
                suffixes[each.source] = event.suffix
        if digests:
            self._state.note(digests, suffixes)


def _digest(found: ProjectEvent) -> str:
    """Of what an event says; of the design not the time, which every call of dbt changes."""
    event: dict[str, Any] = found.event
    content = event if "run" in event else {k: v for k, v in event.items() if k != "eventTime"}
    return sha256(msgspec.json.encode(content)).hexdigest()[:32]
