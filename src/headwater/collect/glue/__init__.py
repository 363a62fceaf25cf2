"""`collect glue`: tables, crawlers and jobs of the AWS Glue Data Catalog."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import ClassVar

from headwater.collect import Collected
from headwater.collect.catalog.changes import CatalogChanges
from headwater.collect.catalog.entries import CatalogReading, LinkedJob, denied_gaps
from headwater.collect.glue.fetch import GlueApi, Json
from headwater.collect.glue.settings import GlueReadSettings
from headwater.collect.glue.translate import (
    PRODUCER,
    GlueNames,
    account_of,
    translate_crawler,
    translate_job,
    translate_table,
)
from headwater.config import Section
from headwater.emit.gaps import GapEntry
from headwater.errors import HeadwaterError
from headwater.model.values.instant import now
from headwater.plugins import CheckStep

__all__ = ["GlueCollector", "GlueReadSettings"]

_ADVICE = "check --region, and the credentials as `aws glue get-databases` does"


class GlueCollector:
    """Reports tables with columns, owners and descriptions; crawlers as jobs from their targets to
    their tables; and jobs that were drawn as graphs, from their sources to their targets.

    Only changes are sent. RequestCredentials are those of the AWS command line.
    """

    settings_class: ClassVar[type[Section]] = GlueReadSettings

    def __init__(self, settings: GlueReadSettings, destination: str) -> None:
        self._settings = settings
        identity = (destination, settings.region, *settings.tables)
        self._changes = CatalogChanges(settings.state, "glue", settings.place, identity, PRODUCER)

    @property
    def skipped(self) -> int:
        return self._changes.skipped

    def check(self) -> list[CheckStep]:
        try:
            with closing(GlueApi(self._settings)) as api:
                found = api.list_databases()
        except HeadwaterError as error:
            return [CheckStep("databases", False, error.message, _ADVICE)]
        problem = self._changes.check()
        detail = problem or f"{self._changes.folder} can be written"
        return [
            CheckStep("databases", True, f"{len(found):,} databases"),
            CheckStep("state", problem is None, detail, "choose a folder with --state"),
        ]

    def collect(self) -> Iterator[Collected]:
        at = now()
        with closing(GlueApi(self._settings)) as api:
            reading = self._read(api)
        yield from self._changes.report(reading, at)

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        self._changes.note(delivered)

    def _read(self, api: GlueApi) -> CatalogReading:
        tables = list(api.list_tables())
        names = GlueNames(self._settings.region, account_of(tables, self._settings.account))
        jobs: list[LinkedJob] = []
        gaps: list[GapEntry] = []
        for job, its_gaps in self._jobs(api, names, tables) if self._settings.jobs else ():
            jobs.append(job)
            gaps += its_gaps
        if self._settings.tables:
            jobs = [job for job in jobs if _is_about(job, names, tables)]
            about = {job.name for job in jobs}
            gaps = [gap for gap in gaps if gap.name.partition(": ")[0] in about]
        found = [translate_table(names, table) for table in tables]
        return CatalogReading(
            found, jobs, [*gaps, *denied_gaps(api.denied)], is_whole=not api.denied
        )

    def _jobs(
        self, api: GlueApi, names: GlueNames, tables: Sequence[Json]
    ) -> Iterator[tuple[LinkedJob, list[GapEntry]]]:
        for each in api.list_crawlers():
            tags = api.read_tags("crawler", str(each["Name"]), names.account)
            yield translate_crawler(names, each, tables, tags)
        for each in api.list_jobs():
            tags = api.read_tags("job", str(each["Name"]), names.account)
            yield translate_job(names, each, tags)


def _is_about(job: LinkedJob, names: GlueNames, tables: Sequence[Json]) -> bool:
    """Whether a job reads or writes any of some tables."""
    named = {names.table(str(each["DatabaseName"]), str(each["Name"])) for each in tables}
    return not named.isdisjoint({*job.inputs, *job.flows})
