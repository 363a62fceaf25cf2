"""OpenLineage events as they come in: read leniently, kept byte for byte.

Only the shell of an event is decoded; facets stay raw until somebody needs one. What real
producers send is accepted (absent or null lists, any run id, any schemaURL, no producer); what
cannot be placed in the graph is refused with a JSON path and a reason.
"""

import re
from enum import IntEnum
from typing import Literal

import msgspec
from msgspec import Raw

from headwater.errors import InvalidEvent
from headwater.model.names import check_name
from headwater.model.values import instant
from headwater.model.values.ids import digest
from headwater.model.values.json_text import Readable, clean, invalid_json

Facets = dict[str, Raw]


class Kind(IntEnum):
    """What an event speaks of; stored, so the numbers stay."""

    RUN = 0
    JOB = 1
    DATASET = 2
    EDIT = 3


class EventType(IntEnum):
    """The types of a run event; stored, so the numbers stay."""

    START = 0
    RUNNING = 1
    OTHER = 2
    COMPLETE = 3
    ABORT = 4
    FAIL = 5


TERMINAL = frozenset((EventType.COMPLETE, EventType.ABORT, EventType.FAIL))
_TYPE_BY_NAME = {kind.name: kind for kind in EventType}


class Run(msgspec.Struct, gc=False):
    runId: str
    facets: Facets | None = None


class Job(msgspec.Struct, gc=False):
    namespace: str
    name: str
    facets: Facets | None = None


class Dataset(msgspec.Struct, gc=False):
    name: str
    namespace: str | None = None
    facets: Facets | None = None
    inputFacets: Facets | None = None
    outputFacets: Facets | None = None


class Entity(msgspec.Struct, gc=False):
    """What an edit is about: a dataset, one of its fields, a job; or a namespace, source or tag,
    which are in no namespace."""

    type: Literal["dataset", "job", "namespace", "source", "tag"]
    name: str
    namespace: str = ""
    field: str = ""


class Within(msgspec.Struct, gc=False):
    """Names of what is in a namespace, as it was when the namespace was edited."""

    datasets: list[str] = []
    jobs: list[str] = []


class Edit(msgspec.Struct, gc=False):
    """A person's word: `set` gives values by aspect, `unset` takes them back.

    `within` is what a namespace is deleted or restored with; `undoes` is the id of the edit that
    this one takes back.
    """

    actor: str
    entity: Entity
    set: Facets = {}
    unset: list[str] = []
    within: Within | None = None
    undoes: str = ""


class _Shell(msgspec.Struct, gc=False):
    eventTime: str
    eventType: str | None = None
    producer: str | None = None
    run: Run | None = None
    job: Job | None = None
    dataset: Dataset | None = None
    inputs: list[Dataset] | None = None
    outputs: list[Dataset] | None = None
    edit: Edit | None = None


class Event(msgspec.Struct, gc=False):
    """A usable event: where and when it belongs is known, the rest is as it came."""

    raw: bytes
    digest: bytes
    kind: Kind
    at: int
    type: EventType
    producer: str
    run: Run | None = None
    job: Job | None = None
    dataset: Dataset | None = None
    inputs: list[Dataset] = []
    outputs: list[Dataset] = []
    edit: Edit | None = None


_SHELL = msgspec.json.Decoder(_Shell)
_MISSING = re.compile(r"Object missing required field `(.*?)`(?: - at `(.*)`)?")
_AT_PATH = re.compile(r"(.*) - at `(.*)`")


def decode_event(data: bytes, known_digest: bytes | None = None) -> Event:
    """Read one event; raises InvalidEvent with the place and the reason.

    `known_digest` is that of an event kept as it was read before.
    """
    data = clean(data)
    shell = _decode_shell(data)
    kind = _kind(shell)
    event = Event(
        raw=data,
        digest=known_digest or digest(data),
        kind=kind,
        at=_event_time(shell.eventTime),
        type=_event_type(shell.eventType),
        producer=shell.producer or "",
        run=shell.run,
        job=shell.job,
        dataset=shell.dataset if kind is Kind.DATASET else None,
        inputs=shell.inputs or [],
        outputs=shell.outputs or [],
        edit=shell.edit,
    )
    _check_names(event)
    return event


def _decode_shell(data: bytes) -> _Shell:
    try:
        return _SHELL.decode(data)
    except msgspec.ValidationError as error:
        raise _wrong_shape(str(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        readable = Readable(data)
        if readable.text == data:
            raise invalid_json(error) from None
    shell = _decode_shell(readable.text)
    _restore(shell, readable)
    return shell


def _restore(shell: _Shell, readable: Readable) -> None:
    """Put back what the sender wrote: facets are kept so, and names with half a pair refused."""
    used = [*(shell.inputs or ()), *(shell.outputs or ())]
    edited = [shell.edit, shell.edit.entity] if shell.edit else []
    for part in (shell.run, shell.job, shell.dataset, *used, *edited):
        for field in part.__struct_fields__ if part is not None else ():
            value = getattr(part, field)
            if isinstance(value, str):
                setattr(part, field, readable.restore_string(value))
            elif isinstance(value, dict):
                facets = {
                    readable.restore_string(name): Raw(readable.restore(bytes(raw)))
                    for name, raw in value.items()
                }
                setattr(part, field, facets)


def _wrong_shape(message: str) -> InvalidEvent:
    if missing := _MISSING.fullmatch(message):
        return InvalidEvent(f"{missing[2] or '$'}.{missing[1]}", "missing")
    if placed := _AT_PATH.fullmatch(message):
        return InvalidEvent(placed[2], placed[1][0].lower() + placed[1][1:])
    return InvalidEvent("$", message[0].lower() + message[1:])


def _kind(shell: _Shell) -> Kind:
    if shell.edit is not None:
        return Kind.EDIT
    if shell.run is not None:
        if shell.job is None:
            raise InvalidEvent("$.job", "missing; a run event names its job")
        return Kind.RUN
    if shell.dataset is not None and shell.job is None:
        return Kind.DATASET
    if shell.job is not None:
        return Kind.JOB
    raise InvalidEvent("$.job", "missing; an event names a run and its job, a job, or a dataset")


def _event_time(text: str) -> int:
    try:
        return instant.parse_instant(text)
    except ValueError as error:
        raise InvalidEvent("$.eventTime", f"not a usable time: {error}") from None


def _event_type(name: str | None) -> EventType:
    if name is None:
        return EventType.OTHER
    found = _TYPE_BY_NAME.get(name) or _TYPE_BY_NAME.get(name.upper())
    if found is None:
        raise InvalidEvent("$.eventType", f"'{name[:64]}' is not one of {', '.join(_TYPE_BY_NAME)}")
    return found


def _check_names(event: Event) -> None:
    if event.run is not None:
        check_name(event.run.runId, "$.run.runId")
        _check_facets(event.run.facets, "$.run.facets")
    if event.job is not None:
        check_name(event.job.namespace, "$.job.namespace")
        check_name(event.job.name, "$.job.name")
        _check_facets(event.job.facets, "$.job.facets")
    if event.dataset is not None:
        _check_dataset(event.dataset, "$.dataset")
    if event.edit is not None:
        _check_edit(event.edit)
    for index, dataset in enumerate(event.inputs):
        _check_dataset(dataset, "$.inputs", index)
    for index, dataset in enumerate(event.outputs):
        _check_dataset(dataset, "$.outputs", index)


def _check_dataset(dataset: Dataset, path: str, index: int | None = None) -> None:
    where = path if index is None else f"{path}[{index}]"
    check_name(dataset.name, where, "name")
    if dataset.namespace:
        check_name(dataset.namespace, where, "namespace")
    if dataset.facets:
        _check_facets(dataset.facets, where, "facets")
    if dataset.inputFacets:
        _check_facets(dataset.inputFacets, where, "inputFacets")
    if dataset.outputFacets:
        _check_facets(dataset.outputFacets, where, "outputFacets")


def _check_edit(edit: Edit) -> None:
    if edit.entity.type in ("dataset", "job"):
        check_name(edit.entity.namespace, "$.edit.entity.namespace")
    check_name(edit.entity.name, "$.edit.entity.name")
    if edit.entity.field:
        check_name(edit.entity.field, "$.edit.entity.field")
    check_name(edit.actor, "$.edit.actor")
    for aspect in (*edit.set, *edit.unset):
        check_name(aspect, "$.edit")


def _check_facets(facets: Facets | None, path: str, slot: str = "") -> None:
    for key in facets or ():
        if len(key) > 64 or not key.isascii() or "\0" in key:
            check_name(key, path, slot)
