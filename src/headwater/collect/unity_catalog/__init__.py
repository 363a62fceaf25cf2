"""`collect unity-catalog`: tables, and what reads and writes them, as Databricks knows it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import ClassVar

from headwater.collect import Collected
from headwater.collect.catalog.changes import CatalogChanges
from headwater.collect.catalog.entries import CatalogReading, denied_gaps
from headwater.collect.catalog.walk import read_linked
from headwater.collect.rest_check import check_api
from headwater.collect.unity_catalog.fetch import TableReport, UnityApi
from headwater.collect.unity_catalog.names import UnityNames
from headwater.collect.unity_catalog.settings import UnityReadSettings
from headwater.collect.unity_catalog.translate import (
    PRODUCER,
    UnityJobs,
    describe_job,
    describe_query,
    linked_tables,
    translate_table,
)
from headwater.config import Section
from headwater.model.values.instant import now
from headwater.plugins import CheckStep

__all__ = ["UnityCatalogCollector", "UnityReadSettings"]

_ADVICE = "the token needs BROWSE on catalogs, or USE CATALOG, USE SCHEMA and SELECT"


class UnityCatalogCollector:
    """Reports tables with columns, owners, tags, comments and grants; and the notebooks, jobs,
    queries, dashboards and pipelines that read and write them, with columns where these are known.

    Only changes are sent. What Headwater has published there does not come back.
    """

    settings_class: ClassVar[type[Section]] = UnityReadSettings

    def __init__(self, settings: UnityReadSettings, destination: str) -> None:
        self._settings = settings
        identity = (destination, *settings.tables)
        self._changes = CatalogChanges(
            settings.state, "unity-catalog", settings.url, identity, PRODUCER
        )

    @property
    def skipped(self) -> int:
        return self._changes.skipped

    def check(self) -> list[CheckStep]:
        parts: dict[str, Callable[[UnityApi], str]] = {
            "catalogs": lambda api: f"{len(api.list_catalogs()):,} catalogs"
        }
        return check_api(
            self._settings, lambda: UnityApi(self._settings), parts, self._changes, _ADVICE
        )

    def collect(self) -> Iterator[Collected]:
        at = now()
        with closing(UnityApi(self._settings)) as api:
            reading = self._read(api)
        yield from self._changes.report(reading, at)

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        self._changes.note(delivered)

    def _read(self, api: UnityApi) -> CatalogReading:
        settings = self._settings
        names = UnityNames(settings.host, settings.known_url, api.read_default_catalog())
        starts = settings.tables or tuple(filter(settings.is_chosen, api.list_tables()))
        jobs, tables = UnityJobs(names), []

        def linked(report: TableReport) -> list[str]:
            return [name for name in linked_tables(report) if settings.is_chosen(name)]

        depth = settings.depth if settings.tables else 0
        for report in read_linked(starts, depth, api.read_table, linked):
            tables.append(translate_table(names, report))
            jobs.add(report)
        for id, job in jobs.ids("job"):
            describe_job(job, api.read_job(id))
        for id, job in jobs.ids("query"):
            describe_query(job, api.read_query(id))
        gaps = [*jobs.gaps, *denied_gaps(api.denied)]
        return CatalogReading(tables, list(jobs.jobs.values()), gaps, not api.denied)
