"""`headwater events`: what came in, or what was refused and why."""

import json
import time
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.output.printing import Output, OutputOption, print_rows

Event = dict[str, Any]

_PAGE = 100
_POLL_SECONDS = 2.0


def events(
    job: Annotated[str | None, typer.Option("--job", help="Only events of this job.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Only events of this run.")] = None,
    is_rejected: Annotated[
        bool, typer.Option("--rejected", help="Show rejected events, each with its reason.")
    ] = False,
    is_followed: Annotated[
        bool, typer.Option("--follow", "-f", help="Keep printing new events until Ctrl-C.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Number of events to print.")] = 20,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """Print the newest events, the oldest of these first, or follow new events.

    For example: headwater events --follow --job order-enrichment
    """
    with Client(server) as client:
        if is_rejected:
            _print_rejected(client, limit, output)
            return
        source = _Source(client, job, run)
        newest = list(source.newest(limit))
        _print_events(newest[::-1], output)
        if is_followed:
            _follow(source, newest, output)


def _print_rejected(client: Client, limit: int, output: Output) -> None:
    rows = client.read("/api/v1/events/rejected", limit=limit)["rejected"]
    for row in rows:
        row["start_of_it"] = row["payload"][:60]
        places = row.get("sources") or [row["source"]]
        row["where"] = places[0] + (f" and {len(places) - 1:,} more" if len(places) > 1 else "")
    columns = ("receivedAt", "where", "path", "reason", "size", "start_of_it")
    print_rows(rows, columns, output, empty="nothing was rejected")


class _Source(NamedTuple):
    """The events of a server; of a job or a run, where one is named."""

    client: Client
    job: str | None
    run: str | None

    def newest(self, limit: int) -> Iterator[Event]:
        """The newest first; looks at more where a job is rare."""
        found = offset = 0
        while page := self._read(offset=offset):
            for event in page:
                if self.has(event):
                    yield event
                    found += 1
                    if found == limit:
                        return
            if len(page) < _PAGE:
                return
            offset += _PAGE

    def since(self, after: str | None) -> list[Event]:
        return self._read(sortDirection="asc", **({"after": after} if after else {}))

    def has(self, event: Event) -> bool:
        return self.job is None or (event.get("job") or {}).get("name") == self.job

    def _read(self, **parameters: Any) -> list[Event]:
        of_run = {"runId": self.run} if self.run else {}
        answer = self.client.read("/api/v1/events/lineage", limit=_PAGE, **parameters, **of_run)
        return list(answer["events"])


def _follow(source: _Source, printed: list[Event], output: Output) -> None:
    """Print what comes, by event time; a late event of an earlier time is not seen here."""
    after = printed[0]["eventTime"] if printed else None
    # Events of the last instant are requested again, with those that share it.
    known = {_key(event) for event in printed}
    try:
        while True:
            page = source.since(after)
            fresh = [event for event in page if _key(event) not in known and source.has(event)]
            if fresh:
                _print_events(fresh, output)
            if page:
                after = page[-1]["eventTime"]
                known = {_key(event) for event in page}
            if len(page) < _PAGE or not fresh:
                time.sleep(_POLL_SECONDS)
    except KeyboardInterrupt:
        return


def _key(event: Event) -> str:
    return json.dumps(event, sort_keys=True)


def _print_events(events: list[Event], output: Output) -> None:
    """JSON is one event a line, so that a stream of them can be read as it comes."""
    if output is Output.JSON:
        for event in events:
            typer.echo(json.dumps(event, ensure_ascii=False))
        return
    rows = [_row(event) for event in events]
    print_rows(rows, ("time", "type", "subject", "run", "reads", "writes"), output, "no events")


def _row(event: Event) -> dict[str, Any]:
    subject = event.get("job") or event.get("dataset") or (event.get("edit") or {}).get("entity")
    return {
        "time": event["eventTime"],
        "type": event.get("eventType") or ("-" if event.get("run") else "(static)"),
        "subject": f"{subject['namespace']} {subject['name']}" if subject else None,
        "run": (event.get("run") or {}).get("runId"),
        "reads": len(event.get("inputs") or ()),
        "writes": len(event.get("outputs") or ()),
    }
