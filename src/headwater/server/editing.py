"""Writes of the API: each is an edit, an event like all others, with an actor and a time."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Request

from headwater.model import instant
from headwater.model.event import Entity, decode_event
from headwater.model.ids import digest
from headwater.model.project import project
from headwater.store.group import GroupCommit


class Editor:
    """Records what one actor does; returns once it is durable."""

    def __init__(self, commits: GroupCommit, actor: str) -> None:
        self._commits = commits
        self.actor = actor

    def record(
        self, entity: Entity, set: Mapping[str, Any] | None = None, unset: Sequence[str] = ()
    ) -> bytes:
        """Set aspects of an entity, or take them back; gives the edit's id."""
        edit = {
            "actor": self.actor,
            "entity": entity,
            "set": dict(set or {}),
            "unset": list(unset),
        }
        return self.state({"edit": edit})

    def state(self, event: Mapping[str, Any]) -> bytes:
        """Take in an event of the server's own making, at this time unless it tells another."""
        now = instant.now()
        whole = {"eventTime": instant.format_instant(now), **event}
        data = msgspec.json.encode(whole)
        self._commits.write([project(decode_event(data), now)])
        return digest(data)


def editor(request: Request) -> Editor:
    return Editor(request.app.state.commits, request.state.actor)


Editing = Annotated[Editor, Depends(editor)]
