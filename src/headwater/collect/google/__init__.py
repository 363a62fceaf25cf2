"""`collect google`: tables of BigQuery, and what Google's Data Lineage API knows around them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import ClassVar

from headwater.collect import Collected
from headwater.collect.catalog.changes import CatalogChanges
from headwater.collect.catalog.entries import CatalogReading, TableEntry, denied_gaps
from headwater.collect.catalog.walk import read_linked
from headwater.collect.google.fetch import AssetReport, GoogleApi, Json
from headwater.collect.google.names import bigquery_name
from headwater.collect.google.settings import GoogleReadSettings
from headwater.collect.google.translate import (
    PRODUCER,
    linked_assets,
    translate_processes,
    translate_table,
)
from headwater.collect.rest_check import check_api
from headwater.config import Section
from headwater.model.values.instant import now
from headwater.plugins import CheckStep

__all__ = ["GoogleCollector", "GoogleReadSettings"]

_ADVICE = "the token needs the roles Data Lineage Viewer and BigQuery Metadata Viewer"


class GoogleCollector:
    """Reports tables of BigQuery with columns, labels and descriptions, and as jobs the processes
    that Google's Data Lineage API links them by, as far as these go.

    Only changes are sent. What Headwater has published there does not come back.
    """

    settings_class: ClassVar[type[Section]] = GoogleReadSettings

    def __init__(self, settings: GoogleReadSettings, destination: str) -> None:
        self._settings = settings
        identity = (destination, *settings.tables)
        self._changes = CatalogChanges(settings.state, "google", settings.place, identity, PRODUCER)

    @property
    def skipped(self) -> int:
        return self._changes.skipped

    def check(self) -> list[CheckStep]:
        parts: dict[str, Callable[[GoogleApi], str]] = {
            "datasets": lambda api: f"{len(api.list_datasets()):,} datasets of BigQuery",
            "lineage": lambda api: f"{api.count_processes():,} processes, or more",
        }
        return check_api(
            self._settings, lambda: GoogleApi(self._settings), parts, self._changes, _ADVICE
        )

    def collect(self) -> Iterator[Collected]:
        at = now()
        with closing(GoogleApi(self._settings)) as api:
            reading = self._read(api)
        yield from self._changes.report(reading, at)

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        self._changes.note(delivered)

    def _read(self, api: GoogleApi) -> CatalogReading:
        settings = self._settings
        starts = settings.tables or tuple(filter(settings.is_chosen, api.list_tables()))
        links: dict[str, Json] = {}
        tables: list[TableEntry] = []

        def linked(report: AssetReport) -> list[str]:
            found = linked_assets(report)
            return [name for name in found if settings.is_chosen(name.partition(":")[2])]

        names = map(bigquery_name, starts)
        for report in read_linked(names, settings.depth, api.read_asset, linked):
            links |= {str(each["name"]): each for each in report.links}
            table = translate_table(report)
            tables += [table] if table is not None else []
        processes = api.read_processes(sorted(links))
        jobs, gaps = translate_processes(settings.job_namespace, processes, links)
        return CatalogReading(
            tables, jobs, [*gaps, *denied_gaps(api.denied)], is_whole=not api.denied
        )
