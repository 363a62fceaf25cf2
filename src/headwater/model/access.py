"""Who may do what: the scopes, the names of keys, and the digest a key is known by."""

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

from headwater.errors import BadConfig, InvalidRequest

READ, WRITE, ADMIN = "read", "write", "admin"
SCOPES = (READ, WRITE, ADMIN)

# Who acts where no key is required.
LOCAL = "local"
ANONYMOUS = "anonymous"

GIVEN_KEYS = "auth.keys"

_LONGEST_PERSON = 64
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Keys by environment are chosen by people; what is shorter than this can be guessed.
_SHORTEST_SECRET = 16
# What a header can carry, but for the two signs that separate keys and their parts.
_SECRET = re.compile(r"[!-+\--9;-~]+")


class Key(NamedTuple):
    """A key that is in force; `scopes` has those that others imply."""

    name: str
    scopes: frozenset[str]


def digest_of(secret: bytes) -> bytes:
    """What is kept of a key. No salt and no rounds: a random key cannot be guessed."""
    return hashlib.sha256(secret).digest()


def implied(scopes: Iterable[str]) -> frozenset[str]:
    """All that scopes allow: `admin` has the others; `write` alone cannot read."""
    found = frozenset(scopes)
    return frozenset(SCOPES) if ADMIN in found else found


def check_name(name: str) -> str:
    """Refuse a name that is no key's: it is the actor of edits, and stands in settings."""
    if _NAME.fullmatch(name) is None:
        raise InvalidRequest(
            "name", "letters, digits, '.', '_' and '-', at most 64, a letter or digit first"
        )
    if name in (LOCAL, ANONYMOUS):
        raise InvalidRequest("name", f"'{name}' is reserved for requests without a key")
    return name


def without_key(person: str) -> str:
    """The actor of what a person does without a key; it can be no key's name."""
    name = person.strip()
    if not 0 < len(name) <= _LONGEST_PERSON or not name.isprintable():
        raise InvalidRequest(
            "Headwater-Person", f"a name of 1 to {_LONGEST_PERSON} characters, percent-encoded"
        )
    return f"{name} (no key)"


def check_scopes(scopes: Iterable[str]) -> str:
    """Scopes as they are stored, `read+write`; refuses none, and what is none."""
    given = set(scopes)
    if unknown := sorted(given.difference(SCOPES)):
        raise InvalidRequest("scope", f"'{unknown[0][:64]}'; there are read, write and admin")
    if not given:
        raise InvalidRequest("scope", "give at least one of read, write and admin")
    return "+".join(scope for scope in SCOPES if scope in given)


def split_scopes(stored: str) -> list[str]:
    return stored.split("+")


def parse_given_keys(text: str) -> dict[bytes, Key]:
    """Read `name:secret:read+write,...`, by digest; errors contain no secret."""
    keys: dict[bytes, Key] = {}
    names: set[str] = set()
    for position, part in enumerate(filter(None, map(str.strip, text.split(","))), 1):
        fields = part.split(":")
        if len(fields) != 3:
            raise BadConfig(GIVEN_KEYS, f"key {position} is not NAME:SECRET:SCOPE+SCOPE")
        name, secret, scopes = fields
        try:
            check_name(name)
            allowed = implied(split_scopes(check_scopes(split_scopes(scopes))))
        except InvalidRequest as error:
            # A secret in the wrong place must not be shown either.
            raise BadConfig(GIVEN_KEYS, f"key {position} has an unusable {error.where}") from None
        if len(secret) < _SHORTEST_SECRET or _SECRET.fullmatch(secret) is None:
            raise BadConfig(
                GIVEN_KEYS,
                f"the secret of key {position} is not {_SHORTEST_SECRET} or more printable "
                "ASCII characters without spaces",
            )
        digest = digest_of(secret.encode())
        if name in names or digest in keys:
            raise BadConfig(GIVEN_KEYS, f"key {position} has the name or secret of another")
        names.add(name)
        keys[digest] = Key(name, allowed)
    return keys
