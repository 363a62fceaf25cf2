"""What collectors and publishers share: how they are found, loaded and checked.

An entry of Headwater's own is one line in a dictionary; one of another package is an entry point.
Neither is imported before it is used, so that nobody needs the libraries of systems they do not
have.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from headwater.errors import HeadwaterError, NotFound, NotInstalled
from headwater.extras import install_line


class CheckStep(NamedTuple):
    """One thing that must be so before work can begin; `next_step` says what to do if it is not."""

    name: str
    is_ok: bool
    detail: str
    next_step: str = ""


class Entry(NamedTuple):
    """An entry of Headwater's own: its class as `module:name`, and the extra that it needs."""

    target: str
    summary: str
    extra: str = ""


class Listed(NamedTuple):
    """An entry as it is listed, with the package that brings it."""

    name: str
    summary: str
    package: str


class Registry:
    """The entries of one kind by their names; Headwater's own win over those of others.

    `reserved` are names that no entry can have: those of commands beside them.
    """

    def __init__(
        self, kind: str, group: str, own: Mapping[str, Entry], reserved: Sequence[str] = ()
    ) -> None:
        self.kind = kind
        self.group = group
        self.own = own
        self.reserved = reserved

    @cached_property
    def _others(self) -> dict[str, EntryPoint]:
        found = sorted(entry_points(group=self.group), key=lambda point: point.name)
        return {point.name: point for point in found if point.name not in self.own}

    def entries(self) -> Iterator[Listed]:
        """Every entry, without importing any."""
        for name, entry in self.own.items():
            yield Listed(name, entry.summary, "headwater")
        for name, point in self._others.items():
            if name in self.reserved:
                yield Listed(name, self._is_reserved(name), _package(point))
                continue
            summary = str(point.dist.metadata["Summary"] or "") if point.dist else ""
            yield Listed(name, summary, _package(point))

    def _is_reserved(self, name: str) -> str:
        command = f"`headwater {self.kind.removesuffix('er')} {name}`"
        return f"cannot be used: {command} is a command; the package must name it otherwise"

    def names(self) -> list[str]:
        """Those that can be used."""
        return [*self.own, *(name for name in self._others if name not in self.reserved)]

    def load(self, name: str) -> Any:
        """Import the class of an entry."""
        if name in self.own:
            return self._load_own(name, self.own[name])
        if name in self._others and name not in self.reserved:
            return self._load_other(name, self._others[name])
        raise NotFound(self.kind, name, self.names())

    def _load_own(self, name: str, entry: Entry) -> Any:
        module, _, attribute = entry.target.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if not entry.extra or _is_ours(error):
                raise
            raise NotInstalled(
                f"'{error.name}', which {self.kind} '{name}' needs,",
                install_line(entry.extra),
            ) from None

    def _load_other(self, name: str, point: EntryPoint) -> Any:
        package = _package(point)
        try:
            return point.load()
        except ModuleNotFoundError as error:
            raise NotInstalled(
                f"'{error.name}', which {self.kind} '{name}' of package '{package}' needs,",
                f"see how '{package}' is installed",
            ) from None
        except Exception as error:
            # Whatever a stranger's package does when it is imported, a user gets one line.
            reason = f"{type(error).__name__}: {error}"
            raise HeadwaterError(
                f"{self.kind} '{name}' of package '{package}' cannot be loaded: {reason}"
            ) from error


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _is_ours(error: ModuleNotFoundError) -> bool:
    return (error.name or "").partition(".")[0] == "headwater"
