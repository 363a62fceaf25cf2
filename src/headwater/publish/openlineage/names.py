"""Namespaces that a target calls otherwise, replaced in events wherever they stand."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class NamespaceRewrite(NamedTuple):
    """A namespace and what it becomes; with `is_prefix` what follows it is kept."""

    old: str
    new: str
    is_prefix: bool

    def apply(self, namespace: str) -> str | None:
        """What a namespace becomes; None where this is not about it."""
        if self.is_prefix and namespace.startswith(self.old):
            return self.new + namespace.removeprefix(self.old)
        return self.new if namespace == self.old else None


def read_rewrite(text: str) -> NamespaceRewrite:
    """Read `OLD=NEW` or `OLD*=NEW`; raises ValueError."""
    old, sign, new = text.partition("=")
    if not sign or not old.rstrip("*") or not new or "*" in new or "*" in old[:-1]:
        raise ValueError(f"'{text}' is not OLD=NEW, with at most one * at the end of OLD")
    return NamespaceRewrite(old.rstrip("*"), new, old.endswith("*"))


def rewrite_namespace(namespace: str, rewrites: Sequence[NamespaceRewrite]) -> str:
    for rewrite in rewrites:
        found = rewrite.apply(namespace)
        if found is not None:
            return found
    return namespace


def rewrite_namespaces(value: Any, rewrites: Sequence[NamespaceRewrite]) -> Any:
    """The same JSON with other namespaces: those of jobs and datasets, and in every facet."""
    if isinstance(value, list):
        return [rewrite_namespaces(each, rewrites) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: rewrite_namespace(inner, rewrites)
        if key == "namespace" and isinstance(inner, str)
        else rewrite_namespaces(inner, rewrites)
        for key, inner in value.items()
    }
