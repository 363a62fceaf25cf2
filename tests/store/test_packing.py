"""Packed values come back byte for byte, whatever they are."""

import os
import threading

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.store.write.packing import pack, unpack, unpacked_size

MAGIC = zstandard.FRAME_HEADER
# Written by the first version that had a vocabulary.
STORED = bytes.fromhex(
    "28b52ffd20d25d02000402637573746f6d6572616d5d2c6865616477617465722e6578616d706c6530227d0c005b"
    "87a0c82a3867e90a355057c87138d51cf5a912081d2c405ebe684818219af0dc47ec786bcb40"
)
PIECES = st.sampled_from((b"", b"a", b'{"name":"c"}', MAGIC, os.urandom(64), b"\0"))


@settings(deadline=None)
@given(st.lists(PIECES, max_size=40).map(b"".join))
def test_gives_back_what_was_packed(value: bytes) -> None:
    assert unpack(pack(value)) == value


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 100_000])
def test_gives_back_values_of_any_size(size: int) -> None:
    for value in (bytes(size), os.urandom(size), b"\xff" * size):
        assert unpack(pack(value)) == value


def test_keeps_small_values_as_they_are() -> None:
    assert pack(b'{"a":1}') == b'{"a":1}'


def test_makes_large_values_smaller() -> None:
    value = b'{"name":"column","type":"VARCHAR"},' * 100
    assert len(pack(value)) < len(value) / 10


def test_a_small_value_that_looks_packed_is_packed() -> None:
    value = MAGIC + b"not a frame"
    assert pack(value) != value
    assert unpack(pack(value)) == value


def test_a_packed_value_can_be_packed_again() -> None:
    value = b"x" * 10_000
    assert unpack(unpack(pack(pack(value)))) == value


def test_reads_what_was_stored_before() -> None:
    """Fails where the vocabulary changed: every store written so far would be unreadable."""
    assert unpack(STORED) == (
        b'{"fields":[{"name":"customer","type":"VARCHAR"},{"name":"amount","type":"DECIMAL(18,2)"}],'
        b'"_producer":"https://headwater.example","_schemaURL":"https://openlineage.io/spec/facets'
        b'/1-0-0/SchemaDatasetFacet.json"}'
    )


def test_refuses_a_frame_that_claims_to_be_huge() -> None:
    bomb = zstandard.ZstdCompressor().compress(bytes(65_000_000))
    with pytest.raises(zstandard.ZstdError):
        unpack(bomb)


def test_threads_do_not_disturb_each_other() -> None:
    values = [bytes([index]) * 50_000 + os.urandom(50_000) for index in range(4)]
    failed: list[bytes] = []

    def go(value: bytes) -> None:
        failed.extend(value for _ in range(50) if unpack(pack(value)) != value)

    threads = [threading.Thread(target=go, args=(value,)) for value in values]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


@pytest.mark.parametrize("value", [b"", b"short", b"long " * 1_000])
def test_the_size_is_known_before_it_is_unpacked(value: bytes) -> None:
    assert unpacked_size(pack(value)) == len(value)
