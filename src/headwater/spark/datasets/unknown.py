"""Gaps: a source or a sink that is not recognised, by its class and its options without secrets."""

import re

from headwater.emit.gaps import GapEntry


def unknown_input(kind: str, options: str = "") -> GapEntry:
    """What is read; `kind` is a class, with what it calls itself behind it."""
    return GapEntry("input", _short(kind), f"{_whole(kind, options)} is read, and not recognised.")


def unknown_output(kind: str, options: str = "") -> GapEntry:
    """What is written to."""
    whole = _whole(kind, options)
    return GapEntry("output", _short(kind), f"{whole} is written to, and not recognised.")


def _short(kind: str) -> str:
    return re.split(r"[.$]", kind.split()[0].rstrip("$"))[-1]


def _whole(kind: str, options: str) -> str:
    return f"{kind} ({options})" if options else kind
