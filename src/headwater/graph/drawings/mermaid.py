"""A drawing as a Mermaid flowchart, for Markdown that renders it.

A renderer's default limits are 500 edges and 50,000 characters: the reader's to raise, not ours.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

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
    tidy,
)

CUT = "%% Incomplete: some nodes are not drawn."

_FRAMES = {DATASET: ("[(", ")]"), JOB: ("[", "]"), DATASET_FIELD: ("([", "])")}
_CLASSES = {
    "dataset": "fill:#eef4fb,stroke:#456",
    "job": "fill:#fff,stroke:#456",
    "column": "fill:#fff,stroke:#456",
    "failed": "stroke:#d00,stroke-width:2px",
    "focus": "stroke-width:4px,font-weight:bold",
}
_CLASS_OF = {DATASET: "dataset", JOB: "job", DATASET_FIELD: "column"}
_STYLES = {
    "indirect": "stroke:#888,stroke-dasharray:6 4",
    "past": "stroke-dasharray:6 4",
    "succession": "stroke-dasharray:2 4",
}

_ENTITIES = {'"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;"}
# Within a word they are no Markdown, which some versions read in every label.
_JOINER = re.compile(r"(?<=[^\W_])[._-](?=[^\W_])")
# Mermaid looks for `direction TB` in quoted text also; Markdown makes links of `www.`.
_TRAP = re.compile("direction|www", re.IGNORECASE)


def write_mermaid(drawing: Drawing) -> str:
    """Write a flowchart from left to right, its nodes `n0`, `n1`... in the order of their ids."""
    drawing = tidy(drawing)
    names = {shape.id: f"n{number}" for number, shape in enumerate(drawing.shapes)}
    layout = lay_out(drawing.shapes)
    rows = ["flowchart LR"]
    if drawing.is_cut:
        rows.append(f"  {CUT}")
    for number, members in enumerate(layout.clusters):
        rows += _write_cluster(number, members, names)
    rows += [f"  {_write_shape(shape, names)}" for shape in layout.others]
    rows += [_write_line(line, names) for line in drawing.lines]
    rows += _write_classes(drawing, names)
    rows += _write_styles(drawing.lines)
    return "\n".join([*rows, ""])


def _write_cluster(
    number: int, members: tuple[Shape, ...], names: Mapping[str, str]
) -> Iterator[str]:
    yield f"  subgraph c{number}[{_quote(label_cluster(members[0]))}]"
    for shape in members:
        yield f"    {_write_shape(shape, names)}"
    yield "  end"


def _write_shape(shape: Shape, names: Mapping[str, str]) -> str:
    before, after = _FRAMES.get(shape.type, _FRAMES[JOB])
    return f"{names[shape.id]}{before}{_quote(label_shape(shape))}{after}"


def _write_line(line: Line, names: Mapping[str, str]) -> str:
    return f"  {names[line.origin]} --> {names[line.destination]}"


def _write_classes(drawing: Drawing, names: Mapping[str, str]) -> Iterator[str]:
    members: dict[str, list[str]] = defaultdict(list)
    focus = set(drawing.focus)
    for shape in drawing.shapes:
        members[_CLASS_OF.get(shape.type, "job")].append(names[shape.id])
        if shape.is_failed:
            members["failed"].append(names[shape.id])
        if shape.id in focus:
            members["focus"].append(names[shape.id])
    for name, style in _CLASSES.items():
        if name in members:
            yield f"  classDef {name} {style}"
            yield f"  class {','.join(members[name])} {name}"


def _write_styles(lines: Iterable[Line]) -> Iterator[str]:
    """Style lines by their number, which every version of Mermaid can; classes of lines are new."""
    numbers: dict[str, list[str]] = defaultdict(list)
    for number, line in enumerate(lines):
        numbers["indirect" if line.is_indirect else line.kind].append(str(number))
    for name, style in _STYLES.items():
        if name in numbers:
            yield f"  linkStyle {','.join(numbers[name])} {style}"


def _quote(lines: tuple[str, ...]) -> str:
    return f'"{"<br/>".join(_escape(line) for line in lines)}"'


def _escape(text: str) -> str:
    """Write as entities all but letters, digits, spaces and slashes.

    So nothing in a name can be a quote, a tag, a directive, an icon, a formula or Markdown.
    """
    joiners = {found.start() for found in _JOINER.finditer(text)}
    trapped = {found.start() for found in _TRAP.finditer(text)}
    return "".join(
        character
        if (character.isalnum() or character in " /" or place in joiners) and place not in trapped
        else _ENTITIES.get(character, f"#{ord(character)};")
        for place, character in enumerate(text)
    )
