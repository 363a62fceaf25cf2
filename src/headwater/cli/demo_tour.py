"""What the demo shows of its example: the answers of three commands, and the commands."""

from typing import Any

from headwater.cli.client import Client
from headwater.cli.diff import ask_diff, show_diff
from headwater.cli.lineage import Question, ask_lineage, show_lineage
from headwater.cli.naming import find_node
from headwater.cli.screen import Screen
from headwater.cli.sides import Side
from headwater.demo.build import HOUR
from headwater.demo.example import clock_at
from headwater.demo.tables import DASHBOARD
from headwater.model.instant import MINUTE, format_instant

_DASHBOARD = DASHBOARD.at.name.rpartition(".")[2]
_REVENUE = f"{_DASHBOARD}.{DASHBOARD.columns[0].name}"
_UP = Question(sides=(Side.UPSTREAM,))
# By then the new column has come as far as the warehouse's facts.
_SPREAD = 7 * HOUR


class Tour:
    """Asks a store as the commands do, at once; and shows the answers later."""

    def __init__(self, store: str, now: int) -> None:
        change = clock_at(now).change
        self._times = change - MINUTE, change + _SPREAD
        _upgrade(store)
        with Client(store) as client:
            self._dashboard = find_node(client, _DASHBOARD)
            self._tree = ask_lineage(client, self._dashboard, _UP)
            self._revenue = find_node(client, _REVENUE)
            self._columns: dict[str, Any] = ask_lineage(
                client, self._revenue, _UP._replace(direct=True)
            )
            self._diff = ask_diff(client, *self._times)

    def show(self, screen: Screen) -> None:
        _show_command(screen, f"lineage {_DASHBOARD} --up")
        show_lineage(screen, self._tree, self._dashboard, _UP)
        _show_command(screen, f"lineage {_REVENUE} --up --direct")
        show_lineage(screen, self._columns, self._revenue, _UP)
        since, until = (format_instant(time)[:19] for time in self._times)
        _show_command(screen, f"diff {since} {until}")
        show_diff(screen, self._diff)


def _show_command(screen: Screen, arguments: str) -> None:
    screen.say(f"\n$ headwater {arguments}", "bold")


def _upgrade(store: str) -> None:
    """A demo of an older version is read before its server would bring it up to date."""
    from headwater.store.engine import open_engine
    from headwater.store.migrate import upgrade

    engine = open_engine(store)
    try:
        upgrade(engine)
    finally:
        engine.dispose()
