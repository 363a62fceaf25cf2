"""Writes of the API: each is an edit, an event like all others, with an actor and a time."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any, NamedTuple
from urllib.parse import unquote

import msgspec
from fastapi import Depends, Request

from headwater.model.access import LOCAL, without_key
from headwater.model.event import Entity, Within, decode_event
from headwater.model.project import project
from headwater.model.values import instant
from headwater.model.values.ids import digest
from headwater.server.http.parameters import ReadConnection
from headwater.store.engine import Connection, Engine
from headwater.store.write.group_commit import GroupCommit

Event = Mapping[str, Any]

# The header with a person's name, percent-encoded, where no key tells it.
PERSON = "headwater-person"


class EntityChange(NamedTuple):
    """The changes of one entity."""

    entity: Entity
    set: Mapping[str, Any] = {}
    unset: Sequence[str] = ()
    within: Within | None = None
    undoes: str = ""


class _Clock:
    """No two edits of this process have the same time: the later one wins."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def next(self) -> int:
        with self._lock:
            self._last = max(instant.now(), self._last + 1)
            return self._last


_clock = _Clock()


class Editor:
    """Records what one actor does; returns once it is durable."""

    def __init__(
        self, commits: GroupCommit, engine: Engine, reading: Connection, actor: str
    ) -> None:
        self._commits = commits
        self._engine = engine
        self._reading = reading
        self.actor = actor

    def read_again(self) -> AbstractContextManager[Connection]:
        """A connection that sees what was written, in the place of the one from before."""
        self._reading.close()
        return self._engine.connect()

    def record(
        self, entity: Entity, set: Mapping[str, Any] | None = None, unset: Sequence[str] = ()
    ) -> bytes:
        """Set aspects of an entity, or take them back; gives the edit's id."""
        return self.record_all([EntityChange(entity, set or {}, unset)])[0]

    def record_all(self, changes: Sequence[EntityChange], not_before: int = 0) -> list[bytes]:
        """Record several changes, all or none; gives the edits' ids.

        `not_before` is for edits that must override events of a sender with a fast clock.
        """
        return self._write([{"edit": self._edit(change)} for change in changes], not_before)

    def state(self, event: Event) -> bytes:
        """Store an event that the server itself created, at this time unless it has another."""
        return self._write([event])[0]

    def _edit(self, change: EntityChange) -> dict[str, Any]:
        edit = {"actor": self.actor, "entity": change.entity}
        edit |= {"set": dict(change.set), "unset": list(change.unset)}
        if change.within is not None:
            edit["within"] = change.within
        if change.undoes:
            edit["undoes"] = change.undoes
        return edit

    def _write(self, events: Sequence[Event], not_before: int = 0) -> list[bytes]:
        now = _clock.next()
        at = instant.format_instant(max(now, not_before))
        texts = [msgspec.json.encode({"eventTime": at, **event}) for event in events]
        # Given back first: were all of them held by those who wait for the writer, it had none.
        self._reading.close()
        self._commits.write([project(decode_event(text), now) for text in texts])
        return [digest(text) for text in texts]


def editor(request: Request, connection: ReadConnection) -> Editor:
    state = request.app.state
    return Editor(state.commits, state.engine, connection, _actor(request))


def _actor(request: Request) -> str:
    """The key's name; without keys whoever the sender says to be, which nobody has checked."""
    actor = str(request.state.actor)
    stated = request.headers.get(PERSON)
    if stated is None or actor != LOCAL:
        return actor
    return without_key(unquote(stated))


Editing = Annotated[Editor, Depends(editor)]
