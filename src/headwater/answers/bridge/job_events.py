"""The newest event of each of some jobs, with all datasets that the job uses now.

A run may report its inputs when it starts and its outputs when it ends, and its newest event may
have been pruned: what the graph knows beyond the event is added to it by name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from headwater.emit.events import Producer
from headwater.errors import InvalidEvent
from headwater.graph.view import View, Visit
from headwater.model.event import decode_event
from headwater.model.relations import Direction
from headwater.model.uses import Name
from headwater.model.values.ids import dataset_id
from headwater.model.values.json_text import readable_numbers
from headwater.store.engine import Connection
from headwater.store.lineage.newest_events import NewestEvent, read_newest_events

_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_LIST = msgspec.json.Decoder(list[Raw])
_SIDES = {"inputs": Direction.INPUT, "outputs": Direction.OUTPUT}
_PRODUCER = Producer.of_part("job-events")

# The datasets a job uses, by the side they are on.
Uses = Mapping[Direction, Iterable[bytes]]


class NewestJobEvent(NamedTuple):
    """A job's newest event as JSON, and what the job is called."""

    at: int
    job: Name
    body: bytes


def read_job_events(
    connection: Connection,
    view: View,
    jobs: Sequence[bytes],
    more: Mapping[bytes, Uses] | None = None,
) -> Iterator[NewestJobEvent]:
    """The newest event of each job, in their order; `more` are further datasets that it uses."""
    newest = read_newest_events(connection, jobs)
    names = view.reader.job_names(jobs)
    visits = [Visit(job) for job in jobs]
    links = {way: view.links(visits, way) for way in _SIDES.values()}
    used = {
        job: {
            way: dict.fromkeys(
                [
                    *(link.dataset for link in links[way][Visit(job)]),
                    *(more or {}).get(job, {}).get(way, ()),
                ]
            )
            for way in _SIDES.values()
        }
        for job in jobs
    }
    every = {id for ways in used.values() for ids in ways.values() for id in ids}
    dataset_names = view.reader.dataset_names(every)
    for job in jobs:
        if job in newest and job in names:
            event, name = newest[job], names[job]
            body = _complete(view, event, name, used[job], dataset_names)
            yield NewestJobEvent(event.at, name, body)


def with_lists(event: bytes) -> bytes:
    """An event of a job as received, with its lists of inputs and outputs where it has none."""
    fields = _fields(event)
    if fields is None or "job" not in fields:
        return readable_numbers(event)
    lists = {side: fields.get(side, Raw(b"[]")) for side in _SIDES}
    lists = {side: Raw(b"[]") if bytes(raw) == b"null" else raw for side, raw in lists.items()}
    return readable_numbers(msgspec.json.encode({**fields, **lists}))


def _complete(
    view: View,
    event: NewestEvent,
    job: Name,
    used: Mapping[Direction, Mapping[bytes, None]],
    names: Mapping[bytes, Name],
) -> bytes:
    fields = _fields(event.payload) if event.payload is not None else _declared(event.at, job)
    if fields is None:
        # Text that only a lenient reader takes is shown as it came.
        return readable_numbers(event.payload or b"")
    named = _named_in(view, event.payload)
    for side, way in _SIDES.items():
        added = [names[id] for id in used[way] if id not in named[way] and id in names]
        items = [*_items(fields.get(side)), *(Raw(_encoded(name)) for name in added)]
        fields[side] = Raw(msgspec.json.encode(items))
    return readable_numbers(msgspec.json.encode(fields))


def _fields(event: bytes) -> dict[str, Raw] | None:
    try:
        return _FIELDS.decode(event)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _items(raw: Raw | None) -> list[Raw]:
    return [] if raw is None or bytes(raw) == b"null" else _LIST.decode(raw)


def _named_in(view: View, payload: bytes | None) -> dict[Direction, set[bytes]]:
    """The datasets that an event names, by the names that stand for them."""
    try:
        event = None if payload is None else decode_event(payload)
    except InvalidEvent:
        event = None
    if event is None:
        return {way: set() for way in _SIDES.values()}
    owner = f"{event.job.namespace}/{event.job.name}" if event.job else ""
    some = {Direction.INPUT: event.inputs, Direction.OUTPUT: event.outputs}
    named = {
        way: [dataset_id(each.namespace or f"unknown://{owner}", each.name) for each in datasets]
        for way, datasets in some.items()
    }
    view.classes.resolve(id for ids in named.values() for id in ids)
    return {way: set(map(view.classes.chosen, ids)) for way, ids in named.items()}


def _declared(at: int, job: Name) -> dict[str, Any]:
    """What stands for an event that is no longer kept."""
    made = _PRODUCER.job_event({"namespace": job.namespace, "name": job.name}, at=at)
    return {**made, "inputs": None, "outputs": None}


def _encoded(name: Name) -> bytes:
    return msgspec.json.encode({"namespace": name.namespace, "name": name.name})
