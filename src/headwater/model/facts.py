"""Facts: the rows an event states, and the names and content those rows point to."""

from headwater.model.ids import namespace_id
from headwater.model.merge import Row
from headwater.model.relations import Content, DatasetRow
from headwater.model.understand import Facet, NamedDataset, column_map_edges


class Facts:
    """Rows by relation. Names and content never change under their id, so they are kept apart:
    a writer skips what its store has already."""

    __slots__ = ("contents", "names", "rows")

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}
        self.names: dict[bytes, NamedDataset] = {}
        self.contents: dict[bytes, Facet] = {}

    def add(self, relation: str, row: Row) -> None:
        rows = self.rows.get(relation)
        if rows is None:
            self.rows[relation] = [row]
        else:
            rows.append(row)

    def all_rows(self) -> dict[str, list[Row]]:
        """Every row, those of names and content included."""
        rows = dict(self.rows)
        if self.names:
            rows["dataset"] = [name_row(dataset) for dataset in self.names.values()]
        for facet in self.contents.values():
            for relation, new in content_rows(facet).items():
                rows[relation] = [*rows.get(relation, ()), *new]
        return rows


def name_row(dataset: NamedDataset) -> Row:
    """The row that gives a dataset's id its name."""
    return DatasetRow(dataset.id, namespace_id(dataset.namespace), dataset.namespace, dataset.name)


def content_rows(facet: Facet) -> dict[str, list[Row]]:
    """The rows that hold a content: its body, and a column map's edges."""
    rows: dict[str, list[Row]] = {"content": [Content(facet.digest, facet.body)]}
    if facet.is_column_map:
        rows["column_map_edge"] = list(column_map_edges(facet))
    return rows
