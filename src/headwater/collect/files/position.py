"""How far a file has been delivered: kept, so that what was interrupted can go on."""

from hashlib import sha256
from pathlib import Path

import msgspec

from headwater.errors import InvalidRequest

SUFFIX = ".emitted"


class _Kept(msgspec.Struct):
    server: str
    first: str
    answered: int
    offset: int = 0
    line: int = 0


class FilePosition:
    """The number of a file's events that a server has answered; without a file, not kept.

    It holds for one server and one first event: another server has seen none of them, and a file
    that begins otherwise is another file. It stays when all is sent, so that a file which grows
    can be sent again for what is new. Of a file with one event a line, `offset` is the end of the
    last one answered, and `line` its number: what comes after is found without reading the rest.
    """

    def __init__(self, file: Path | None, server: str, first: bytes, size: int) -> None:
        self._file = file
        self._kept = _Kept(server, sha256(first).hexdigest(), 0)
        found = self._load()
        if found is not None and found.server == server and _is_of(found, first, size):
            self._kept = found

    @staticmethod
    def file_of(file: Path, folder: Path | None) -> Path:
        """Where the position of a file is kept: beside it, or in a folder for all."""
        if folder is None:
            return file.with_name(file.name + SUFFIX)
        name = sha256(bytes(file.absolute())).hexdigest()[:32]
        return folder / f"{name}{SUFFIX}"

    @property
    def answered(self) -> int:
        return self._kept.answered

    @property
    def offset(self) -> int:
        return self._kept.offset

    @property
    def line(self) -> int:
        return self._kept.line

    def is_of(self, first: bytes, size: int) -> bool:
        """Whether it is of a file that begins so and is so long."""
        return _is_of(self._kept, first, size)

    def advance(self, answered: int, offset: int = 0, line: int = 0) -> None:
        """Note how far the file is now; written whole or not at all."""
        kept = self._kept
        kept.answered, kept.offset, kept.line = answered, offset, line
        if self._file is None:
            return
        new = self._file.with_name(self._file.name + ".new")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(msgspec.json.encode(kept))
            new.replace(self._file)
        except OSError as error:
            raise InvalidRequest(
                str(self._file),
                f"the position cannot be written: {error.strerror}; let this user write there, "
                "or choose another folder for positions, or none",
            ) from None

    def _load(self) -> _Kept | None:
        if self._file is None:
            return None
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=_Kept)
        except (OSError, msgspec.MsgspecError):
            return None


def _is_of(kept: _Kept, first: bytes, size: int) -> bool:
    return kept.first == sha256(first).hexdigest() and kept.offset <= size
