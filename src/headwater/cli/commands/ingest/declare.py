"""`headwater declare`, and `emit --config`: what the authors of jobs declare of them in files."""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.delivery import send_events
from headwater.cli.output.screen import print_json
from headwater.config import all_variables, load_settings
from headwater.declared.events import EventParts, design_event, event_parts, run_event
from headwater.declared.form import json_schema
from headwater.declared.jobs import DeclaredJob, FileProblem
from headwater.declared.reading import read_files
from headwater.declared.run_ids import RunIds
from headwater.errors import InvalidRequest

Json = dict[str, Any]


class RunEventType(StrEnum):
    START = "START"
    RUNNING = "RUNNING"
    COMPLETE = "COMPLETE"
    FAIL = "FAIL"
    ABORT = "ABORT"


NamespaceOption = Annotated[
    str,
    typer.Option(
        "--namespace",
        envvar="OPENLINEAGE_NAMESPACE",
        help="Namespace of jobs whose file states none; else the setting declare.namespace.",
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Print the events; send and keep nothing.")
]
SaveOption = Annotated[
    str,
    typer.Option(
        "--save",
        metavar="FILE",
        help="Write the events to a file instead, which `headwater emit FILE` sends later.",
    ),
]


def declare(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", help="YAML files of jobs.")
    ] = None,
    namespace: NamespaceOption = "",
    dry_run: DryRunOption = False,
    save: SaveOption = "",
    check: Annotated[
        bool, typer.Option("--check", help="Only look for what is wrong with the files.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="With --check: fail also if SQL is not understood, or names undeclared tables.",
        ),
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the files, for editors.")
    ] = False,
    server: ServerOption = DEFAULT_URL,
) -> None:
    """Declare what jobs are designed to read and write, before or beside their runs.

    All files are checked first: what is wrong is listed with its line, and then nothing is sent.
    A new declaration of a job replaces the one before. docs/declared-jobs.md shows the files;
    `headwater emit --config FILE --event-type START` reports a run of such a job.

        headwater declare jobs/*.yaml --namespace streaming-platform
    """
    if schema:
        print_json(json_schema())
        return
    if strict and not check:
        raise InvalidRequest("--strict", "is for --check alone")
    if not files:
        raise InvalidRequest("FILE", "missing; name a YAML file of jobs")
    jobs = _read(files, namespace)
    parts = _parts(jobs)
    if check:
        _report_check(parts, len(files), strict)
        return
    _deliver([design_event(each) for each in parts], dry_run, save, server)


def _report_check(parts: Sequence[EventParts], files: int, strict: bool) -> None:
    """Say whether the files can be sent, and of how many jobs the SQL says more, or too little."""
    checked = f"{_count(len(parts), 'job')} in {_count(files, 'file')}"
    unclear = sum(bool(each.problems) for each in parts)
    if not unclear:
        typer.echo(f"{checked}: nothing is wrong")
        return
    some = _count(unclear, "job")
    typer.echo(f"{checked} can be sent; the SQL of {some} says other than is declared, see above")
    if strict:
        raise typer.Exit(1)


def emit_config(
    config: Sequence[str],
    event_type: RunEventType,
    namespace: str,
    run_id: str,
    dry_run: bool,
    save: str,
    server: str,
) -> None:
    """Send an event of a run of each job that files declare."""
    jobs = _read(config, namespace)
    runs = RunIds(run_id)
    if run_id and len(jobs) > 1:
        raise InvalidRequest("--run-id", f"is of one job, and there are {len(jobs)}")
    events = [
        run_event(parts, event_type, runs.id_for(job, event_type))
        for job, parts in zip(jobs, _parts(jobs), strict=True)
    ]
    if not dry_run:
        # Before sending: an event that is sent twice is one, a run whose id is lost never ends.
        runs.keep()
    _deliver(events, dry_run, save, server)


def _read(files: Sequence[str], namespace: str) -> list[DeclaredJob]:
    """The jobs of the files; ends the command with 1 if anything is wrong with them."""
    default = namespace or load_settings().declare.namespace
    found = read_files(files, default, all_variables())
    if found.problems:
        _print_problems(found.problems)
        raise typer.Exit(1)
    return found.jobs


def _parts(jobs: Sequence[DeclaredJob]) -> list[EventParts]:
    parts = [event_parts(each) for each in jobs]
    # What SQL does not tell is worth knowing, and no reason to tell nothing.
    _print_problems([problem for each in parts for problem in each.problems])
    return parts


def _print_problems(problems: Sequence[FileProblem]) -> None:
    for each in problems:
        typer.echo(f"{each.place}: {each.message}", err=True)


def _deliver(events: Sequence[Json], dry_run: bool, save: str, server: str) -> None:
    if dry_run:
        for event in events:
            print_json(event)
        return
    lines = [json.dumps(event, ensure_ascii=False).encode() for event in events]
    if save:
        try:
            Path(save).write_bytes(b"".join(line + b"\n" for line in lines))
        except OSError as error:
            raise InvalidRequest(save, f"cannot be written: {error.strerror}") from None
        typer.echo(f"{_count(len(lines), 'event')} in {save}")
        return
    with Client(server) as client:
        failures = send_events(client, lines)
    for event, failure in zip(events, failures, strict=True):
        if failure is not None:
            typer.echo(f"{event['job']['namespace']} {event['job']['name']}: {failure}", err=True)
    refused = sum(each is not None for each in failures)
    typer.echo(f"{len(lines) - refused:,} stored, {refused:,} refused")
    if refused:
        raise typer.Exit(1)


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
