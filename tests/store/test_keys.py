"""API keys in a store, on both databases: what is kept of them, and what is not."""

import re

import pytest
from sqlalchemy import Engine, select

from headwater.errors import InvalidRequest, NotFound
from headwater.model.access import Key, digest_of
from headwater.store.keys import Active, StoredKey, add_key, list_keys, read_active, revoke_key
from headwater.store.tables import TABLES, api_key


def listed(engine: Engine) -> list[StoredKey]:
    with engine.connect() as connection:
        return list_keys(connection)


def active(engine: Engine) -> Active:
    with engine.connect() as connection:
        return read_active(connection)


def test_an_empty_store_never_had_a_key(engine: Engine) -> None:
    assert listed(engine) == []
    assert active(engine) == Active({}, has_any=False)


def test_keys_are_no_facts() -> None:
    assert "api_key" not in TABLES


def test_only_the_digest_of_a_key_is_stored(engine: Engine) -> None:
    secret = add_key(engine, "ci", ["write", "read", "read"])
    assert re.fullmatch(r"hw_[A-Za-z0-9_-]{43}", secret)
    with engine.connect() as connection:
        row = connection.execute(select(api_key)).one()
    assert (row.name, row.scopes, row.revoked_at) == ("ci", "read+write", None)
    assert bytes(row.hash) == digest_of(secret.encode())
    assert secret not in repr(row)
    key = Key("ci", frozenset(["read", "write"]))
    assert active(engine) == Active({digest_of(secret.encode()): key}, has_any=True)


def test_admin_implies_the_others_and_write_does_not_imply_read(engine: Engine) -> None:
    add_key(engine, "root", ["admin"])
    add_key(engine, "producer", ["write"])
    assert {key.name: key.scopes for key in active(engine).keys.values()} == {
        "root": {"read", "write", "admin"},
        "producer": {"write"},
    }
    assert [(key.name, key.scopes) for key in listed(engine)] == [
        ("producer", ["write"]),
        ("root", ["admin"]),
    ]


def test_a_revoked_key_is_listed_and_not_in_force(engine: Engine) -> None:
    add_key(engine, "ci", ["read"])
    assert revoke_key(engine, "ci") is True
    (key,) = listed(engine)
    assert key.revoked_at is not None
    assert key.revoked_at >= key.created_at
    assert active(engine) == Active({}, has_any=True)
    assert revoke_key(engine, "ci") is False
    assert listed(engine) == [key]


def test_an_unknown_key_cannot_be_revoked(engine: Engine) -> None:
    with pytest.raises(NotFound, match="key 'ci' not found"):
        revoke_key(engine, "ci")


def test_a_name_is_free_again_once_it_is_revoked(engine: Engine) -> None:
    first = add_key(engine, "ci", ["read"])
    with pytest.raises(InvalidRequest, match="there is a key 'ci'"):
        add_key(engine, "ci", ["write"])
    assert [*active(engine).keys] == [digest_of(first.encode())]
    revoke_key(engine, "ci")
    second = add_key(engine, "ci", ["write"])
    assert [*active(engine).keys] == [digest_of(second.encode())]
    assert [key.scopes for key in listed(engine)] == [["write"]]


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a,b", "-a", "é", "a" * 65, "local", "a\n"])
def test_a_name_that_cannot_be_used_is_refused(engine: Engine, name: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        add_key(engine, name, ["read"])
    assert refused.value.where == "name"
    assert listed(engine) == []


@pytest.mark.parametrize("scopes", [[], ["reed"], ["read", ""], ["read+write"]])
def test_scopes_that_are_none_are_refused(engine: Engine, scopes: list[str]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        add_key(engine, "ci", scopes)
    assert refused.value.where == "scope"
    assert listed(engine) == []
