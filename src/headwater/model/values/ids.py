"""Ids and digests: hashes of what they name, the same in every process."""

import re
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

ID_BYTES = 16
# The value "none" of a digest: what a facet with `_deleted` leaves behind.
NO_CONTENT = bytes(ID_BYTES)
# In the place of a digest if nothing was reported.
UNREPORTED = b""

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_VERSION = re.compile(r"[/@:_-]*v?\d+(?:\.\d+)+[\w.+-]*")


def digest(data: bytes) -> bytes:
    """Identify bytes by their content."""
    return sha256(data).digest()[:ID_BYTES]


def _named(kind: str, *parts: str) -> bytes:
    # Names hold no NUL, so that joining by NUL cannot make two names one.
    return digest("\0".join((kind, *parts)).encode())


_cached = lru_cache(maxsize=32_768)(_named)
# Longer names are not remembered: some ten thousand of them would be a hundred megabytes.
_SHORT = 256


@lru_cache(maxsize=4_096)
def namespace_id(namespace: str) -> bytes:
    return _named("namespace", namespace)


def dataset_id(namespace: str, name: str) -> bytes:
    return (
        _cached("dataset", namespace, name)
        if len(name) < _SHORT
        else _named("dataset", namespace, name)
    )


def job_id(namespace: str, name: str) -> bytes:
    return _cached("job", namespace, name) if len(name) < _SHORT else _named("job", namespace, name)


def source_id(name: str) -> bytes:
    return _named("source", name)


def tag_id(name: str) -> bytes:
    return _named("tag", name)


def is_uuid(run_id: str) -> bool:
    return len(run_id) == 36 and _UUID.fullmatch(run_id) is not None


def run_key(job_namespace: str, job_name: str, run_id: str) -> bytes:
    """Key a run: a UUID is unique by itself, any other id only within its job."""
    if is_uuid(run_id):
        return bytes.fromhex(run_id.replace("-", ""))
    return _named("run", job_namespace, job_name, run_id)


def run_name(key: bytes, name: str | None) -> str:
    """Give back the run id a key was made from; `name` is kept only where it is no UUID."""
    return name if name is not None else str(UUID(bytes=key))


@lru_cache(maxsize=4_096)
def author_id(producer: str) -> bytes:
    """Identify who speaks, whatever its release: an upgraded producer replaces its own words."""
    return _named("author", _VERSION.sub("", producer))


def editors_id(entity: bytes) -> bytes:
    """Identify whoever edits an entity, as the author of its declarations: all users are one
    author, so that the newest edit replaces the one before."""
    return digest(b"edit" + entity)


def access_id(run: bytes, dataset: bytes, direction: int) -> bytes:
    """Identify one run's use of one dataset, the owner of input and output facets."""
    return digest(run + dataset + bytes((direction,)))
