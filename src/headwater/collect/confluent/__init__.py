"""`collect confluent`: all that moves data in an account of Confluent Cloud, by its APIs."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import ClassVar

import msgspec

from headwater.collect import Collected
from headwater.collect.confluent.account import CloudAccount
from headwater.collect.confluent.api import control
from headwater.collect.confluent.audit_log import AuditLog
from headwater.collect.confluent.changes import AccountChange, PassChanges
from headwater.collect.confluent.fetch import ReportProgress, read_account
from headwater.collect.confluent.reports import EnvironmentReport
from headwater.collect.confluent.request import ExtractionRequest
from headwater.collect.confluent.settings import ConfluentSettings
from headwater.collect.confluent.state import KnownItem, ReportedAccount
from headwater.collect.confluent.translate import TranslatedAccount
from headwater.collect.confluent.watch import Watch, WatchState, fingerprint, settings_of_look
from headwater.collect.connect.rows import read_rows
from headwater.collect.rest_check import check_api
from headwater.config import Section
from headwater.durations import parse_duration
from headwater.model.values.instant import now
from headwater.plugins import CheckStep

__all__ = ["ConfluentCollector", "ConfluentSettings", "ExtractionRequest", "extract"]

log = logging.getLogger(__name__)

_NEVER = 2**63


def extract(
    request: ConfluentSettings, report: ReportProgress = lambda line: None
) -> Iterator[Collected]:
    """All that an account has now, whatever was reported before.

    `report` is called with each line of progress, and may end the extraction by raising. A part
    that cannot be read is a `Collected` with an error; the rest goes on. Raises SourceUnavailable
    where the account itself cannot be read.
    """
    at = now()
    environments = _read(request, report)
    account = TranslatedAccount(environments, read_rows(request.rows))
    for change in PassChanges(account, {}, at, _NEVER, at):
        yield Collected(msgspec.json.encode(change.event), change.label)
    yield from _problems(environments)


class ConfluentCollector:
    """Reports topics, connectors, queries, statements, groups and tables of an account.

    Only changes are sent. With --watch, each look first reads what tells whether there are any.
    """

    settings_class: ClassVar[type[Section]] = ConfluentSettings

    def __init__(
        self, settings: ConfluentSettings, destination: str, audit_log: AuditLog | None = None
    ) -> None:
        self._settings = settings
        self._rows = read_rows(settings.rows)
        place = (destination, settings.url, settings.user)
        self._state = ReportedAccount(settings.state, *place, now())
        self._watch = Watch(settings)
        has_log = bool(settings.audit_bootstrap)
        self._audit_log = audit_log or (AuditLog(settings) if has_log else None)
        self._waiting: set[str] = set()
        self._is_under_way = False
        self.skipped = 0

    @property
    def watch_state(self) -> WatchState:
        return self._watch.state

    def check(self) -> list[CheckStep]:
        parts: dict[str, Callable[[CloudAccount], str]] = {
            "environments": _count_environments,
            "clusters": _describe_clusters,
        }
        advice = "is --user a Cloud API key of this organization, and --password its secret?"
        if (audit_log := self._audit_log) is not None:
            parts["audit log"] = lambda account: audit_log.describe()
        return check_api(
            self._settings, lambda: CloudAccount(self._settings), parts, self._state, advice
        )

    def collect(self) -> Iterator[Collected]:
        self.skipped = 0
        if self._must_extract():
            yield from self._extract()
        else:
            self.skipped = sum(1 for each in self._state.items.values() if each.digest)

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        changes: dict[str, KnownItem] = {}
        for each in delivered:
            if isinstance(each.position, AccountChange):
                changes[each.position.key] = each.position.known
        if changes:
            self._state.note(changes, not self._is_under_way)
            self._waiting -= changes.keys()

    def _must_extract(self) -> bool:
        """What was found and not delivered is looked for again, whatever has changed."""
        if self._waiting or not self._watch.must_look:
            return True
        has_changed = self._audit_log.look() if self._audit_log is not None else None
        if has_changed is not None:
            return self._watch.note(has_changed)
        environments = _read(settings_of_look(self._settings), log.debug)
        return self._watch.look(fingerprint(environments))

    def _extract(self) -> Iterator[Collected]:
        self._watch.begin()
        self._is_under_way = True
        if self._audit_log is not None:
            # What happens from now on is a change since.
            self._audit_log.look()
        # Before anything is read: what happens meanwhile is newer.
        at = now()
        try:
            environments = _read(self._settings, log.info)
            account = TranslatedAccount(environments, self._rows)
            refresh = int(parse_duration(self._settings.refresh).total_seconds() * 1_000_000)
            known = dict(self._state.items)
            changes = PassChanges(account, known, self._state.since, refresh, at)
            for change in changes:
                self._waiting.add(change.key)
                data = msgspec.json.encode(change.event)
                yield Collected(data, change.label, position=change)
            self.skipped = changes.skipped
            yield from _problems(environments)
        except BaseException:
            self._watch.stop()
            raise
        finally:
            self._is_under_way = False
        is_whole = not any(p.is_temporary for each in environments for p in each.problems)
        self._watch.end(fingerprint(environments), is_whole)


def _read(settings: ConfluentSettings, report: ReportProgress) -> list[EnvironmentReport]:
    with closing(CloudAccount(settings)) as account:
        return read_account(account, report)


def _problems(environments: Sequence[EnvironmentReport]) -> Iterator[Collected]:
    for environment in environments:
        for problem in environment.problems:
            yield Collected(b"", problem.where, error=str(problem))


def _count_environments(account: CloudAccount) -> str:
    return f"{sum(1 for _ in control.read_environments(account.cloud())):,} environments"


def _describe_clusters(account: CloudAccount) -> str:
    """How many clusters there are, and which of them have no key: of those less is read."""
    keys = account.settings.keys_by_resource
    found = [
        str(cluster.get("id"))
        for environment in control.read_environments(account.cloud())
        for cluster in control.read_clusters(account.cloud(), str(environment.get("id")))
    ]
    missing = sorted(set(found) - keys.keys())
    without = f", no API key (--keys) for {', '.join(missing[:5])}" if missing else ""
    return f"{len(found):,} Kafka clusters{without}"
