"""How far a file has been sent: kept beside it, so that an interrupted `emit` can go on."""

from hashlib import sha256
from pathlib import Path

import msgspec

from headwater.errors import InvalidRequest

SUFFIX = ".emitted"


class _Kept(msgspec.Struct):
    server: str
    first: str
    answered: int


class FilePosition:
    """The number of a file's events that a server has answered.

    It holds for one server and one first event: another server has seen none of them, and a file
    that begins otherwise is another file. It stays when all is sent, so that a file which grows
    can be sent again for what is new.
    """

    def __init__(self, file: Path, server: str, first: bytes) -> None:
        self._file = file.with_name(file.name + SUFFIX)
        self._kept = _Kept(server, sha256(first).hexdigest(), 0)
        found = self._load()
        if found is not None and (found.server, found.first) == (server, self._kept.first):
            self._kept = found

    @property
    def answered(self) -> int:
        return self._kept.answered

    def advance(self, count: int) -> None:
        """Note that so many more were answered; written whole or not at all."""
        self._kept.answered += count
        new = self._file.with_name(self._file.name + ".new")
        try:
            new.write_bytes(msgspec.json.encode(self._kept))
            new.replace(self._file)
        except OSError as error:
            raise InvalidRequest(
                "--resume", f"cannot write '{self._file}': {error.strerror}; emit without it"
            ) from None

    def _load(self) -> _Kept | None:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=_Kept)
        except (OSError, msgspec.MsgspecError):
            return None
