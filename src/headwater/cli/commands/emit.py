"""`headwater emit`: events from files to a server, each with its result."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption, message_of
from headwater.cli.input.events import STDIN, EventInput
from headwater.cli.input.position import FilePosition
from headwater.cli.output.printing import Output, OutputOption
from headwater.errors import HeadwaterError
from headwater.model.records import Record

_PATH = "/api/v1/lineage/batch"
_MOST_EVENTS = 100
# Well below what a server takes at once, and little to send again after an interruption.
_MOST_BYTES = 4_000_000
_INTERRUPTED = 130


class _Failure(msgspec.Struct):
    index: int
    reason: str


class _BatchAnswer(msgspec.Struct):
    failed_events: list[_Failure]


class Tally:
    """The results so far, and how they are printed."""

    def __init__(self, output: Output) -> None:
        self.stored = self.refused = self.skipped = 0
        self._output = output
        self._failures: list[dict[str, Any]] = []
        # Failures and progress go to standard error: what is printed to a pipe is the summary.
        self.console = Console(stderr=True, highlight=False)

    def add(self, source: str, record: Record, reason: str | None) -> None:
        if reason is None:
            self.stored += 1
            return
        self.refused += 1
        if self._output is Output.JSON:
            place = {"line": record.line, "index": record.element}
            self._failures.append({"file": source, **place, "reason": reason})
        else:
            self.console.print(f"{source}{record.place}: {reason}", soft_wrap=True, markup=False)

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


def emit(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Files of events; - is standard input."),
    ],
    server: ServerOption = DEFAULT_URL,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue where the last --resume stopped; the position is kept in FILE.emitted.",
        ),
    ] = False,
    output: OutputOption = Output.TEXT,
) -> None:
    """Send events to a server: JSON (one event or an array) or NDJSON, plain or gzipped.

    Each refused event is reported with its file, line and reason. Sending an event again
    changes nothing, so an interrupted emit can be repeated.

    Exit code 0: all are stored. 1: some were refused, or the server failed. 130: Ctrl-C.

        headwater emit events.ndjson.gz
        zcat old/*.gz | headwater emit - --server http://lineage:5000
    """
    _check_files(files, resume)
    tally = Tally(output)
    try:
        with Client(server) as client, _progress(tally.console) as progress:
            for file in files:
                _send_file(file, client, resume, tally, progress)
    except KeyboardInterrupt:
        tally.print_summary("interrupted" + _go_on(resume))
        raise typer.Exit(_INTERRUPTED) from None
    except HeadwaterError as error:
        if output is Output.JSON or tally.stored + tally.refused:
            tally.print_summary(error.message)
        raise
    tally.print_summary()
    if tally.refused:
        raise typer.Exit(1)


def _check_files(files: list[str], resume: bool) -> None:
    """Refuse what cannot be read before anything is sent."""
    if resume and STDIN in files:
        raise typer.BadParameter("standard input cannot be read again; --resume needs a file")
    if missing := [file for file in files if file != STDIN and not Path(file).is_file()]:
        raise typer.BadParameter(f"no file at '{missing[0]}'")


def _go_on(resume: bool) -> str:
    return "; run the same command again to continue" if resume else ""


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[answered]:,} events"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _send_file(file: str, client: Client, resume: bool, tally: Tally, progress: Progress) -> None:
    with EventInput(file) as source:
        records = source.records()
        first = next(records, None)
        if first is None:
            return
        position = FilePosition(Path(file), client.url, first.data) if resume else None
        passed = position.answered if position else 0
        tally.skipped += passed
        task = progress.add_task(source.name, total=source.size, answered=passed)
        for batch in _batches(islice(chain([first], records), passed, None)):
            reasons = _send(client, [record.data for record in batch if record.error is None])
            answers = iter(reasons)
            for record in batch:
                tally.add(source.name, record, record.error or next(answers))
            if position is not None:
                position.advance(len(batch) - batch[-1].is_unfinished)
            passed += len(batch)
            _show(progress, task, source.read_bytes, passed)


def _show(progress: Progress, task: TaskID, read_bytes: int, answered: int) -> None:
    progress.update(task, completed=read_bytes, answered=answered)


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    for record in records:
        if batch and (len(batch) == _MOST_EVENTS or size + len(record.data) > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(record)
        size += len(record.data)
    if batch:
        yield batch


def _send(client: Client, events: Sequence[bytes]) -> list[str | None]:
    """Send events at once; for each None, or why the server refused it."""
    if not events:
        return []
    body = b"[" + b",".join(events) + b"]"
    answer = client.send("POST", _PATH, content=body, headers={"Content-Type": "application/json"})
    reasons: list[str | None] = [None] * len(events)
    if answer.status_code == 204:
        return reasons
    if answer.status_code in (200, 422) and (found := _decode(answer.content)):
        for failure in found.failed_events:
            if 0 <= failure.index < len(reasons):
                reasons[failure.index] = failure.reason
        return reasons
    if answer.status_code not in (400, 413, 422):
        raise client.refusal(answer)
    if len(events) == 1:
        return [message_of(answer)]
    # Refused as a whole, as a server with a lower limit does: the half with the reason is found.
    middle = len(events) // 2
    return [*_send(client, events[:middle]), *_send(client, events[middle:])]


def _decode(content: bytes) -> _BatchAnswer | None:
    try:
        return msgspec.json.decode(content, type=_BatchAnswer)
    except msgspec.MsgspecError:
        return None
