"""What the writing routes share: the entity, what is new in a change, and the response."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from fastapi import Response
from msgspec import UnsetType

from headwater.errors import InvalidEvent, InvalidRequest, WrongShape
from headwater.model.aspects import DELETED, DOCUMENTATION, tag_aspect
from headwater.model.event import Entity
from headwater.model.names import check_name
from headwater.model.project.edits import entity_id
from headwater.server.edits.writes import Editor, EntityChange
from headwater.store.engine import Connection
from headwater.store.read.edited_values import NOTHING_EDITED, read_words

Text = str | None | UnsetType
Json = dict[str, Any]


def name_entity(type: str, name: str, namespace: str = "", field: str = "") -> Entity:
    """The entity of a path; names that no store can hold are refused by their parameter."""
    _check(name, type, InvalidRequest)
    for parameter, text in (("namespace", namespace), ("field", field)):
        if text:
            _check(text, parameter, InvalidRequest)
    return Entity(type=type, name=name, namespace=namespace, field=field)  # type: ignore[arg-type]


def check_tag(tag: str, where: str = "tag") -> str:
    """Refuse a tag whose aspect no store could hold; by its parameter, or its place in a body."""
    _check(tag and tag_aspect(tag), where, InvalidRequest if where == "tag" else WrongShape)
    return tag


def check_body_name(text: str, where: str) -> str:
    """Refuse a name inside a body by its place."""
    _check(text, where, WrongShape)
    return text


def _check(text: str, where: str, refusal: Callable[[str, str], InvalidRequest]) -> None:
    try:
        check_name(text, where)
    except InvalidEvent as error:
        raise refusal(where, error.reason) from None


class AspectChanges:
    """The changes in a body, aspect by aspect: absent changes nothing, null removes."""

    def __init__(self) -> None:
        self.set: Json = {}
        self.unset: list[str] = []

    def put(self, aspect: str, value: Json | None) -> None:
        if value is None:
            self.unset.append(aspect)
        else:
            self.set[aspect] = value

    def describe(self, description: Text) -> None:
        if not isinstance(description, UnsetType):
            self.put(DOCUMENTATION, {"description": description} if description else None)

    def tag(self, tags: Iterable[str] | None, where: str = "$.tags") -> None:
        for index, tag in enumerate(tags or ()):
            self.set[tag_aspect(check_tag(tag, f"{where}[{index}]"))] = True


def news_of(connection: Connection, changes: Iterable[EntityChange]) -> list[EntityChange]:
    """The effective part of changes: repeating an edit adds nothing to the log.

    A deletion always counts: an event may have shown again what is deleted.
    """
    requested = list(changes)
    words = read_words(connection, {entity_id(change.entity) for change in requested})
    found = []
    for change in requested:
        edited = words.get(entity_id(change.entity), NOTHING_EDITED).values
        field = change.entity.field
        fresh = {
            aspect: value
            for aspect, value in change.set.items()
            if aspect == DELETED or edited.get((field, aspect)) != msgspec.json.encode(value)
        }
        taken = [aspect for aspect in change.unset if (field, aspect) in edited]
        if fresh or taken:
            found.append(change._replace(set=fresh, unset=taken))
    return found


def record_news(
    connection: Connection, editor: Editor, *changes: EntityChange, not_before: int = 0
) -> None:
    """Record what is new of some changes, all or none."""
    if news := news_of(connection, changes):
        editor.record_all(news, not_before)


def answer_now(
    editor: Editor, get: Callable[..., Response], *names: str, status: int = 200
) -> Response:
    """Answer with a thing as it is now."""
    with editor.read_again() as connection:
        answer = get(*names, connection)
    answer.status_code = status
    return answer
