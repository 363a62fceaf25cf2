"""A file in which a collector remembers what it has reported, so that only changes are sent."""

from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from headwater.errors import InvalidRequest

Kept = TypeVar("Kept", bound=msgspec.Struct)


class StateFile(Generic[Kept]):
    """What one destination was sent of one system; `identity` tells it from all others."""

    def __init__(self, folder: Path, kind: str, identity: tuple[str, ...], empty: Kept) -> None:
        name = sha256("\n".join(identity).encode()).hexdigest()[:32]
        self.folder = folder
        self._file = folder / f"{kind}-{name}.json"
        try:
            self.kept: Kept = msgspec.json.decode(self._file.read_bytes(), type=type(empty))
        except (OSError, msgspec.MsgspecError):
            self.kept = empty

    def save(self) -> None:
        """Write what is kept, whole or not at all."""
        new = self._file.with_suffix(".new")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(msgspec.json.encode(self.kept))
            new.replace(self._file)
        except OSError as error:
            raise InvalidRequest(
                str(self._file),
                f"cannot be written: {error.strerror}; choose another folder with --state",
            ) from None

    def check(self) -> str | None:
        """Why it cannot be written; None if it can."""
        try:
            self.save()
        except InvalidRequest as error:
            return error.reason
        return None
