"""Bodies of edits of a dataset, a field or a job, checked before they are stored."""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import Raw

from headwater.answers.discovery.findings import FINDINGS
from headwater.answers.problems.listing import PROBLEMS
from headwater.errors import NotFound, WrongShape
from headwater.model.aspects import ACKNOWLEDGED, DOCUMENTATION, OWNERSHIP, SYMLINKS, TAG
from headwater.model.event import Entity
from headwater.model.project.edits import entity_id
from headwater.model.values.instant import parse_instant
from headwater.server.edits.writes import EntityChange
from headwater.server.http.json_body import read_body
from headwater.server.marquez.writes.changes import check_body_name
from headwater.store.engine import Connection
from headwater.store.read.content_cache import COLUMN_TYPES
from headwater.store.read.datasets import read_states
from headwater.store.read.visibility.deletions import is_shown_now

EntityType = Literal["dataset", "job", "namespace", "source", "tag"]
# Names of fields that a person can look through.
_NAMED_AT_MOST = 50
_LONGEST_REASON = 2_000


class EditedEntity(msgspec.Struct, omit_defaults=True):
    """The entity of an edit; `field` if it is a field of a dataset."""

    type: EntityType
    name: str
    namespace: str = ""
    field: str = ""


class EditBody(msgspec.Struct):
    """Values by aspect, and aspects to remove: documentation, ownership, tag/NAME, symlinks,
    acknowledged. With `unchangedSince` it is refused if others changed the same since that time."""

    entity: EditedEntity
    set: dict[str, Any] = {}
    unset: list[str] = []
    unchangedSince: str | None = None


class _Documentation(msgspec.Struct, forbid_unknown_fields=True):
    description: str


class _OwnerBody(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    type: str = "OWNER"


class _Ownership(msgspec.Struct, forbid_unknown_fields=True):
    owners: list[_OwnerBody]


class _OtherName(msgspec.Struct, forbid_unknown_fields=True):
    namespace: str
    name: str
    type: Literal["TABLE", "CUT"]


class _Symlinks(msgspec.Struct, forbid_unknown_fields=True):
    identifiers: list[_OtherName]


class _Acknowledged(msgspec.Struct, forbid_unknown_fields=True):
    problem: str
    reason: str
    until: str | None = None


_SHAPES: dict[str, Any] = {
    ACKNOWLEDGED: _Acknowledged,
    DOCUMENTATION: _Documentation,
    OWNERSHIP: _Ownership,
    SYMLINKS: _Symlinks,
}
_OF_FIELDS = frozenset((DOCUMENTATION,))


def read_change(connection: Connection, body: EditBody) -> EntityChange:
    """The change that a body requests; raises if it is invalid or its entity unknown."""
    entity = _find(connection, body.entity)
    if not body.set and not body.unset:
        raise WrongShape("$.set", "empty, as is $.unset; give a value")
    given = {aspect: _value(entity, aspect, value) for aspect, value in body.set.items()}
    for index, aspect in enumerate(body.unset):
        _check_aspect(entity, aspect, f"$.unset[{index}]")
        if aspect in given:
            raise WrongShape(f"$.unset[{index}]", f"'{aspect}' is set by the same edit")
    return EntityChange(entity, given, body.unset)


def undo_names(done: bytes, before: bytes | None) -> Raw:
    """The names that undo an edit of names: as before, and what it joined cut, what it cut joined.

    Names that are no longer listed stay as they are, so that to leave them out would undo nothing.
    """
    kept = _read_names(before) if before is not None else []
    known = {(name.namespace, name.name) for name in kept}
    undone = [
        _OtherName(name.namespace, name.name, "CUT" if name.type == "TABLE" else "TABLE")
        for name in _read_names(done)
        if (name.namespace, name.name) not in known
    ]
    return Raw(msgspec.json.encode(_Symlinks([*kept, *undone])))


def _read_names(body: bytes) -> list[_OtherName]:
    return msgspec.json.decode(body, type=_Symlinks).identifiers


def read_unchanged_since(body: EditBody) -> int | None:
    """The time since which nobody else may have changed the same."""
    if body.unchangedSince is None:
        return None
    try:
        return parse_instant(body.unchangedSince)
    except ValueError as error:
        raise WrongShape("$.unchangedSince", f"not a time: {error}") from None


def _find(connection: Connection, named: EditedEntity) -> Entity:
    if named.type not in ("dataset", "job"):
        raise WrongShape("$.entity.type", f"a {named.type} is edited by PUT on its own path")
    check_body_name(named.namespace, "$.entity.namespace")
    check_body_name(named.name, "$.entity.name")
    entity = Entity(named.type, named.name, named.namespace, named.field)
    if not is_shown_now(connection, entity):
        raise NotFound(named.type, f"{named.namespace}/{named.name}")
    if named.field:
        if named.type == "job":
            raise WrongShape("$.entity.field", "a job has no fields")
        check_field(connection, entity)
    return entity


def check_field(connection: Connection, entity: Entity) -> None:
    """Refuse a field that a dataset does not have, and list those it has."""
    id = entity_id(entity)
    schema = read_states(connection, [id])[id].schema
    fields = COLUMN_TYPES.read(connection, [schema]).get(schema, {}) if schema else {}
    if entity.field not in fields:
        raise NotFound("field", entity.field, sorted(fields)[:_NAMED_AT_MOST])


def _check_aspect(entity: Entity, aspect: str, where: str) -> None:
    check_body_name(aspect, where)
    known = _OF_FIELDS if entity.field else _SHAPES.keys()
    if aspect.startswith(TAG) and aspect != TAG:
        return
    if aspect not in known or (aspect == SYMLINKS and entity.type != "dataset"):
        raise WrongShape(where, f"not one of {', '.join((*sorted(known), f'{TAG}NAME'))}")


def _value(entity: Entity, aspect: str, value: Any) -> Any:
    where = f"$.set.{aspect}"
    _check_aspect(entity, aspect, where)
    if aspect.startswith(TAG):
        if not isinstance(value, bool):
            raise WrongShape(where, "neither true nor false")
        return value
    try:
        found = read_body(_SHAPES[aspect], msgspec.json.encode(value))
    except WrongShape as error:
        raise WrongShape(f"{where}{error.where.removeprefix('$')}", error.reason) from None
    if isinstance(found, _Acknowledged):
        _check_acknowledged(found, where)
    for place, name in _names(found):
        check_body_name(name, f"{where}{place}")
    return Raw(msgspec.json.encode(found))


def _check_acknowledged(value: _Acknowledged, where: str) -> None:
    known = (*PROBLEMS, *FINDINGS)
    if value.problem not in known:
        raise WrongShape(f"{where}.problem", f"not one of {', '.join(known)}")
    if not value.reason.strip():
        raise WrongShape(f"{where}.reason", "empty; say why, for those who look next")
    if len(value.reason) > _LONGEST_REASON:
        raise WrongShape(f"{where}.reason", f"longer than {_LONGEST_REASON:,} characters")
    if value.until is not None:
        try:
            parse_instant(value.until)
        except ValueError as error:
            raise WrongShape(f"{where}.until", f"not a time: {error}") from None


def _names(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Ownership):
        for index, owner in enumerate(value.owners):
            yield f".owners[{index}].name", owner.name
            yield f".owners[{index}].type", owner.type
    elif isinstance(value, _Symlinks):
        for index, other in enumerate(value.identifiers):
            yield f".identifiers[{index}].namespace", other.namespace
            yield f".identifiers[{index}].name", other.name
