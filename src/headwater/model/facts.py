"""Facts: the rows an event states, and the names and content those rows point to."""

from headwater.model.facet_readers import Facet, NamedDataset
from headwater.model.merge import Row
from headwater.model.relations import Content, DatasetRow
from headwater.model.values.ids import namespace_id


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
        if self.contents:
            rows["content"] = [content_row(facet) for facet in self.contents.values()]
        return rows


def name_row(dataset: NamedDataset) -> Row:
    """The row that gives a dataset's id its name."""
    return DatasetRow(dataset.id, namespace_id(dataset.namespace), dataset.namespace, dataset.name)


def content_row(facet: Facet) -> Row:
    """The row that holds a content under its digest."""
    return Content(facet.digest, facet.body)
