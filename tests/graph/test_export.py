"""Exports of a lineage graph: read back as written, whatever the names are."""

import csv
import html
import json
import re
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from headwater.graph.drawings.drawing import (
    LONGEST_LABEL,
    Drawing,
    Line,
    Shape,
    label_shape,
    replace_unprintable,
    tidy,
)
from headwater.graph.drawings.export import CSV_COLUMNS, FORMATS

TYPES = {"DATASET": "dataset", "JOB": "job", "DATASET_FIELD": "datasetField"}
KINDS = ("observed", "declared", "past", "succession")
HOSTILE = (
    'say "hi"',
    'a\\"b\\',
    "\\N\\G",
    "two\nlines\r\nthree\r",
    "[x](y){z}|w",
    "\u00e9\u6f22\U0001f600\u2028",
    "<script>alert(1)</script>",
    "&lt;&amp;#quot;",
    "end",
    "x" * 2_000,
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "'=1",
    "\t=1",
    "\x00\x1b[31m\x85\ufffe\ud800",
    '%%{init: {"securityLevel": "loose"}}%%',
    "direction TB",
    'style:"#a;',
    "fa:fa-ban",
    "`md` **b** __init__",
    "1. one",
    '"]; n9 --> n0',
    "*/ // }",
    " ",
    "",
)

ORDERS = Shape("dataset:kafka://b:9092:orders", "DATASET", "kafka://b:9092", "orders", "", "kafka")
LOAD = Shape("job:etl:load", "JOB", "etl", "load", system="spark", state="FAILED")
LONE = Shape("job:etl:lone", "JOB", "etl", "lone", state="RUNNING")
ORDERS_ID = Shape("datasetField:k:o:id", "DATASET_FIELD", "k", "o", "id")
SALES_ID = Shape("datasetField:pg:sales:id", "DATASET_FIELD", "pg", "sales", "id")
SALES = Shape("dataset:pg:sales", "DATASET", "pg", "sales")
EXAMPLE = Drawing(
    (SALES, LOAD, ORDERS, LONE, ORDERS_ID, SALES_ID),
    (
        Line(LOAD.id, SALES.id, "past"),
        Line(ORDERS.id, LOAD.id, "observed"),
        Line(ORDERS.id, SALES.id, "succession"),
        Line(ORDERS_ID.id, SALES_ID.id, "observed", "load", "INDIRECT/FILTER", True, True),
    ),
    (LOAD.id,),
    True,
)

CSV = """\
origin_type,origin_namespace,origin_name,origin_field,\
destination_type,destination_namespace,destination_name,destination_field,\
kind,job,transformations,is_indirect,is_assumed,via
DATASET,kafka://b:9092,orders,,DATASET,pg,sales,,succession,,,false,false,
DATASET,kafka://b:9092,orders,,JOB,etl,load,,observed,,,false,false,
DATASET_FIELD,k,o,id,DATASET_FIELD,pg,sales,id,observed,load,INDIRECT/FILTER,true,true,
JOB,etl,load,,DATASET,pg,sales,,past,,,false,false,
JOB,etl,lone,,,,,,,,,,,
"""

DOT = r"""digraph lineage {
  rankdir=LR;
  subgraph "cluster_0" {
    label="o\nk";
    "datasetField:k:o:id" [label="id", shape=ellipse];
  }
  subgraph "cluster_1" {
    label="sales\npg";
    "datasetField:pg:sales:id" [label="id", shape=ellipse];
    "dataset:pg:sales" [label="sales\npg", shape=cylinder];
  }
  "dataset:kafka://b:9092:orders" [label="orders\nkafka://b:9092\nkafka", shape=cylinder];
  "job:etl:load" [label="load\netl\nspark, FAILED", shape=box, color=red, style=bold];
  "job:etl:lone" [label="lone\netl\nRUNNING", shape=box];
  "dataset:kafka://b:9092:orders" -> "dataset:pg:sales" [style=dotted];
  "dataset:kafka://b:9092:orders" -> "job:etl:load";
  "datasetField:k:o:id" -> "datasetField:pg:sales:id" [style=dashed, color=gray50, TOOLTIP];
  "job:etl:load" -> "dataset:pg:sales" [style=dashed];
  label="Incomplete: some nodes are not drawn.";
}
""".replace("TOOLTIP", r'tooltip="load\nINDIRECT/FILTER\nassumed"')

MERMAID = """\
flowchart LR
  %% Incomplete: some nodes are not drawn.
  subgraph c0["o<br/>k"]
    n2(["id"])
  end
  subgraph c1["sales<br/>pg"]
    n3(["id"])
    n1[("sales<br/>pg")]
  end
  n0[("orders<br/>kafka#58;//b#58;9092<br/>kafka")]
  n4["load<br/>etl<br/>spark#44; FAILED"]
  n5["lone<br/>etl<br/>RUNNING"]
  n0 --> n1
  n0 --> n4
  n2 --> n3
  n4 --> n1
  classDef dataset fill:#eef4fb,stroke:#456
  class n0,n1 dataset
  classDef job fill:#fff,stroke:#456
  class n4,n5 job
  classDef column fill:#fff,stroke:#456
  class n2,n3 column
  classDef failed stroke:#d00,stroke-width:2px
  class n4 failed
  classDef focus stroke-width:4px,font-weight:bold
  class n4 focus
  linkStyle 2 stroke:#888,stroke-dasharray:6 4
  linkStyle 3 stroke-dasharray:6 4
  linkStyle 0 stroke-dasharray:2 4
"""

GRAPHML = """\
  <graph id="lineage" edgedefault="directed">
    <data key="graph_truncated">true</data>
    <node id="n0">
      <data key="node_node_id">datasetField:k:o:id</data>
      <data key="node_type">DATASET_FIELD</data>
      <data key="node_namespace">k</data>
      <data key="node_name">o</data>
      <data key="node_field">id</data>
    </node>
    <node id="n1">
      <data key="node_node_id">job:etl:load</data>
      <data key="node_type">JOB</data>
      <data key="node_namespace">etl</data>
      <data key="node_name">load</data>
      <data key="node_system">spark</data>
      <data key="node_state">FAILED</data>
      <data key="node_is_focus">true</data>
    </node>
    <edge id="e0" source="n0" target="n1">
      <data key="edge_kind">declared</data>
      <data key="edge_job">a &lt;b&gt; &amp;&#13;</data>
      <data key="edge_transformations">INDIRECT/FILTER</data>
      <data key="edge_is_indirect">true</data>
    </edge>
  </graph>
</graphml>
"""


@st.composite
def drawings(draw: DrawFn) -> Drawing:
    names = st.sampled_from(HOSTILE) | st.text(st.characters(), max_size=20)
    shapes = []
    for type in draw(st.lists(st.sampled_from(list(TYPES)), min_size=1, max_size=6)):
        namespace, name = draw(names), draw(names)
        field = draw(names) if type == "DATASET_FIELD" else ""
        id = ":".join((TYPES[type], namespace, name, field))
        shapes.append(Shape(id, type, namespace, name, field, draw(names), draw(names)))
    ids = st.sampled_from([shape.id for shape in shapes])
    lines = st.builds(
        Line, ids, ids, st.sampled_from(KINDS), names, names, st.booleans(), st.booleans()
    )
    return Drawing(
        tuple(shapes),
        tuple(draw(st.lists(lines, max_size=6))),
        tuple(draw(st.lists(ids, max_size=2))),
        draw(st.booleans()),
    )


ALL_HOSTILE = Drawing(
    tuple(Shape(f"job:{name}:{name}", "JOB", name, name) for name in HOSTILE),
    tuple(Line(f"job:{name}:{name}", "job:end:end", "past", name, name) for name in HOSTILE),
)


def write(format: str, drawing: Drawing) -> str:
    text = FORMATS[format].write(drawing)
    text.encode()
    return text


def test_csv_golden() -> None:
    assert write("csv", EXAMPLE) == CSV.replace("\n", "\r\n")


def test_dot_golden() -> None:
    assert write("dot", EXAMPLE) == DOT


def test_mermaid_golden() -> None:
    assert write("mermaid", EXAMPLE) == MERMAID


def test_graphml_golden() -> None:
    line = Line(ORDERS_ID.id, LOAD.id, "declared", "a <b> &\r", "INDIRECT/FILTER", True)
    written = write("graphml", Drawing((LOAD, ORDERS_ID), (line,), (LOAD.id,), True))
    assert written[written.index("  <graph ") :] == GRAPHML
    assert '<key id="node_name" for="node" attr.name="name" attr.type="string"/>' in written


def test_json_golden() -> None:
    content = json.loads(write("json", Drawing((LOAD,), (), (LOAD.id,))))
    assert content == {
        "nodes": [
            {
                "id": "job:etl:load",
                "type": "JOB",
                "namespace": "etl",
                "name": "load",
                "field": "",
                "system": "spark",
                "state": "FAILED",
                "gaps": "",
            }
        ],
        "edges": [],
        "focus": ["job:etl:load"],
        "truncated": False,
        "incomplete": False,
    }


@pytest.mark.parametrize("format", FORMATS)
def test_order_and_repetition_do_not_matter(format: str) -> None:
    turned = Drawing(EXAMPLE.shapes[::-1] * 2, EXAMPLE.lines[::-1] * 2, EXAMPLE.focus * 2, True)
    assert write(format, turned) == write(format, EXAMPLE)


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_is_a_graph(format: str) -> None:
    assert write(format, Drawing((), ()))


@pytest.mark.parametrize("format", ["dot", "mermaid"])
def test_what_is_whole_is_not_called_cut_short(format: str) -> None:
    assert "Incomplete" in write(format, EXAMPLE)
    assert "Incomplete" not in write(format, EXAMPLE._replace(is_cut=False))


def test_an_end_without_a_shape_gets_one() -> None:
    shapes = tidy(Drawing((), (Line("job:ns:j", "datasetField:k:o:id", "observed"),))).shapes
    assert [(shape.type, shape.name) for shape in shapes] == [
        ("DATASET_FIELD", "k:o:id"),
        ("JOB", "ns:j"),
    ]


def test_two_states_of_a_shape_are_one_node() -> None:
    both = (LOAD, LOAD._replace(state="RUNNING"))
    assert tidy(Drawing(both, ())) == tidy(Drawing(both[::-1], ()))
    assert len(tidy(Drawing(both, ())).shapes) == 1


@given(drawings())
@example(ALL_HOSTILE)
def test_csv_is_read_back(drawing: Drawing) -> None:
    rows = list(csv.reader(StringIO(write("csv", drawing), newline="")))
    assert tuple(rows[0]) == CSV_COLUMNS
    read = [tuple(cell.removeprefix("'") for cell in row) for row in rows[1:]]
    assert read == [tuple(map(replace_unprintable, row)) for row in _csv_rows(tidy(drawing))]


def _csv_rows(drawing: Drawing) -> list[tuple[str, ...]]:
    ends = {shape.id: (shape.type, *shape[2:5]) for shape in drawing.shapes}
    alone = dict(ends)
    rows = []
    for line in drawing.lines:
        flags = [str(flag).lower() for flag in (line.is_indirect, line.is_assumed)]
        rows.append((*ends[line.origin], *ends[line.destination], *line[2:5], *flags, line.via))
        alone.pop(line.origin, None)
        alone.pop(line.destination, None)
    return rows + [(*end, *[""] * 10) for end in alone.values()]


@given(drawings())
@example(ALL_HOSTILE)
def test_no_cell_is_a_formula(drawing: Drawing) -> None:
    for row in csv.reader(StringIO(write("csv", drawing), newline="")):
        for cell in row:
            assert not re.match(r"[=+\-@\t\r\n]", cell)


@given(drawings())
@example(ALL_HOSTILE)
def test_graphml_is_read_back(drawing: Drawing) -> None:
    root = ElementTree.fromstring(write("graphml", drawing))
    expected = tidy(drawing)
    keys = {key.attrib["id"]: key.attrib for key in _all(root, "key")}
    assert all(data.attrib["key"] in keys for data in _all(root, "data"))

    def values(element: ElementTree.Element) -> dict[str, str]:
        return {keys[data.attrib["key"]]["attr.name"]: data.text or "" for data in element}

    names = {shape.id: f"n{number}" for number, shape in enumerate(expected.shapes)}
    nodes = {node.attrib["id"]: values(node) for node in _all(root, "node")}
    assert nodes == {
        names[shape.id]: _stated(shape, node_id=shape.id, is_focus=shape.id in expected.focus)
        for shape in expected.shapes
    }
    edges = [(e.attrib["source"], e.attrib["target"], values(e)) for e in _all(root, "edge")]
    assert edges == [
        (names[line.origin], names[line.destination], _stated(line)) for line in expected.lines
    ]


def _all(root: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    return list(root.iter(f"{{http://graphml.graphdrawing.org/xmlns}}{tag}"))


def _stated(values: Shape | Line, **more: Any) -> dict[str, str]:
    said = {**values._asdict(), **more}
    return {
        name: "true" if value is True else replace_unprintable(value)
        for name, value in said.items()
        if value and name not in ("id", "origin", "destination")
    }


@given(drawings())
@example(ALL_HOSTILE)
def test_json_is_read_back(drawing: Drawing) -> None:
    content = json.loads(write("json", drawing))
    read = Drawing(
        tuple(Shape(**node) for node in content["nodes"]),
        tuple(Line(*edge.values()) for edge in content["edges"]),
        tuple(content["focus"]),
        content["truncated"],
    )
    assert read == tidy(drawing)


DOT_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


@given(drawings())
@example(ALL_HOSTILE)
def test_dot_holds_names_in_strings_only(drawing: Drawing) -> None:
    written = write("dot", drawing)
    strings = iter(DOT_STRING.findall(written))
    labels = {_lines(shape) for shape in tidy(drawing).shapes}
    for row in DOT_STRING.sub("S", written).rstrip("\n").split("\n"):
        assert re.fullmatch(
            r"digraph lineage \{|  rankdir=LR;|  subgraph S \{| +label=S;| *\}"
            r"| +S \[label=S, shape=\w+(, color=red)?(, style=bold)?\];"
            r"|  S -> S( \[[\w=, ]+\])?;",
            row,
        )
        found = [next(strings) for _ in range(row.count("S"))]
        if "shape=" in row:
            assert _read_dot(found[1]) in labels


def _read_dot(label: str) -> str:
    read = re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], label)
    return html.unescape(read)


def _lines(shape: Shape) -> str:
    return "\n".join(re.sub("\r\n?", "\n", line) for line in label_shape(shape))


@given(drawings())
@example(ALL_HOSTILE)
def test_dot_keeps_ids_apart(drawing: Drawing) -> None:
    written = write("dot", drawing)
    ids = re.findall(r'^ +("(?:[^"\\]|\\.)*") \[label', written, re.MULTILINE)
    assert len(ids) == len(set(ids)) == len(tidy(drawing).shapes)


MERMAID_STRING = re.compile(r'"([^"]*)"')


@given(drawings())
@example(ALL_HOSTILE)
def test_mermaid_holds_names_in_strings_only(drawing: Drawing) -> None:
    written = write("mermaid", drawing)
    shapes = tidy(drawing).shapes
    for row in written.split("\n"):
        assert re.fullmatch(
            r"flowchart LR|  %% Incomplete.*|  subgraph c\d+\[S\]|  end|  n\d+ --> n\d+|"
            r" +n\d+(\[S\]|\[\(S\)\]|\(\[S\]\))|"
            r"  classDef \w+ [\w:#,-]+|  class n[n\d,]+ \w+|  linkStyle [\d,]+ [\w:#, -]+|",
            MERMAID_STRING.sub("S", row),
        )
        if found := re.fullmatch(r' +n(\d+)[\[(]+"(.*)"[\])]+', row):
            assert _read_mermaid(found[2]) == "\n".join(label_shape(shapes[int(found[1])]))


def _read_mermaid(label: str) -> str:
    assert re.fullmatch(r"(?:[^\W_]|[ /._-]|#\w+;|<br/>)+", label)
    named = {"quot": '"', "lt": "<", "gt": ">", "amp": "&"}
    text = label.replace("<br/>", "\n")
    return re.sub(r"#(\w+);", lambda found: named.get(found[1]) or chr(int(found[1])), text)


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ('"', "#quot;"),
        ("#quot;", "#35;quot#59;"),
        ("a.b_c-d", "a.b_c-d"),
        ("_a_", "#95;a#95;"),
        ("1. a", "1#46; a"),
        ("direction TB", "#100;irection TB"),
        ("<b>", "#lt;b#gt;"),
        ("\x00", "#65533;"),
        ("end", "end"),
        ("", "job#58;#58;"),
    ],
)
def test_mermaid_labels(name: str, escaped: str) -> None:
    shape = Shape(f"job::{name}", "JOB", "", name)
    assert f'  n0["{escaped}"]\n' in write("mermaid", Drawing((shape,), ()))


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ('a"', 'a\\"'),
        ("a\\", "a\\\\"),
        ("\\N", "\\\\N"),
        ("&lt;", "&amp;lt;"),
        ("a\r\nb", "a\\nb"),
        ("\x00", "\ufffd"),
        ("end", "end"),
        ("", "job::"),
    ],
)
def test_dot_labels(name: str, escaped: str) -> None:
    shape = Shape(f"job::{name}", "JOB", "", name)
    assert f'[label="{escaped}", shape=box]' in write("dot", Drawing((shape,), ()))


@pytest.mark.parametrize(
    ("name", "escaped"),
    [("a\\", "a\\\\"), ('"', '\\"'), ("\n", "\\u000a"), ("&lt;", "\\u0026lt;"), ("?a&b", "?a&b")],
)
def test_dot_ids(name: str, escaped: str) -> None:
    shape = Shape(f"job:ns:{name}", "JOB", "ns", name)
    assert f'  "job:ns:{escaped}" [' in write("dot", Drawing((shape,), ()))


def test_a_long_name_is_short_in_a_picture_only() -> None:
    name = "a" * 1_000 + "b" * 1_000
    drawing = Drawing((Shape("job:x", "JOB", "", name),), ())
    assert {len(line) for line in label_shape(drawing.shapes[0])} == {LONGEST_LABEL}
    for format in ("csv", "graphml"):
        assert name in write(format, drawing)
    for format in ("dot", "mermaid"):
        assert name not in write(format, drawing)


def test_a_cluster_holds_the_dataset_of_its_columns() -> None:
    whole = Shape("dataset:k:o", "DATASET", "k", "o")
    written = write("dot", Drawing((ORDERS_ID, whole, SALES), ()))
    cluster = written[written.index("subgraph") : written.index("  }")]
    assert '"dataset:k:o"' in cluster
    assert '"datasetField:k:o:id"' in cluster
    assert '"dataset:pg:sales"' not in cluster
