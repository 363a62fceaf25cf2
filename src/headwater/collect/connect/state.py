"""What was reported of each connector, kept in a file: only changes are sent, also by the next run
of the command."""

from hashlib import sha256
from pathlib import Path

import msgspec

from headwater.errors import InvalidRequest


class KnownConnector(msgspec.Struct, frozen=True):
    """A connector as it was last reported."""

    namespace: str
    job: str
    run: str
    condition: str
    reported_at: int
    """In microseconds since 1970."""
    failures: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    first_offsets: dict[str, int] = {}
    """Of each topic of a sink, the sum of its offsets when the run was first seen."""
    offsets: dict[str, int] = {}


class _Kept(msgspec.Struct):
    kafka_cluster: str = ""
    connectors: dict[str, KnownConnector] = {}


class ReportedState:
    """What one destination was sent of one Connect cluster; another Kafka cluster begins anew."""

    def __init__(self, folder: Path, destination: str, url: str, group: str) -> None:
        identity = "\n".join((destination, url, group))
        self._file = folder / f"connect-{sha256(identity.encode()).hexdigest()[:32]}.json"
        self._kept = self._load()

    def of_cluster(self, kafka_cluster: str) -> dict[str, KnownConnector]:
        if self._kept.kafka_cluster != kafka_cluster:
            self._kept = _Kept(kafka_cluster, {})
        return self._kept.connectors

    def save(self, changes: dict[str, KnownConnector | None]) -> None:
        """Note what was delivered, whole or not at all; None: it is gone."""
        connectors = self._kept.connectors
        for name, known in changes.items():
            if known is None:
                connectors.pop(name, None)
            else:
                connectors[name] = known
        new = self._file.with_suffix(".new")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(msgspec.json.encode(self._kept))
            new.replace(self._file)
        except OSError as error:
            raise InvalidRequest(
                str(self._file),
                f"cannot be written: {error.strerror}; choose another folder with --state",
            ) from None

    def check(self) -> str | None:
        """Why it cannot be written; None if it can."""
        try:
            self.save({})
        except InvalidRequest as error:
            return error.reason
        return None

    def _load(self) -> _Kept:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=_Kept)
        except (OSError, msgspec.MsgspecError):
            return _Kept()
