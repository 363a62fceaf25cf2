"""What the demo shows of its two scenes: the answers of commands, and the commands."""

from rich.text import Text

from headwater.cli.api.client import Client
from headwater.cli.api.node_lookup import find_node
from headwater.cli.commands.lineage.diff import ask_diff, show_diff
from headwater.cli.commands.lineage.lineage import Question, Shape, ask_lineage, show_lineage
from headwater.cli.demo.live import jobs_behind, read_runs, rows_of
from headwater.cli.output.printing import STATE_STYLES
from headwater.cli.output.screen import Grid, Screen
from headwater.demo.build import HOUR
from headwater.demo.example import clock_at
from headwater.demo.live.place import SUMMARY
from headwater.demo.tables import DASHBOARD
from headwater.graph.answer import Side
from headwater.model.values.instant import MINUTE, format_instant

_DASHBOARD = DASHBOARD.at.name.rpartition(".")[2]
_REVENUE = f"{_DASHBOARD}.{DASHBOARD.columns[0].name}"
_SUMMARY = f"warehouse/{SUMMARY}"
_EMAIL = "live/orders.email"
_UP = Question(sides=(Side.UPSTREAM,))
_FLAGS = {Side.UPSTREAM: "--up", Side.DOWNSTREAM: "--down"}
# By then the new column has come as far as the warehouse's facts.
_SPREAD = 7 * HOUR


def show_live(screen: Screen, client: Client) -> None:
    """The chain from the files to the summary, a number's columns, an address's way, the runs."""
    answer = _show_lineage(screen, client, _SUMMARY)
    _show_columns(screen, client, f"{_SUMMARY}.revenue")
    _show_columns(screen, client, _EMAIL, Side.DOWNSTREAM)
    screen.say()
    _show_runs(screen, client, answer)


def show_example(screen: Screen, client: Client, now: int) -> None:
    """Where the dashboard's number comes from, and what came with a new column."""
    _show_lineage(screen, client, _DASHBOARD)
    _show_columns(screen, client, _REVENUE)
    change = clock_at(now).change
    times = change - MINUTE, change + _SPREAD
    since, until = (format_instant(time)[:19] for time in times)
    _show_command(screen, f"diff {since} {until}")
    show_diff(screen, ask_diff(client, *times))


def _show_lineage(screen: Screen, client: Client, name: str) -> Shape:
    _show_command(screen, f"lineage {name} --up")
    node = find_node(client, name)
    answer = ask_lineage(client, node, _UP)
    show_lineage(screen, answer, node, _UP)
    return answer


def _show_columns(screen: Screen, client: Client, name: str, side: Side = Side.UPSTREAM) -> None:
    _show_command(screen, f"lineage {name} {_FLAGS[side]} --direct")
    question = Question(sides=(side,), direct=True)
    node = find_node(client, name)
    show_lineage(screen, ask_lineage(client, node, question), node, question)


def _show_runs(screen: Screen, client: Client, answer: Shape) -> None:
    """The newest runs of the jobs in an answer, with what they counted."""
    grid = Grid(("run of", "state", "rows read", "rows written", "seconds"))
    for job in jobs_behind(answer):
        for run in read_runs(client, job["name"]):
            seconds = "-" if run["durationMs"] is None else f"{run['durationMs'] / 1000:.1f}"
            grid.add(
                screen.clean(job["name"]),
                Text(run["state"], STATE_STYLES.get(run["state"], "none")),
                _count(rows_of(run, "input")),
                _count(rows_of(run, "output")),
                seconds,
            )
    screen.show(grid)


def _count(rows: int | None) -> str:
    return "-" if rows is None else f"{rows:,}"


def _show_command(screen: Screen, arguments: str) -> None:
    screen.say(f"\n$ headwater {arguments}", "bold")
