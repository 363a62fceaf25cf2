"""`headwater discover`: what Kafka clusters have and nobody documented."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.delivery import Tally, deliver
from headwater.cli.commands.ingest.collect import parse_every
from headwater.cli.output.printing import Output, OutputOption
from headwater.cli.output.screen import Grid, Screen, print_json
from headwater.cli.plugin_commands import read_settings
from headwater.cli.repeating import repeat
from headwater.collect import COLLECTORS, Collector
from headwater.collect.plans import choose_plans, read_plans
from headwater.config import check_secret_reference, load_settings, resolve_secret
from headwater.errors import HeadwaterError
from headwater.publish.webhook import finding_keys, post_report, report_text

Shape = dict[str, Any]
_TITLES = ("kind", "name", "cluster", "since", "reason")
_PATH = "/api/v1/discovery"
MOST_FINDINGS = 1_000


def discover(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COLLECTOR", help="Collectors of the settings to run first, `collect.NAME`."
        ),
    ] = None,
    bootstrap: Annotated[
        str,
        typer.Option("--bootstrap", help="Brokers of a cluster to collect from first, HOST:PORT."),
    ] = "",
    state: Annotated[
        Path, typer.Option("--state", help="With --bootstrap: folder that remembers what was sent.")
    ] = Path("headwater-data/collect"),
    namespace: Annotated[
        str, typer.Option("--namespace", help="Only of this cluster, such as kafka://HOST:PORT.")
    ] = "",
    kind: Annotated[str, typer.Option("--kind", help="Only these kinds, by commas.")] = "",
    include: Annotated[
        str | None, typer.Option("--include", help="Patterns of topics and groups, by spaces.")
    ] = None,
    exclude: Annotated[
        str | None, typer.Option("--exclude", help="Patterns to leave out, by spaces.")
    ] = None,
    acknowledged: Annotated[
        bool, typer.Option("--acknowledged", help="Also what somebody acknowledged.")
    ] = False,
    webhook: Annotated[
        str,
        typer.Option(
            "--webhook", help="Report to this URL, as env:VARIABLE or file:PATH, like Slack's."
        ),
    ] = "",
    watch: Annotated[
        bool, typer.Option("--watch", help="Again and again; then only what is new is reported.")
    ] = False,
    every: Annotated[
        str, typer.Option("--every", metavar="DURATION", help="With --watch: how often to look.")
    ] = "1h",
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """List topics, groups and connectors that the graph does not know, and those out of use.

    Exit code 0: nothing was found. 1: something was, for CI.

        headwater discover --bootstrap broker:9092 --exclude 'tmp-* *-changelog'
    """
    if webhook:
        try:
            check_secret_reference(webhook)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--webhook") from None
    query = {
        "namespace": namespace or None,
        "kind": kind or None,
        "include": include,
        "exclude": exclude,
        "acknowledged": "all" if acknowledged else None,
    }
    seconds = parse_every(every)
    with Client(server) as client:
        work = _Discovery(
            client, _collectors(names or (), bootstrap, state, client), query, webhook
        )
        if not watch:
            answer = work.look()
            work.report(answer, output)
            if any(each["acknowledged"] is None for each in answer["findings"]):
                raise typer.Exit(1)
            return
        try:
            repeat(lambda: work.report(work.look(), output, only_new=True), seconds)
        except KeyboardInterrupt:
            return


def _collectors(
    names: Sequence[str], bootstrap: str, state: Path, client: Client
) -> list[Collector]:
    found: list[Collector] = []
    if names:
        plans = choose_plans(read_plans(load_settings().collect), names)
        found += [plan.open(client.url) for plan in plans]
    if bootstrap:
        entry = COLLECTORS.load("kafka")
        settings = read_settings(entry.settings_class, {"bootstrap": bootstrap, "state": state})
        found.append(entry(settings, client.url))
    return found


class _Discovery:
    """Passes of discovery, each of which knows what was reported before."""

    def __init__(
        self, client: Client, collectors: Sequence[Collector], query: Shape, webhook: str
    ) -> None:
        self._client = client
        self._collectors = collectors
        self._query = query
        self._webhook = webhook
        self._reported: set[str] = set()

    def look(self) -> Shape:
        """Collect, and read what was found: all of it."""
        for collector in self._collectors:
            tally = Tally(Output.TEXT)
            deliver(collector, self._client, tally, lambda event: None)
            if tally.refused:
                raise HeadwaterError(f"the server refused {tally.refused:,} events, see above")
        answer: Shape = {}
        findings: list[Shape] = []
        while not answer or len(findings) < answer["totalCount"]:
            page = {"limit": MOST_FINDINGS, "offset": len(findings)}
            answer = dict(self._client.ask(_PATH, **self._query, **page))
            if not answer["findings"]:
                break
            findings += answer["findings"]
        return {**answer, "findings": findings}

    def report(self, answer: Shape, output: Output, only_new: bool = False) -> None:
        """Print what was found, and post what nobody acknowledged; once each, when watching."""
        keys = finding_keys(answer["findings"])
        new = [each for key, each in keys.items() if key not in self._reported]
        is_first = not self._reported and not only_new
        if output is Output.JSON:
            print_json(answer | {"findings": new})
        elif new or is_first:
            _show(Screen(), new, answer)
        open_findings = [each for each in new if each["acknowledged"] is None]
        if self._webhook and open_findings:
            url = resolve_secret(self._webhook).get_secret_value()
            post_report(url, report_text(open_findings, len(open_findings)))
        if only_new:
            self._reported |= keys.keys()


def _show(screen: Screen, findings: Sequence[Shape], answer: Shape) -> None:
    grid = Grid(_TITLES, ("cluster", "since"))
    for each in findings:
        known = each["acknowledged"]
        reason = f"{each['reason']} (known: {known['reason']})" if known else each["reason"]
        cells = (each["kind"], each["name"], each["cluster"], each["since"], reason)
        grid.add(*(screen.clean(cell) for cell in cells))
    if findings:
        screen.show(grid)
    for cluster in answer["clusters"]:
        for gap in cluster["gaps"]:
            text = f"{cluster['namespace']}, {gap['name']}: {gap['description']}"
            screen.say(screen.clean(text), "yellow")
    looked = ", ".join(
        f"{each['namespace']} ({_many(each['topics'], 'topic')}, {_many(each['groups'], 'group')})"
        for each in answer["clusters"]
    )
    if not looked:
        screen.say("no cluster was collected: give --bootstrap, or run headwater collect kafka")
        return
    known = f", {answer['acknowledgedCount']:,} acknowledged"
    screen.say(f"{_many(answer['totalCount'], 'finding')}{known}; in {screen.clean(looked)}")


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
