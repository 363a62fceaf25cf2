"""Tables and columns of a script as a Mermaid flowchart."""

from collections.abc import Sequence

from headwater.sql.results import SourceColumn, Statement


def draw(statements: Sequence[Statement]) -> str:
    """A flowchart: a box for each table with its columns, an arrow for each direct source.

    Sources that only decide are dotted; a query without a target is `result`.
    """
    boxes: dict[str, dict[str, None]] = {}
    arrows: dict[str, None] = {}
    for statement in statements:
        for table in (*statement.inputs, *statement.outputs):
            boxes.setdefault(table.name, {})
        for write in statement.writes:
            target = write.table.name if write.table is not None else "result"
            if not write.columns and write.table is None:
                continue
            box = boxes.setdefault(target, {})
            for column in write.columns:
                box[column.name] = None
                for source, ways in column.sources.items():
                    boxes.setdefault(source.table, {})[source.column] = None
                    words = ", ".join(dict.fromkeys(str(way.subtype) for way in ways))
                    is_direct = any(not way.is_indirect for way in ways)
                    arrows[_arrow(boxes, source, target, column.name, words, is_direct)] = None
    lines = ["flowchart LR"]
    for number, (name, columns) in enumerate(boxes.items()):
        lines.append(f'  subgraph t{number}["{_text(name)}"]')
        lines += [f'    t{number}c{place}["{_text(c)}"]' for place, c in enumerate(columns)]
        lines.append("  end")
    return "\n".join([*lines, *arrows]) + "\n"


def _arrow(
    boxes: dict[str, dict[str, None]],
    source: SourceColumn,
    target: str,
    column: str,
    words: str,
    is_direct: bool,
) -> str:
    """An arrow between two columns, by their places, which do not change."""
    ends = []
    for table, name in ((source.table, source.column), (target, column)):
        ends.append(f"t{list(boxes).index(table)}c{list(boxes[table]).index(name)}")
    line = "-->" if is_direct and not source.is_candidate else "-.->"
    return f"  {ends[0]} {line}|{words}| {ends[1]}"


def _text(text: str) -> str:
    """Text that cannot end its quotes."""
    return text.replace("#", "#35;").replace('"', "#quot;").replace("\n", " ")
