"""API keys: their names, scopes and digests. No key itself is ever stored."""

import secrets
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, Engine, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from headwater.errors import InvalidRequest, NotFound
from headwater.model.access import Key, check_name, check_scopes, digest_of, implied, split_scopes
from headwater.model.values import instant
from headwater.store import tables

# Lets people, and tools that search for leaked secrets, recognise it.
PREFIX = "hw_"
_RANDOM_BYTES = 32


class StoredKey(NamedTuple):
    """A key as it is listed; `revoked_at` is None while it is in force."""

    name: str
    scopes: list[str]
    created_at: int
    revoked_at: int | None


class Active(NamedTuple):
    """The keys in force by digest, and whether the store ever had any."""

    keys: dict[bytes, Key]
    has_any: bool


def add_key(engine: Engine, name: str, scopes: Iterable[str]) -> str:
    """Make a key and give it: this once, for only its digest is kept.

    A name that was revoked may be given again, so that a key can be replaced under its name.
    """
    table = tables.api_key
    row = {"name": check_name(name), "scopes": check_scopes(scopes), "created_at": instant.now()}
    secret = PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    is_revoked = table.c.revoked_at.is_not(None)
    try:
        with engine.begin() as connection:
            connection.execute(delete(table).where(table.c.name == name, is_revoked))
            connection.execute(insert(table).values(hash=digest_of(secret.encode()), **row))
    except IntegrityError:
        raise InvalidRequest(
            "name", f"there is a key '{name}'; revoke it first, or choose another name"
        ) from None
    return secret


def list_keys(connection: Connection) -> list[StoredKey]:
    """List all keys by name, revoked ones too."""
    table = tables.api_key
    columns = (table.c.name, table.c.scopes, table.c.created_at, table.c.revoked_at)
    return [
        StoredKey(row.name, split_scopes(row.scopes), row.created_at, row.revoked_at)
        for row in connection.execute(select(*columns).order_by(table.c.name))
    ]


def revoke_key(engine: Engine, name: str) -> bool:
    """Revoke a key; returns whether it was valid until now."""
    table = tables.api_key
    with engine.begin() as connection:
        change = update(table).where(table.c.name == name, table.c.revoked_at.is_(None))
        if connection.execute(change.values(revoked_at=instant.now())).rowcount:
            return True
        if connection.execute(select(table.c.name).where(table.c.name == name)).first() is None:
            raise NotFound("key", name)
    return False


def read_active(connection: Connection) -> Active:
    """Read the keys in force."""
    table = tables.api_key
    query = select(table.c.hash, table.c.name, table.c.scopes).where(table.c.revoked_at.is_(None))
    keys = {
        bytes(row.hash): Key(row.name, implied(split_scopes(row.scopes)))
        for row in connection.execute(query)
    }
    total = connection.execute(select(func.count()).select_from(table)).scalar()
    return Active(keys, bool(total))
