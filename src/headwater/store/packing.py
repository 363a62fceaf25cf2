"""Large values are kept compressed where that pays; small ones as they are."""

import threading

import zstandard

_MAGIC = b"\x28\xb5\x2f\xfd"
_WORTH_PACKING = 512
_LEVEL = 1
# A value is at most a body, and a body at most 20 MB; refuses what a damaged file claims to be.
_MAX_BYTES = 64_000_000

_local = threading.local()


def pack(value: bytes) -> bytes:
    """Compress; what `unpack` could not tell from packed bytes is packed whatever its size."""
    if len(value) < _WORTH_PACKING and not value.startswith(_MAGIC):
        return value
    compressor = getattr(_local, "compressor", None)
    if compressor is None:
        compressor = _local.compressor = zstandard.ZstdCompressor(level=_LEVEL)
    packed: bytes = compressor.compress(value)
    return packed


def unpack(value: bytes) -> bytes:
    if not value.startswith(_MAGIC):
        return value
    decompressor = getattr(_local, "decompressor", None)
    if decompressor is None:
        decompressor = _local.decompressor = zstandard.ZstdDecompressor()
    unpacked: bytes = decompressor.decompress(value, max_output_size=_MAX_BYTES)
    return unpacked
