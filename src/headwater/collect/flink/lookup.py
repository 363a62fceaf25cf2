"""Definitions of tables for each job, read from the SQL gateway when the job is first seen."""

from collections.abc import Iterable, Sequence

from headwater.collect.flink.definitions import DefinedTables, define_tables
from headwater.collect.flink.fetch import JobReport
from headwater.collect.flink.gateway import ShownDefinition, SqlGateway
from headwater.collect.flink.scripts import JobSql
from headwater.collect.flink.settings import FlinkSettings
from headwater.errors import SourceUnavailable


class DefinitionLookup:
    """Remembers what was found: a job goes on with its tables as they were when it began."""

    def __init__(self, settings: FlinkSettings) -> None:
        self._settings = settings
        self._gateway: SqlGateway | None = None
        self._failure: SourceUnavailable | None = None
        self._found: dict[str, tuple[tuple[JobSql, ...], DefinedTables]] = {}

    def check(self) -> str:
        gateway = self._open()
        try:
            version = gateway.read_version()
            for job, session in self._settings.sessions.items():
                if problem := gateway.find_session(session):
                    raise SourceUnavailable(gateway.url, f"session of job '{job}': {problem}")
            return f"Flink {version} at {gateway.url}"
        finally:
            self.close()

    def find(self, report: JobReport, candidates: Sequence[JobSql]) -> DefinedTables | None:
        """What a job needs beside its SQL; None without a gateway.

        One that has failed is left alone until the next pass.
        """
        if not self._settings.gateway:
            return None
        job, sql = report.summary.id, tuple(candidates)
        if job not in self._found or self._found[job][0] != sql:
            if self._failure is not None:
                raise self._failure
            try:
                self._found[job] = (sql, self._define(report, sql))
            except SourceUnavailable as error:
                self._failure = error
                raise
        return self._found[job][1]

    def _define(self, report: JobReport, sql: Sequence[JobSql]) -> DefinedTables:
        session = self._settings.sessions.get(report.summary.name, "")
        gateway = self._open()

        def show(what: str, name: str) -> ShownDefinition:
            return gateway.show(session, what, name)

        return define_tables(report.operators, sql, show, bool(session))

    def keep(self, jobs: Iterable[str]) -> None:
        """Forget the jobs that are no more."""
        left = set(jobs)
        self._found = {job: found for job, found in self._found.items() if job in left}

    def close(self) -> None:
        """Until the next pass; the session of its own ends."""
        self._failure = None
        if self._gateway is not None:
            self._gateway.close()
            self._gateway = None

    def _open(self) -> SqlGateway:
        if self._gateway is None:
            self._gateway = SqlGateway(self._settings)
        return self._gateway
