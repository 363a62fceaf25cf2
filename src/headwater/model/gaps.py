"""What a producer did not understand of a job: parts of a plan or query without lineage.

Headwater's own facet is `headwater_gaps`; some others say the same in their way.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from headwater.model import facets
from headwater.model.values.json_text import storable

# The facet that lists gaps with their kinds; where it is present, older facets of the same
# producer say nothing more.
GAPS = "headwater_gaps"
# Facets with a list of names under `gaps`, by earlier versions of `headwater.spark`.
_LISTS_OF_NAMES = ("spark_stream", "spark_plan")
# OpenLineage's own: what an integration failed to read, such as SQL.
_EXTRACTION_ERROR = "extractionError"
GAP_FACETS = frozenset((GAPS, *_LISTS_OF_NAMES, _EXTRACTION_ERROR))

KINDS = ("input", "output", "operator", "expression", "other")
_NOUNS = dict(zip(KINDS, ("input", "output", "operator", "expression", "part"), strict=True))
_MOST_GAPS = 200
_LONGEST_NAME = 200
_LONGEST_DESCRIPTION = 500


class Gap(NamedTuple):
    """One thing that was not understood, and how often it occurred."""

    kind: str
    name: str
    times: int = 1
    description: str = ""


Gaps = tuple[Gap, ...]


class GapFacet(msgspec.Struct, gc=False):
    """An entry of a list of gaps; a bare name in the facets of earlier versions."""

    name: str
    kind: str = "other"
    description: str | None = None
    count: int = 1


class _GapsFacet(msgspec.Struct, gc=False):
    gaps: list[GapFacet | str] | None = None


class _ExtractionFailure(msgspec.Struct, gc=False):
    errorMessage: str = ""


class _ExtractionErrors(msgspec.Struct, gc=False):
    failedTasks: int | None = None
    errors: list[_ExtractionFailure] | None = None


_GAPS_DECODER = facets.decoder(_GapsFacet)
_ERRORS_DECODER = facets.decoder(_ExtractionErrors)
_STORED_DECODER = msgspec.json.Decoder(list[GapFacet])


def read_gap_list(body: bytes) -> Gaps | None:
    """Read a facet that lists gaps; None where it states nothing about them."""
    found: _GapsFacet | None = facets.read(_GAPS_DECODER, body)
    if found is None or found.gaps is None:
        return None
    return merge_gaps(_gap(entry) for entry in found.gaps)


def read_extraction_errors(body: bytes) -> Gaps | None:
    """Read OpenLineage's extractionError facet."""
    found: _ExtractionErrors | None = facets.read(_ERRORS_DECODER, body)
    if found is None or (found.errors is None and found.failedTasks is None):
        return None
    failures = found.errors or []
    unnamed = max(0, (found.failedTasks or 0) - len(failures))
    gaps = [Gap("other", _EXTRACTION_ERROR, 1, failure.errorMessage) for failure in failures]
    return merge_gaps([*gaps, Gap("other", _EXTRACTION_ERROR, unnamed)])


def combine_gaps(stated: dict[str, Gaps | None]) -> Gaps | None:
    """The gaps that the facets of one event state together; None where none says anything."""
    chosen = [GAPS] if stated.get(GAPS) is not None else [*_LISTS_OF_NAMES]
    lists = [
        some for name in (*chosen, _EXTRACTION_ERROR) if (some := stated.get(name)) is not None
    ]
    return merge_gaps(gap for some in lists for gap in some) if lists else None


def merge_gaps(gaps: Iterable[Gap]) -> Gaps:
    """One gap for each kind and name, in a fixed order; the first description counts."""
    counts: Counter[tuple[str, str]] = Counter()
    descriptions: dict[tuple[str, str], str] = {}
    for gap in gaps:
        kind = gap.kind if gap.kind in _NOUNS else "other"
        key = (kind, storable(gap.name)[:_LONGEST_NAME])
        if gap.times > 0:
            counts[key] += gap.times
        if gap.description and key not in descriptions:
            descriptions[key] = storable(gap.description)[:_LONGEST_DESCRIPTION]
    order = sorted(counts, key=lambda key: (KINDS.index(key[0]), key[1]))
    found = [Gap(*key, counts[key], descriptions.get(key, "")) for key in order]
    if len(found) <= _MOST_GAPS:
        return tuple(found)
    beyond = sum(gap.times for gap in found[_MOST_GAPS:])
    return (*found[:_MOST_GAPS], Gap("other", f"{len(found) - _MOST_GAPS} more", beyond))


def merge_lists(one: Gaps, other: Gaps) -> Gaps:
    """The gaps of either of two lists; what is in both is the same thing, seen twice."""
    found = {gap[:2]: gap for gap in one}
    for gap in other:
        known = found.get(gap[:2])
        if known is None or gap.times > known.times:
            found[gap[:2]] = gap
    return merge_gaps(found.values())


def encode_gaps(gaps: Gaps) -> bytes:
    """Gaps as content of a store."""
    return msgspec.json.encode(
        [GapFacet(gap.name, gap.kind, gap.description or None, gap.times) for gap in gaps]
    )


def decode_gaps(body: bytes) -> Gaps:
    try:
        stored = _STORED_DECODER.decode(body)
    except msgspec.DecodeError:
        return ()
    return tuple(Gap(gap.kind, gap.name, gap.count, gap.description or "") for gap in stored)


def describe_gaps(gaps: Iterable[Gap]) -> str:
    """A sentence, as `2 inputs not recognised: LogicalRDD; 1 operator not recognised: Generate`."""
    by_kind: dict[str, list[Gap]] = {}
    for gap in merge_gaps(gaps):
        by_kind.setdefault(gap.kind, []).append(gap)
    return "; ".join(_describe_kind(kind, some) for kind, some in by_kind.items())


def _describe_kind(kind: str, gaps: list[Gap]) -> str:
    count = sum(gap.times for gap in gaps)
    names = ", ".join(gap.name for gap in gaps)
    return f"{count:,} {_NOUNS[kind]}{'s' if count > 1 else ''} not recognised: {names}"


def _gap(entry: GapFacet | str) -> Gap:
    if isinstance(entry, str):
        return Gap(*_kind_of(entry))
    return Gap(entry.kind, entry.name, max(1, entry.count), entry.description or "")


def _kind_of(name: str) -> tuple[str, str]:
    """The kind that a bare name is of: earlier versions wrote `source X` and `sink X`."""
    word, _, rest = name.partition(" ")
    if word in ("source", "sink") and rest:
        return ("input" if word == "source" else "output"), rest
    return ("operator", name) if name.isidentifier() else ("other", name)


READERS: dict[str, Any] = {
    GAPS: read_gap_list,
    **dict.fromkeys(_LISTS_OF_NAMES, read_gap_list),
    _EXTRACTION_ERROR: read_extraction_errors,
}
