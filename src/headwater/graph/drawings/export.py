"""The formats a lineage graph is exported in, by name; each is a pure function of a drawing."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from typing import NamedTuple

from headwater.graph.drawings.dot import write_dot
from headwater.graph.drawings.drawing import (
    Drawing,
    Line,
    Shape,
    find_isolated,
    replace_unprintable,
    tidy,
)
from headwater.graph.drawings.graphml import write_graphml
from headwater.graph.drawings.mermaid import write_mermaid

_END = ("type", "namespace", "name", "field")
CSV_COLUMNS = (
    *(f"origin_{name}" for name in _END),
    *(f"destination_{name}" for name in _END),
    "kind",
    "job",
    "transformations",
    "is_indirect",
    "is_assumed",
    "via",
)

# What makes a spreadsheet read a cell as a formula, after https://owasp.org's "CSV Injection";
# and the guard itself, so that a reader who takes one leading apostrophe off has what was written.
_GUARDED = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20", "'")


class ExportFormat(NamedTuple):
    """How a drawing is written, and what that is called on the wire."""

    media_type: str
    write: Callable[[Drawing], str]


def write_csv(drawing: Drawing) -> str:
    """Write a row for each edge, then one without a destination for each node that has none.

    A cell that a spreadsheet could take for a formula has an apostrophe before it, as has one that
    begins with an apostrophe; characters that cannot be printed are U+FFFD.
    """
    drawing = tidy(drawing)
    shapes = {shape.id: shape for shape in drawing.shapes}
    target = StringIO()
    writer = csv.writer(target)
    writer.writerow(CSV_COLUMNS)
    for line in drawing.lines:
        ends = (*_end(shapes[line.origin]), *_end(shapes[line.destination]))
        writer.writerow(guard_cell(cell) for cell in (*ends, *_about(line)))
    nothing = ("",) * (len(CSV_COLUMNS) - len(_END))
    for shape in find_isolated(drawing):
        writer.writerow(guard_cell(cell) for cell in (*_end(shape), *nothing))
    return target.getvalue()


def write_json(drawing: Drawing) -> str:
    """Write nodes and edges as two lists, every value as it is."""
    drawing = tidy(drawing)
    content = {
        "nodes": [shape._asdict() for shape in drawing.shapes],
        "edges": [line.as_json() for line in drawing.lines],
        "focus": drawing.focus,
        "truncated": drawing.is_cut,
        "incomplete": drawing.is_incomplete,
    }
    # In ASCII, for half of a surrogate pair has no UTF-8.
    return json.dumps(content, indent=2) + "\n"


FORMATS: dict[str, ExportFormat] = {
    "csv": ExportFormat("text/csv", write_csv),
    "dot": ExportFormat("text/vnd.graphviz", write_dot),
    "graphml": ExportFormat("application/graphml+xml", write_graphml),
    "json": ExportFormat("application/json", write_json),
    "mermaid": ExportFormat("text/vnd.mermaid", write_mermaid),
}


def _end(shape: Shape) -> tuple[str, ...]:
    return shape.type, shape.namespace, shape.name, shape.field


def _about(line: Line) -> tuple[str, ...]:
    flags = ("true" if flag else "false" for flag in (line.is_indirect, line.is_assumed))
    return line.kind, line.job, line.transformations, *flags, line.via


def guard_cell(cell: str) -> str:
    """A cell of CSV that no spreadsheet takes for a formula."""
    text = replace_unprintable(cell)
    return f"'{text}" if text.startswith(_GUARDED) else text
