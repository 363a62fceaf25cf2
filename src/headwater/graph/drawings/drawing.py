"""A lineage graph to be drawn or exported: shapes, lines, and what every format asks of them."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from headwater.model.run_states import FAILED

DATASET = "DATASET"
JOB = "JOB"
DATASET_FIELD = "DATASET_FIELD"

# A picture is not read by its longest name; the formats that are data keep names whole.
LONGEST_LABEL = 120

_TYPES = {"dataset": DATASET, "job": JOB, "datasetField": DATASET_FIELD}
# All but the characters of XML 1.0 (https://www.w3.org/TR/xml/#charsets).
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# XML holds them, but in HTML their numbers stand for other characters.
_CONTROLS = re.compile("[\x7f-\x9f]")


class Shape(NamedTuple):
    """A node: `id` is a node id such as `job:ns:name`; `field` is set for a dataset's column."""

    id: str
    type: str
    namespace: str
    name: str
    field: str = ""
    system: str = ""
    state: str = ""
    gaps: str = ""
    """What was not recognised of a job, in words."""

    @property
    def is_column(self) -> bool:
        return self.type == DATASET_FIELD

    @property
    def is_failed(self) -> bool:
        return self.type == JOB and self.state == FAILED


class Line(NamedTuple):
    """An edge between two node ids; `job` and `transformations` are set between columns."""

    origin: str
    destination: str
    kind: str
    job: str = ""
    transformations: str = ""
    is_indirect: bool = False
    is_assumed: bool = False
    via: str = ""

    def as_json(self) -> dict[str, str | bool]:
        return {
            "origin": self.origin,
            "destination": self.destination,
            "kind": self.kind,
            "job": self.job,
            "transformations": self.transformations,
            "isIndirect": self.is_indirect,
            "isAssumed": self.is_assumed,
            "via": self.via,
        }


class Drawing(NamedTuple):
    """What is to be drawn; `focus` are the ids that were requested."""

    shapes: tuple[Shape, ...]
    lines: tuple[Line, ...]
    focus: tuple[str, ...] = ()
    is_cut: bool = False
    is_incomplete: bool = False


class Layout(NamedTuple):
    """Shapes by where they are drawn: the columns of a dataset, and it, together."""

    clusters: tuple[tuple[Shape, ...], ...]
    others: tuple[Shape, ...]


def tidy(drawing: Drawing) -> Drawing:
    """Sort and drop what is there twice; an end of a line without a shape gets one."""
    lines = sorted(set(drawing.lines))
    shapes = {shape.id: shape for shape in sorted(drawing.shapes, reverse=True)}
    for id in _ends(lines):
        if id not in shapes:
            shapes[id] = _shape_of_id(id)
    return Drawing(
        tuple(sorted(shapes.values())),
        tuple(lines),
        tuple(sorted(set(drawing.focus))),
        drawing.is_cut,
        drawing.is_incomplete,
    )


def find_isolated(drawing: Drawing) -> tuple[Shape, ...]:
    """The shapes that no line touches."""
    touched = set(_ends(drawing.lines))
    return tuple(shape for shape in drawing.shapes if shape.id not in touched)


def lay_out(shapes: Iterable[Shape]) -> Layout:
    """Gather the datasets of which columns are drawn; all else stands by itself."""
    columns: dict[tuple[str, str], list[Shape]] = defaultdict(list)
    others = []
    shapes = tuple(shapes)
    for shape in shapes:
        if shape.is_column:
            columns[shape.namespace, shape.name].append(shape)
    for shape in shapes:
        if shape.is_column:
            continue
        if shape.type == DATASET and (shape.namespace, shape.name) in columns:
            columns[shape.namespace, shape.name].append(shape)
        else:
            others.append(shape)
    return Layout(tuple(tuple(columns[key]) for key in sorted(columns)), tuple(others))


def label_shape(shape: Shape) -> tuple[str, ...]:
    """The lines of a shape's label, never without a line; its cluster says a column's dataset."""
    if shape.is_column:
        return _fit((shape.field or shape.name,)) or _fit((shape.id,)) or ("?",)
    about = ", ".join(filter(None, (shape.system, shape.state)))
    return _fit((shape.name, shape.namespace, about, shape.gaps)) or _fit((shape.id,)) or ("?",)


def label_cluster(member: Shape) -> tuple[str, ...]:
    """The lines of the label of a cluster, from any shape in it."""
    return _fit((member.name, member.namespace)) or ("?",)


def replace_unprintable(text: str) -> str:
    """Put U+FFFD for control characters and whatever else XML 1.0 cannot hold."""
    return _UNPRINTABLE.sub("\ufffd", text)


def _fit(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(_shorten(_clean(line)) for line in lines if line.strip())


def _clean(text: str) -> str:
    return _CONTROLS.sub("\ufffd", replace_unprintable(text))


def _shorten(text: str) -> str:
    """Leave out the middle: names differ most at their ends."""
    if len(text) <= LONGEST_LABEL:
        return text
    half = LONGEST_LABEL // 2
    return f"{text[:half]}\u2026{text[1 - half :]}"


def _ends(lines: Iterable[Line]) -> Iterable[str]:
    for line in lines:
        yield line.origin
        yield line.destination


def _shape_of_id(id: str) -> Shape:
    """As much as an id tells: where its namespace ends cannot be seen."""
    prefix, _, rest = id.partition(":")
    return Shape(id, _TYPES.get(prefix, DATASET), "", rest or id)
