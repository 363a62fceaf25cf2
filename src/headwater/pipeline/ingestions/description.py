"""Ingestions as users see them: configuration, state, last runs; and saving a changed one."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from headwater.errors import HeadwaterError
from headwater.model.values.instant import format_instant
from headwater.pipeline.ingestions.reading import Ingestion, read_ingestion
from headwater.pipeline.ingestions.shapes import UnusableConfig, UnusedKey
from headwater.pipeline.ingestions.sources import make_source
from headwater.store.engine import Connection
from headwater.store.ingestions import (
    StoredIngestion,
    StoredIngestionRun,
    list_ingestion_runs,
    put_ingestion,
)

_MOST_BODY_BYTES = 100_000


class IngestionRunAnswer(Struct):
    """A run. `state` is running, ended, or failed; `marked` is what it marked as deleted."""

    startedAt: str
    endedAt: str | None
    state: str
    stored: int
    rejected: int
    excluded: int
    marked: int
    lag: int | None
    problem: str | None


class IngestionAnswer(Struct):
    """An ingestion. `state` is running, waiting, failing, paused, or stopped: nobody runs it.

    `notUsed` are keys of its configuration that mean nothing here, each with the reason.
    """

    name: str
    displayName: str
    description: str
    reads: str
    connection: Any
    sourceConfig: Any
    schedule: Any
    loggerLevel: str | None
    state: str
    isPaused: bool
    isRequested: bool
    holder: str | None
    nextAt: str | None
    lag: int | None
    allStored: int
    failures: int
    problem: str | None
    revision: int
    createdAt: str
    updatedAt: str
    updatedBy: str
    notUsed: list[UnusedKey]
    runs: list[IngestionRunAnswer]


def save_ingestion(
    connection: Connection, name: str, body: Mapping[str, Any], actor: str, at: int
) -> Ingestion:
    """Check a configuration and store it; raises UnusableConfig."""
    ingestion = read_ingestion(name, body)
    make_source(ingestion.broker)
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    if len(text) > _MOST_BODY_BYTES:
        raise UnusableConfig("$", f"longer than {_MOST_BODY_BYTES:,} characters")
    put_ingestion(connection, name, text, actor, at, ingestion.schedule.next_after(at))
    return ingestion


def describe_ingestion(connection: Connection, stored: StoredIngestion, at: int) -> IngestionAnswer:
    """An ingestion with its last runs."""
    body = json.loads(stored.body)
    reads, unused, problem = _read(stored, body)
    runs = list_ingestion_runs(connection, stored.name)
    is_held = stored.lease_until >= at
    is_continuous = "continuous" in str(body.get("schedule"))
    return IngestionAnswer(
        name=stored.name,
        displayName=str(body.get("displayName") or ""),
        description=str(body.get("description") or ""),
        reads=reads,
        connection=body.get("connection"),
        sourceConfig=body.get("sourceConfig"),
        schedule=body.get("schedule", body.get("airflowConfig")),
        loggerLevel=body.get("loggerLevel"),
        state=_state(stored, is_held),
        isPaused=bool(stored.is_paused),
        isRequested=stored.is_requested and not (is_continuous and stored.is_begun),
        holder=stored.holder if is_held else None,
        nextAt=None if stored.is_paused else _time(stored.next_at),
        lag=next((run.lag for run in runs if run.lag is not None), None),
        allStored=stored.all_stored + sum(run.stored for run in runs if run.ended_at is None),
        failures=stored.failures,
        problem=stored.problem or problem,
        revision=stored.revision,
        createdAt=format_instant(stored.created_at),
        updatedAt=format_instant(stored.updated_at),
        updatedBy=stored.updated_by,
        notUsed=unused,
        runs=[_run(run) for run in runs],
    )


def _read(
    stored: StoredIngestion, body: Mapping[str, Any]
) -> tuple[str, list[UnusedKey], str | None]:
    """What a stored configuration reads; that of another version may not be usable any more."""
    try:
        ingestion = read_ingestion(stored.name, body)
    except HeadwaterError as error:
        return "", [], error.message
    return ingestion.reads, list(ingestion.unused), None


def _state(stored: StoredIngestion, is_held: bool) -> str:
    if stored.is_paused:
        return "paused"
    if not is_held:
        return "stopped"
    if stored.is_begun:
        return "running"
    return "failing" if stored.failures else "waiting"


def _run(run: StoredIngestionRun) -> IngestionRunAnswer:
    is_over = run.ended_at is not None
    return IngestionRunAnswer(
        startedAt=format_instant(run.started_at),
        endedAt=_time(run.ended_at),
        state=("failed" if run.problem else "ended") if is_over else "running",
        stored=run.stored,
        rejected=run.rejected,
        excluded=run.excluded,
        marked=run.marked,
        lag=run.lag,
        problem=run.problem,
    )


def as_rows(answers: Sequence[IngestionAnswer]) -> list[dict[str, Any]]:
    """Ingestions as JSON's own values."""
    found: list[dict[str, Any]] = msgspec.to_builtins(answers)
    return found


def _time(at: int | None) -> str | None:
    return None if at is None else format_instant(at)
