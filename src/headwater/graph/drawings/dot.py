"""A drawing in Graphviz's DOT language.

Nodes keep their ids, so that other tools find them again; a label is made to be read.
"""

import re
from collections.abc import Iterator

from headwater.graph.drawings.drawing import (
    DATASET,
    DATASET_FIELD,
    JOB,
    Drawing,
    Line,
    Shape,
    label_cluster,
    label_shape,
    lay_out,
    replace_unprintable,
    tidy,
)

CUT = "Incomplete: some nodes are not drawn."

_SHAPES = {DATASET: "cylinder", JOB: "box", DATASET_FIELD: "ellipse"}
_LINES = {"past": {"style": "dashed"}, "succession": {"style": "dotted"}}
_INDIRECT = {"style": "dashed", "color": "gray50"}

_BREAK = re.compile("\r\n?|\n")
# Of an id Graphviz makes the title in SVG, and takes what looks like an entity there for one.
_UNSAFE_IN_ID = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]|&(?=#?\w*;)")


def write_dot(drawing: Drawing) -> str:
    """Write a digraph from left to right."""
    drawing = tidy(drawing)
    focus = set(drawing.focus)
    layout = lay_out(drawing.shapes)
    rows = ["digraph lineage {", "  rankdir=LR;"]
    for number, members in enumerate(layout.clusters):
        rows += _write_cluster(number, members, focus)
    rows += [f"  {_write_shape(shape, focus)}" for shape in layout.others]
    rows += [f"  {_write_line(line)}" for line in drawing.lines]
    if drawing.is_cut:
        # At the end, for clusters take over what the graph says before them.
        rows.append(f"  label={_quote(CUT)};")
    return "\n".join([*rows, "}", ""])


def _write_cluster(number: int, members: tuple[Shape, ...], focus: set[str]) -> Iterator[str]:
    yield f'  subgraph "cluster_{number}" {{'
    yield f"    label={_quote_label(label_cluster(members[0]))};"
    for shape in members:
        yield f"    {_write_shape(shape, focus)}"
    yield "  }"


def _write_shape(shape: Shape, focus: set[str]) -> str:
    attributes = {
        "label": _quote_label(label_shape(shape)),
        "shape": _SHAPES.get(shape.type, "box"),
    }
    if shape.is_failed:
        attributes["color"] = "red"
    if shape.id in focus:
        attributes["style"] = "bold"
    return f"{_quote_id(shape.id)} {_write_attributes(attributes)};"


def _write_line(line: Line) -> str:
    attributes = dict(_INDIRECT if line.is_indirect else _LINES.get(line.kind, {}))
    about = (line.job, line.transformations, "assumed" if line.is_assumed else "")
    if any(about):
        attributes["tooltip"] = _quote_label(tuple(filter(None, about)))
    ends = f"{_quote_id(line.origin)} -> {_quote_id(line.destination)}"
    return f"{ends} {_write_attributes(attributes)};" if attributes else f"{ends};"


def _write_attributes(attributes: dict[str, str]) -> str:
    return f"[{', '.join(f'{name}={value}' for name, value in attributes.items())}]"


def _quote_id(id: str) -> str:
    """Quote an id so that no two become one: what cannot stand is written as an escape.

    In an id Graphviz reads only `\\"`, and leaves other backslashes as they are.
    """
    escaped = id.replace("\\", "\\\\")
    return _quote(_UNSAFE_IN_ID.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped))


def _quote_label(lines: tuple[str, ...]) -> str:
    """Quote text that Graphviz reads for backslash sequences and for HTML's entities."""
    return _quote("\\n".join(_escape_text(line) for line in lines))


def _escape_text(text: str) -> str:
    escaped = replace_unprintable(text).replace("\\", "\\\\").replace("&", "&amp;")
    return _BREAK.sub(r"\\n", escaped)


def _quote(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'
