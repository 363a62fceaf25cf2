"""Every error Headwater raises on purpose.

HeadwaterError
├── InvalidEvent        an event that cannot be used: where in it, and why
├── InvalidRequest      a parameter, header or body that cannot be used
│   ├── MethodNotAllowed
│   ├── BodyTooLarge
│   ├── UrlTooLong
│   ├── HeadersTooLarge
│   ├── WrongShape
│   ├── ForeignRequest
│   ├── TooSlow
│   └── WrongContentType
├── Unauthorized        no key that is in force
├── Forbidden           a key without the scope that is needed
├── TooManyRequests     more than a key's share; the same call may work later
│   └── TooManyGuesses  too many wrong keys from one address
├── NotFound            nothing of that name is known
├── Conflict            the request conflicts with other changes
├── NotStorable         the store refused an event for what it holds
├── StoreUnavailable    the store did not answer; the same call may work later
│   └── TimeIsOver      a read took longer than it may
├── LakeUnavailable     the lake cannot be written or read; a later try may work
├── SparkUnavailable    Spark did not start, or failed at its work
│   └── PackagesUnavailable  jars that Spark needs cannot be fetched
├── StoreTooNew         the store was made by a newer Headwater
├── SourceUnavailable   where events come from does not answer; a later try may work
│   └── SourceChanged   it is another than before; starting again works at once
├── TargetUnavailable   where events are published to does not take them; a later try may work
├── Busy                another process is at the same work, which only one can do at a time
├── ServerUnreachable   a command found no server where it looked for one
├── ServerRefused       a server answered a command with an error
├── NotInstalled        a program that a command needs is not on this machine
├── BackupFailed        a backup that could not be made, or cannot be restored
├── BadConfig           a setting that cannot be used
└── BadSecret           an environment variable without the secret that it should hold
"""

from collections.abc import Iterable, Sequence


class HeadwaterError(Exception):
    """Base of all; its text is one sentence fit to show to a user."""

    @property
    def message(self) -> str:
        return str(self)


class InvalidEvent(HeadwaterError):
    """An event that cannot be used; `path` is a JSON path into it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class InvalidRequest(HeadwaterError):
    """A request that cannot be used; `where` names the parameter, header or body."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where = where
        self.reason = reason


class MethodNotAllowed(InvalidRequest):
    """A method that a path does not have."""


class BodyTooLarge(InvalidRequest):
    """A body over the limit, as sent or once unpacked."""


class UrlTooLong(InvalidRequest):
    """A path and query over the limit."""


class HeadersTooLarge(InvalidRequest):
    """Headers over the limit, all of them together."""


class WrongShape(InvalidRequest):
    """A body that is JSON, but not what the route reads; `where` is a JSON path into it."""


class WrongContentType(InvalidRequest):
    """A body that does not claim to be JSON, or is encoded in a way not spoken here."""


class ForeignRequest(InvalidRequest):
    """A request for another server's name, or one that a page of another site made."""


class TooSlow(InvalidRequest):
    """A request that was begun and did not come to its end in time."""


class Unauthorized(HeadwaterError):
    """A request without a key, or with one that is not known or was revoked."""


class Forbidden(HeadwaterError):
    """A request whose key lacks the scope it needs."""

    def __init__(self, name: str, scope: str) -> None:
        super().__init__(f"key '{name}' lacks the scope '{scope}'")
        self.name = name
        self.scope = scope


class TooManyRequests(HeadwaterError):
    """A key that asks more often than it may; `retry_after` is in seconds."""

    def __init__(self, name: str, retry_after: int) -> None:
        super().__init__(f"key '{name}' sends too many requests; try again in {retry_after} s")
        self.name = name
        self.retry_after = retry_after


class TooManyGuesses(TooManyRequests):
    """An address that shows one wrong key after the other."""

    def __init__(self, retry_after: int) -> None:
        HeadwaterError.__init__(
            self, f"too many wrong keys from this address; try again in {retry_after} s"
        )
        self.retry_after = retry_after


class NotFound(HeadwaterError):
    """Nothing of that kind and name is known; `near` is what may have been meant."""

    def __init__(self, kind: str, name: str, near: Sequence[str] = ()) -> None:
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        super().__init__(f"{kind} '{name}' not found{hint}")
        self.kind = kind
        self.name = name
        self.near = list(near)


class Conflict(HeadwaterError):
    """What was requested no longer fits what is there; its text describes the other change."""


class NotStorable(HeadwaterError):
    """The store refused an event for what it holds; another try would not help."""


class StoreUnavailable(HeadwaterError):
    """The store did not answer or refused to write; a later try may work."""


class TimeIsOver(StoreUnavailable):
    """A read that took longer than the server, or its request, allows."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"took longer than {seconds:g} s, the lower of the setting server.max_read_seconds and "
            "the parameter timeout; ask for less (depth, limit), or try again"
        )


class LakeUnavailable(HeadwaterError):
    """The lake could not be written or read; a later try may work."""


class SparkUnavailable(HeadwaterError):
    """Spark did not start, or failed at its work; a later try may work."""


class SourceUnavailable(HeadwaterError):
    """Where events come from does not answer, or not as it should."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"{source}: {reason}")
        self.source = source
        self.reason = reason


class SourceChanged(SourceUnavailable):
    """Where events come from is another than it was, such as a topic created again."""


class TargetUnavailable(HeadwaterError):
    """Where events are published to does not answer, or not as it should.

    `retry_after` is how many seconds it asks to be left alone, if it does.
    """

    def __init__(self, target: str, reason: str, retry_after: float | None = None) -> None:
        super().__init__(f"{target}: {reason}")
        self.target = target
        self.reason = reason
        self.retry_after = retry_after


class Busy(HeadwaterError):
    """Another process does what only one can do at a time."""


class PackagesUnavailable(SparkUnavailable):
    """Jars that Spark needs are not here and cannot be fetched from where they should be."""

    def __init__(self, packages: Iterable[str], origin: str, reason: str) -> None:
        self.packages = list(packages)
        super().__init__(
            f"{', '.join(self.packages)} cannot be fetched from {origin}: {reason}; "
            "check the network and the version; a mirror can be set in Maven's settings.xml or in "
            "DEFAULT_ARTIFACT_REPOSITORY"
        )


class StoreTooNew(HeadwaterError):
    """The store was made by a newer version of Headwater."""


class ServerUnreachable(HeadwaterError):
    """No server answers at a URL."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"no answer from {url}: {reason}; is it running (`headwater serve`), "
            "and is --server or HEADWATER_URL right?"
        )
        self.url = url
        self.reason = reason


class ServerRefused(HeadwaterError):
    """A server answered with an error that another try will not change."""

    def __init__(self, url: str, status: int, reason: str) -> None:
        super().__init__(f"{url} answered {status}: {reason}{_NEXT_STEPS.get(status, '')}")
        self.url = url
        self.status = status
        self.reason = reason


_NEXT_STEPS = {
    401: "; put an API key into HEADWATER_API_KEY",
    403: "; the key in HEADWATER_API_KEY may not do this",
    404: "; is this the address of a Headwater server?",
    429: "; try again later",
    503: "; try again later",
}


class NotInstalled(HeadwaterError):
    """A program that a command needs is missing; `remedy` is how to install it."""

    def __init__(self, program: str, remedy: str) -> None:
        super().__init__(f"{program} is not installed; {remedy}")
        self.program = program
        self.remedy = remedy


class BackupFailed(HeadwaterError):
    """A backup that could not be made, or cannot be restored to the requested place."""


class BadConfig(HeadwaterError):
    """A setting that cannot be used."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"setting '{key}': {reason}")
        self.key = key
        self.reason = reason


class BadSecret(HeadwaterError):
    """An environment variable that should hold a secret and does not; its value is not shown."""

    def __init__(self, variable: str, reason: str) -> None:
        super().__init__(f"environment variable {variable} {reason}")
        self.variable = variable
        self.reason = reason
