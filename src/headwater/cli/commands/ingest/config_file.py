"""`headwater ingest --config`: OpenMetadata's workflow file as it is, run at once or stored."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from headwater.cli.commands.ingest.ingest_run import IngestOptions, run_check, run_ingest
from headwater.config import all_variables, variables_set
from headwater.declared.yaml_lines import BrokenFile, read_documents
from headwater.errors import BadConfig

if TYPE_CHECKING:
    from headwater.pipeline.ingestions.reading import Ingestion
    from headwater.pipeline.ingestions.shapes import UnusedKey
    from headwater.pipeline.ingestions.workflow import Workflow

_NAMED_ONLY = {
    "schedule": "this run begins now; `headwater ingest add NAME --config` keeps the schedule",
    "sourceConfig.markDeletedPipelines": "only a named ingestion knows what came through it; "
    "`headwater ingest add NAME --config` marks what is missing",
}


def read_config_file(file: Path) -> "Workflow":
    """What a file says; raises BadConfig or UnusableConfig with the place."""
    from headwater.pipeline.ingestions.shapes import UnusableConfig
    from headwater.pipeline.ingestions.workflow import read_workflow

    try:
        documents = read_documents(file.read_bytes().decode("utf-8-sig"), all_variables())
    except BrokenFile as error:
        problem = error.problem
        raise BadConfig("--config", f"{file}:{problem.line} {problem.message}") from None
    except UnicodeDecodeError:
        raise BadConfig("--config", f"{file} is not UTF-8") from None
    except OSError as error:
        raise BadConfig("--config", f"{file} cannot be read: {error.strerror}") from None
    if len(documents) != 1:
        raise BadConfig("--config", f"{file} holds {len(documents)} documents; give one")
    (document,) = documents
    if document.problems:
        problem = document.problems[0]
        raise BadConfig("--config", f"{file}:{problem.line} {problem.message}")
    try:
        return read_workflow(document.value)
    except UnusableConfig as error:
        raise BadConfig("--config", f"{file}: {error.message}") from None


def run_config_file(
    file: Path, name: str | None, choices: IngestOptions, *, is_check: bool
) -> None:
    """Run what a file describes, or only test it."""
    from headwater.pipeline.ingestions.reading import read_ingestion
    from headwater.pipeline.ingestions.shapes import UnusableConfig, UnusedKey
    from headwater.pipeline.ingestions.sources import make_source

    workflow = read_config_file(file)
    secrets: dict[str, str] = {}
    name = name or make_name(workflow.name or file.stem)
    try:
        ingestion = read_ingestion(name, workflow.body, secrets)
        with variables_set(**secrets):
            source = make_source(ingestion.broker)
    except UnusableConfig as error:
        raise BadConfig("--config", f"{file}: {error.message}") from None
    named_only = [
        UnusedKey(key, _NAMED_ONLY[key])
        for key, is_given in (
            ("schedule", "schedule" in workflow.body or "airflowConfig" in workflow.body),
            ("sourceConfig.markDeletedPipelines", ingestion.absence is not None),
        )
        if is_given
    ]
    print_unused([*workflow.unused, *ingestion.unused, *named_only])
    if secrets:
        typer.echo(
            f"headwater: {file} holds a secret; env:VARIABLE or file:PATH can be there", err=True
        )
    choices = choose(choices, ingestion)
    with variables_set(**secrets):
        if is_check:
            run_check(choices, source)
        else:
            run_ingest(choices, source)


def choose(choices: IngestOptions, ingestion: "Ingestion") -> IngestOptions:
    """The options of an ingest that runs once or continuously, as an ingestion configures it."""
    broker = ingestion.broker
    idle_after = broker.sessionTimeout if choices.every is None else None
    return replace(
        choices,
        name=ingestion.name,
        every=broker.poolTimeout if choices.every is not None or idle_after else None,
        idle_after=idle_after or None,
        is_debug=ingestion.is_debug,
        expressions=(*choices.expressions, *ingestion.jobs.expressions),
        parts=ingestion.parts,
        notes_seen=ingestion.absence is not None,
    )


def print_unused(unused: "Sequence[UnusedKey]") -> None:
    for each in unused:
        typer.echo(f"headwater: {each.key} is not used: {each.reason}", err=True)


def make_name(text: str) -> str:
    """A name for an ingestion out of any text."""
    name = "".join(
        each if each.isascii() and (each.isalnum() or each in "-_.") else "-" for each in text
    )
    return name.strip("-_.")[:100] or "openmetadata"


def with_schedule(
    body: dict[str, Any], interval: str | None, start: str | None, end: str | None
) -> dict[str, Any]:
    """A body with the schedule that options give, over that of a file."""
    if not (interval or start or end):
        return body
    known = body.get("schedule") or {}
    schedule = {"interval": known} if isinstance(known, str) else dict(known)
    given = {"interval": interval, "startDate": start, "endDate": end}
    schedule |= {key: value for key, value in given.items() if value}
    return {**body, "schedule": schedule}
