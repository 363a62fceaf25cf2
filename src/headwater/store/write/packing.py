"""Values are kept compressed where that pays.

All share one dictionary, `vocabulary.txt`: the words that OpenLineage events are made of. It is
part of a store's format and never changes; another would need another name and a mark in the value.
"""

import threading
from functools import cache
from importlib.resources import files

import zstandard

_MAGIC = b"\x28\xb5\x2f\xfd"
_WORTH_PACKING = 100
# More than this saves little and costs several times as much.
_LEVEL = 1
# Refuses what a damaged file claims to hold: no setting allows a body of that size.
_MAX_BYTES = 64_000_000

# A compressor serves one thread at a time.
_local = threading.local()


@cache
def _vocabulary() -> zstandard.ZstdCompressionDict:
    words = files("headwater.store").joinpath("vocabulary.txt").read_bytes()
    return zstandard.ZstdCompressionDict(words, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def pack(value: bytes) -> bytes:
    """Compress, unless that saves nothing; what looks packed already is packed again."""
    looks_packed = value.startswith(_MAGIC)
    if len(value) < _WORTH_PACKING and not looks_packed:
        return value
    compressor = getattr(_local, "compressor", None)
    if compressor is None:
        compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=_vocabulary())
        _local.compressor = compressor
    packed: bytes = compressor.compress(value)
    return packed if looks_packed or len(packed) < len(value) else value


def unpacked_size(value: bytes) -> int:
    """How large a value is once it is unpacked, however small it is packed."""
    return zstandard.frame_content_size(value) if value.startswith(_MAGIC) else len(value)


def unpack(value: bytes) -> bytes:
    if not value.startswith(_MAGIC):
        return value
    decompressor = getattr(_local, "decompressor", None)
    if decompressor is None:
        decompressor = _local.decompressor = zstandard.ZstdDecompressor(dict_data=_vocabulary())
    if (size := zstandard.frame_content_size(value)) > _MAX_BYTES:
        raise zstandard.ZstdError(f"a value of {size:,} bytes is damaged")
    unpacked: bytes = decompressor.decompress(value, max_output_size=_MAX_BYTES)
    return unpacked
