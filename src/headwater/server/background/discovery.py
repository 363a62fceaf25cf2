"""Discovery on a schedule: what is new in Kafka clusters is reported to a webhook.

One server at a time, by the lease of collectors, beside which it is listed; what was reported is
noted in the store, so that neither another server nor the next start reports it again.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from headwater.answers.discovery.findings import FindingFilter
from headwater.answers.discovery.listing import list_findings
from headwater.config import DiscoverySettings, resolve_secret
from headwater.durations import parse_duration
from headwater.errors import HeadwaterError
from headwater.leases import LEASE_SECONDS, make_holder
from headwater.model.values.instant import SECOND, now
from headwater.publish.webhook import finding_keys, post_report, report_text
from headwater.server.background.periodic import Background
from headwater.store.collectors import note_ended, note_started, read_collector, take_lease
from headwater.store.engine import Engine
from headwater.store.positions import move_position, read_positions
from headwater.store.query.paging import Page

NAME = "discovery"
_SOURCE = "discovery webhook"
_FIRST_AFTER = timedelta(seconds=30)
# How often it is looked whether a pass is due or requested.
_LOOK = timedelta(seconds=10)
# All of them: what is cut would never be reported.
_MOST = 1_000_000

Post = Callable[[str, str], None]


class Discover(Background):
    """Looks for findings and reports the new ones; nothing at all unless it is set."""

    name = NAME

    def __init__(
        self,
        engine: Engine,
        settings: DiscoverySettings,
        post: Post = post_report,
        first_after: timedelta = _FIRST_AFTER,
    ) -> None:
        super().__init__(_LOOK, first_after)
        self._engine = engine
        self._settings = settings
        self._post = post
        self._holder = make_holder()

    def start(self) -> None:
        if self._settings.every:
            super().start()

    def work(self) -> None:
        at = now()
        seconds = int(parse_duration(self._settings.every).total_seconds())
        until = at + int(max(LEASE_SECONDS, 3 * _LOOK.total_seconds()) * SECOND)
        with self._engine.begin() as connection:
            if not take_lease(connection, NAME, NAME, seconds, self._holder, at, until):
                return
            state = read_collector(connection, NAME)
            if not state.is_requested and (state.next_at or 0) > at:
                return
            note_started(connection, NAME, at)
        problem = None
        count = 0
        try:
            count = self._report(at)
        except HeadwaterError as error:
            problem = error.message
        with self._engine.begin() as connection:
            ended, is_failed = now(), problem is not None
            due = ended + seconds * SECOND
            note_ended(connection, NAME, ended, due, count, 0, problem, is_failed)

    def _report(self, at: int) -> int:
        """Report what was not reported before; how many findings that are."""
        requested = FindingFilter(
            include=self._settings.include.split(), exclude=self._settings.exclude.split()
        )
        with self._engine.connect() as connection:
            found = list_findings(connection, requested, Page(_MOST, 0), at)["findings"]
            reported = read_positions(connection, _SOURCE)
        new = {key: each for key, each in finding_keys(found).items() if key not in reported}
        if not new:
            return 0
        if self._settings.webhook:
            url = resolve_secret(self._settings.webhook).get_secret_value()
            self._post(url, report_text(list(new.values()), len(new)))
        self._note(new, at)
        return len(new)

    def _note(self, new: Mapping[str, Any], at: int) -> None:
        with self._engine.begin() as connection:
            for key in new:
                move_position(connection, _SOURCE, key, at)
