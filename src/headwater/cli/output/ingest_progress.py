"""How an ingest goes: a line that moves on a terminal, lines in the log where there is none."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from rich.live import Live

    from headwater.pipeline.driver_store import Totals
    from headwater.pipeline.observers import IngestObserver


@contextmanager
def screen(name: str) -> "Iterator[IngestObserver]":
    from rich.console import Console
    from rich.live import Live

    from headwater.pipeline.observers import Log

    # Names and patterns are shown as they are, brackets and colons included.
    console = Console(stderr=True, markup=False, emoji=False)
    if not console.is_terminal:
        yield Log()
        return
    with Live(console=console, auto_refresh=False) as live:
        yield IngestScreen(name, live)


class IngestScreen:
    """Rows, rate, lag and dead letters, in one line."""

    def __init__(self, name: str, live: "Live") -> None:
        from headwater.pipeline.driver_store import Totals

        self._name = name
        self._live = live
        self._totals = Totals()
        self._rate = 0.0
        self._lag: int | None = None
        self._behind: float | None = None
        self._state = "starting"
        self._show()

    def started(self, inputs: Sequence[tuple[str, str]]) -> None:
        self._state = ", ".join(name for _, name in inputs[:3])
        self._show()

    def stored(self, totals: "Totals", seconds: float) -> None:
        self._totals.add(totals)
        self._rate = totals.messages / seconds if seconds else 0.0
        self._show()

    def settled(self, lag: int | None) -> None:
        self._lag = lag
        self._show()

    def behind(self, seconds: float) -> None:
        self._behind = seconds
        self._show()

    def alive(self) -> None:
        self._show()

    def failed(self, error: HeadwaterError, wait: float) -> None:
        self._live.console.print(f"{error.message}; trying again in {wait:g} s")

    def ended(self, error: BaseException | None) -> None:
        self._state = "ended"
        self._show()

    def _show(self) -> None:
        totals = self._totals
        parts = [
            time.strftime("%H:%M:%S", time.gmtime()) + " UTC",
            self._name,
            f"{totals.events:,} events",
            f"{self._rate:,.0f}/s",
            f"{totals.rejected:,} rejected",
        ]
        if totals.excluded:
            parts.append(f"{totals.excluded:,} excluded")
        if self._lag is not None:
            parts.append(f"lag {self._lag:,}")
        if self._behind is not None:
            parts.append(f"lag {self._behind:,.1f} s")
        self._live.update("  ".join([*parts, self._state]), refresh=True)
