"""Marking what was not seen for a time as deleted: an edit that an ingestion makes.

The edit has the time at which the period ended. So it is the same edit however often it is made;
whatever is seen later than that shows the job or dataset again, and so does a person who restores
it: the next run does not delete it again.
"""

import msgspec

from headwater.model.aspects import DELETED
from headwater.model.event import Entity, Kind, decode_event
from headwater.model.project import project
from headwater.model.project.edits import entity_id
from headwater.model.values.instant import SECOND, format_instant, now
from headwater.pipeline.ingestions.reading import AbsenceRule
from headwater.store.engine import Connection, Engine
from headwater.store.failures import answering
from headwater.store.read.visibility.deletions import read_last_changes
from headwater.store.read.visibility.unseen import UnseenEntity, read_newest_seen, read_unseen
from headwater.store.write.writer import Writer

_TYPES = {Kind.JOB: "job", Kind.DATASET: "dataset"}
_AT_ONCE = 1_000


def mark_unseen(engine: Engine, writer: Writer, name: str, rule: AbsenceRule) -> int:
    """Mark what came through an ingestion and was not seen for a time; returns how much."""
    after = int(rule.after * SECOND)
    with answering(), engine.connect() as connection:
        found = _find(connection, name, rule, after)
    events = [_edit(name, each, each.last_seen + after) for each in found]
    for begin in range(0, len(events), _AT_ONCE):
        some = events[begin : begin + _AT_ONCE]
        writer.write([project(decode_event(event), now()) for event in some])
    return len(events)


def _find(connection: Connection, name: str, rule: AbsenceRule, after: int) -> list[UnseenEntity]:
    """What is to be marked. A source that gives nothing at all any more marks nothing: the period
    ends at the newest of its events, not now."""
    newest = read_newest_seen(connection, name)
    if newest is None:
        return []
    unseen = read_unseen(connection, name, min(newest, now()) - after)
    found = {entity_id(_entity(each)): each for each in unseen if _is_included(each, rule)}
    changes = read_last_changes(connection, found)
    return [
        each
        for id, each in found.items()
        if (change := changes.get(id)) is None or change.at < each.last_seen + after
    ]


def _is_included(entity: UnseenEntity, rule: AbsenceRule) -> bool:
    return rule.exclude.accept([entity.name, f"{entity.namespace}-{entity.name}"])


def _entity(found: UnseenEntity) -> Entity:
    kind = "job" if found.kind is Kind.JOB else "dataset"
    return Entity(kind, found.name, found.namespace)  # type: ignore[arg-type]


def _edit(name: str, found: UnseenEntity, at: int) -> bytes:
    edit = {
        "actor": f"ingestion {name}",
        "entity": _entity(found),
        "set": {DELETED: True},
        "unset": [],
    }
    return msgspec.json.encode({"eventTime": format_instant(at), "edit": edit})
