"""Delivering what a collector finds to a server: in batches, each event with its result."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import typer
from rich.console import Console

from headwater.cli.api.client import Client, message_of
from headwater.cli.output.printing import Output
from headwater.collect import Collected, Collector, Resumable
from headwater.emit.batch import batch_body, read_batch_answer
from headwater.errors import InvalidRequest, ServerRefused, ServerUnreachable
from headwater.plugins import CheckStep

_PATH = "/api/v1/lineage/batch"
_MOST_EVENTS = 100
# Well below what a server takes at once, and little to send again after an interruption.
_MOST_BYTES = 4_000_000
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


# Called with the last event of each batch that was answered.
Show = Callable[[Collected], None]


def deliver(
    collector: Collector, client: Client, tally: Tally, show: Show, is_watching: bool = False
) -> None:
    """Send all that a collector finds now; what is unfinished is left for the next time.

    Where there is no next time it is sent, or refused, as it is.
    """
    for batch in _batches(collector.collect()):
        found = [event for event in batch if not (is_watching and event.is_unfinished)]
        reasons = iter(_send(client, [event.data for event in found if event.error is None]))
        for event in found:
            tally.add(event, event.error or next(reasons))
        if isinstance(collector, Resumable):
            collector.acknowledge(found)
            tally.skipped = collector.skipped
        show(batch[-1])
    if isinstance(collector, Resumable):
        tally.skipped = collector.skipped


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


def _batches(events: Iterable[Collected]) -> Iterator[list[Collected]]:
    """Batches of one source each, so that progress is of one."""
    batch: list[Collected] = []
    size = 0
    for event in events:
        is_full = len(batch) == _MOST_EVENTS or size + len(event.data) > _MOST_BYTES
        if batch and (is_full or batch[-1].source != event.source):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += len(event.data)
    if batch:
        yield batch


def _send(client: Client, events: Sequence[bytes]) -> list[str | None]:
    """Send events at once; for each None, or why the server refused it."""
    if not events:
        return []
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
    return [*_send(client, events[:middle]), *_send(client, events[middle:])]
