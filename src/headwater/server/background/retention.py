"""Retention on a schedule: the store is pruned every so often."""

import logging
from datetime import timedelta

from headwater.config import RetentionSettings
from headwater.durations import parse_duration
from headwater.model.values.instant import MICROSECOND, now
from headwater.server.background.periodic import Background
from headwater.store.engine import Engine
from headwater.store.maintenance.prune import prune

log = logging.getLogger(__name__)

# After the start, so that a server that is being restarted does not prune each time; and soon
# enough that one restarted every day still does.
_FIRST_AFTER = timedelta(minutes=1)


class Retention(Background):
    """Prunes in the background; nothing at all unless it is set."""

    name = "prune"

    def __init__(
        self, engine: Engine, settings: RetentionSettings, first_after: timedelta = _FIRST_AFTER
    ) -> None:
        super().__init__(parse_duration(settings.every), first_after)
        self._engine = engine
        self._older_than = settings.older_than

    def start(self) -> None:
        if self._older_than:
            super().start()

    def work(self) -> None:
        horizon = now() - parse_duration(self._older_than) // MICROSECOND
        gone = prune(self._engine, horizon, progress=lambda *_: self.check_stopping())
        rows = ", ".join(f"{count:,} {name}" for name, count in gone.items())
        log.info("pruned what is older than %s: %s", self._older_than, rows or "nothing")
