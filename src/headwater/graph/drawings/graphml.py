"""A drawing as GraphML, for yEd, Gephi, NetworkX and their like."""

from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from headwater.graph.drawings.drawing import Drawing, Line, Shape, replace_unprintable, tidy

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<graphml xmlns="{_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    f' xsi:schemaLocation="{_NAMESPACE} {_NAMESPACE}/1.0/graphml.xsd">'
)


class _Key(NamedTuple):
    """A declared attribute; what is not written has the default: empty, or false."""

    owner: str
    name: str
    type: str = "string"

    @property
    def id(self) -> str:
        return f"{self.owner}_{self.name}"


_TRUNCATED = _Key("graph", "truncated", "boolean")
# `id` names the element itself in GraphML, and must be a token there; a node's own id is data.
_NODE_KEYS = (
    _Key("node", "node_id"),
    *(_Key("node", name) for name in Shape._fields[1:]),
    _Key("node", "is_focus", "boolean"),
)
_EDGE_KEYS = (
    _Key("edge", "kind"),
    _Key("edge", "job"),
    _Key("edge", "transformations"),
    _Key("edge", "is_indirect", "boolean"),
    _Key("edge", "is_assumed", "boolean"),
    _Key("edge", "via"),
)


def write_graphml(drawing: Drawing) -> str:
    """Write one directed graph; its nodes are `n0`, `n1`... in the order of their ids."""
    drawing = tidy(drawing)
    names = {shape.id: f"n{number}" for number, shape in enumerate(drawing.shapes)}
    focus = set(drawing.focus)
    rows = [_HEAD]
    rows += [_write_key(key) for key in (_TRUNCATED, *_NODE_KEYS, *_EDGE_KEYS)]
    rows.append('  <graph id="lineage" edgedefault="directed">')
    rows += _write_data(_TRUNCATED, "true" if drawing.is_cut else "false", "    ")
    for shape in drawing.shapes:
        rows += _write_node(shape, names[shape.id], shape.id in focus)
    for number, line in enumerate(drawing.lines):
        rows += _write_edge(line, number, names)
    return "\n".join([*rows, "  </graph>", "</graphml>", ""])


def _write_key(key: _Key) -> str:
    start = f'  <key id="{key.id}" for="{key.owner}" attr.name="{key.name}" attr.type="{key.type}"'
    if key.type == "boolean":
        return f"{start}><default>false</default></key>"
    return f"{start}/>"


def _write_node(shape: Shape, name: str, is_focus: bool) -> Iterator[str]:
    yield f"    <node id={quoteattr(name)}>"
    yield from _write_values(_NODE_KEYS, (*shape, is_focus))
    yield "    </node>"


def _write_edge(line: Line, number: int, names: dict[str, str]) -> Iterator[str]:
    source, target = names[line.origin], names[line.destination]
    yield f'    <edge id="e{number}" source={quoteattr(source)} target={quoteattr(target)}>'
    yield from _write_values(_EDGE_KEYS, line[2:])
    yield "    </edge>"


def _write_values(keys: tuple[_Key, ...], values: tuple[str | bool, ...]) -> Iterator[str]:
    for key, value in zip(keys, values, strict=True):
        if value:
            yield from _write_data(key, "true" if value is True else str(value), "      ")


def _write_data(key: _Key, text: str, indent: str) -> Iterator[str]:
    # A parser makes a newline of a carriage return that is not written as a reference.
    escaped = escape(replace_unprintable(text), {"\r": "&#13;"})
    yield f'{indent}<data key="{key.id}">{escaped}</data>'
