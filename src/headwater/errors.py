"""Every error Headwater raises on purpose.

HeadwaterError
├── InvalidEvent        an event that cannot be used: where in it, and why
├── InvalidRequest      a parameter, header or body that cannot be used
│   ├── MethodNotAllowed
│   ├── BodyTooLarge
│   └── WrongContentType
├── NotFound            nothing of that name is known
├── NotStorable         the store refused an event for what it holds
├── StoreUnavailable    the store did not answer; the same call may work later
├── StoreTooNew         the store was made by a newer Headwater
└── BadConfig           a setting that cannot be used
"""


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


class WrongContentType(InvalidRequest):
    """A body that does not claim to be JSON, or is encoded in a way not spoken here."""


class NotFound(HeadwaterError):
    """Nothing of that kind and name is known."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"{kind} '{name}' not found")
        self.kind = kind
        self.name = name


class NotStorable(HeadwaterError):
    """The store refused an event for what it holds; another try would not help."""


class StoreUnavailable(HeadwaterError):
    """The store did not answer or refused to write; a later try may work."""


class StoreTooNew(HeadwaterError):
    """The store was made by a newer version of Headwater."""


class BadConfig(HeadwaterError):
    """A setting that cannot be used."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"setting '{key}': {reason}")
        self.key = key
        self.reason = reason
