"""Facts: the rows an event states, and the content those rows point to by digest."""

from headwater.model.merge import Row
from headwater.model.relations import Content
from headwater.model.understand import Facet, column_map_edges


class Facts:
    """Rows by relation. Content is kept apart: a writer skips what its store has already."""

    __slots__ = ("contents", "rows")

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}
        self.contents: dict[bytes, Facet] = {}

    def add(self, relation: str, row: Row) -> None:
        rows = self.rows.get(relation)
        if rows is None:
            self.rows[relation] = [row]
        else:
            rows.append(row)

    def all_rows(self) -> dict[str, list[Row]]:
        """Every row, those of the content included."""
        rows = dict(self.rows)
        for facet in self.contents.values():
            for relation, new in content_rows(facet).items():
                rows[relation] = [*rows.get(relation, ()), *new]
        return rows


def content_rows(facet: Facet) -> dict[str, list[Row]]:
    """The rows that hold a content: its body, and a column map's edges."""
    rows: dict[str, list[Row]] = {"content": [Content(facet.digest, facet.body)]}
    if facet.is_column_map:
        rows["column_map_edge"] = list(column_map_edges(facet))
    return rows
