"""Delivering what a collector finds to a server by HTTP, and counting it."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import typer
from rich.console import Console

from headwater.cli.api.client import Client, message_of
from headwater.cli.output.printing import Output
from headwater.collect import Collected, Collector, Resumable, delivery
from headwater.collect.delivery import Show
from headwater.emit.batch import batch_body, read_batch_answer
from headwater.errors import InvalidRequest, ServerRefused, ServerUnreachable
from headwater.plugins import CheckStep

_PATH = "/api/v1/lineage/batch"
_NOT_NOW = 503
_JSON = {"Content-Type": "application/json"}


class Tally:
    """The results so far, and how they are printed."""

    def __init__(self, output: Output) -> None:
        self.stored = self.refused = self.skipped = 0
        self._output = output
        self._failures: list[dict[str, Any]] = []
        # Failures and progress go to standard error: what is printed to a pipe is the summary.
        self.console = Console(stderr=True, highlight=False)

    def add(self, event: Collected, reason: str | None) -> None:
        if reason is None:
            self.stored += 1
            return
        self.refused += 1
        if self._output is Output.JSON:
            place = {"line": event.line, "index": event.element}
            self._failures.append({"file": event.source, **place, "reason": reason})
        else:
            self.console.print(f"{event.place}: {reason}", soft_wrap=True, markup=False)

    def print_summary(self, end: str | None = None) -> None:
        """Print the totals; `end` is the reason for stopping."""
        if self._output is Output.JSON:
            counts = {"stored": self.stored, "refused": self.refused, "skipped": self.skipped}
            answer = {**counts, "stopped": end, "failures": self._failures}
            typer.echo(json.dumps(answer, indent=2, ensure_ascii=False))
            return
        skipped = f", {self.skipped:,} already sent" if self.skipped else ""
        stopped = f"; stopped: {end}" if end else ""
        typer.echo(f"{self.stored:,} stored, {self.refused:,} refused{skipped}{stopped}")


def deliver(
    collector: Collector, client: Client, tally: Tally, show: Show, is_watching: bool = False
) -> None:
    """Send all that a collector finds now to a server, and count it."""

    def show_all(event: Collected) -> None:
        note_skipped()
        show(event)

    def note_skipped() -> None:
        if isinstance(collector, Resumable):
            tally.skipped = collector.skipped

    delivery.deliver(collector, partial(send_events, client), tally.add, show_all, is_watching)
    note_skipped()


def check_server(client: Client) -> list[CheckStep]:
    """Try the server and the key with a batch of no events, of which nothing is stored."""
    try:
        answer = client.send_once("POST", _PATH, content=b"[]", headers=_JSON)
    except (ServerUnreachable, InvalidRequest) as error:
        detail = f"{client.url}: {error.reason}"
        return [CheckStep("server", False, detail, "start it, or correct --server")]
    status = answer.status_code
    if status in (401, 403):
        answers = CheckStep("server", True, f"{client.url} answers")
        next_step = "put a key with the scope write into HEADWATER_API_KEY"
        return [answers, CheckStep("key", False, f"{status} {message_of(answer)}", next_step)]
    if read_batch_answer(status, answer.content, 0) is None and status not in (400, 422):
        next_step = "is it the address of a Headwater server, and is that ready?"
        return [CheckStep("server", False, f"{status} {message_of(answer)}", next_step)]
    return [
        CheckStep("server", True, f"{client.url} answers"),
        CheckStep("key", True, "may send events"),
    ]


def send_events(client: Client, events: Sequence[bytes]) -> list[str | None]:
    """Send events at once; for each None, or why the server refused it."""
    answer = client.send("POST", _PATH, content=batch_body(events), headers=_JSON)
    failures = read_batch_answer(answer.status_code, answer.content, len(events))
    if failures is not None:
        if later := next((each for each in failures if each and each.retriable), None):
            # None of them is acknowledged: they are all sent again, which is harmless.
            raise ServerRefused(client.url, _NOT_NOW, later.reason)
        return [None if each is None else each.reason for each in failures]
    if answer.status_code not in (400, 413, 422):
        raise client.refusal(answer)
    if len(events) == 1:
        return [message_of(answer)]
    # Refused as a whole, as a server with a lower limit does: the half with the reason is found.
    middle = len(events) // 2
    return [*send_events(client, events[:middle]), *send_events(client, events[middle:])]
