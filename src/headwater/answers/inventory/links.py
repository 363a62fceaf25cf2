"""What jobs use, and which columns go where, read for many jobs at once."""

from collections.abc import Iterable

from headwater.answers.inventory.entries import Column, ColumnLink, DatasetRef
from headwater.graph.view import View, Visit
from headwater.model.column_map import ColumnMap
from headwater.model.facets import Schema
from headwater.model.relations import Direction


class LinkReader:
    """What visited jobs use, with their column maps, read for all of them at once."""

    def __init__(self, view: View, visits: Iterable[Visit], with_columns: bool = True) -> None:
        self._view = view
        requested = list(visits)
        self._inputs = view.links(requested, Direction.INPUT)
        self._outputs = view.links(requested, Direction.OUTPUT)
        digests = {
            digest for links in self._outputs.values() for link in links for digest in link.columns
        }
        self._maps: dict[bytes, ColumnMap] = (
            view.reader.column_maps(digests) if with_columns else {}
        )
        named = {
            source.dataset
            for each in self._maps.values()
            for sources in each.outputs.values()
            for source in sources
        }
        view.classes.resolve(named)
        used = {link.dataset for links in self._inputs.values() for link in links}
        every = used | {view.classes.chosen(dataset) for dataset in named}
        self.datasets = every - view.hidden(every)

    def sources(self, visit: Visit) -> list[bytes]:
        return [link.dataset for link in self._inputs[visit] if link.dataset in self.datasets]

    def pairs(self, visit: Visit, output: bytes) -> list[tuple[bytes, ColumnLink]]:
        """The columns that go into an output, with the datasets that they are of."""
        chosen = self._view.classes.chosen
        digests = sorted(
            {
                digest
                for link in self._outputs[visit]
                if link.dataset == output
                for digest in link.columns
            }
        )
        return [
            (dataset, ColumnLink(source.column, column, source.transformations))
            for digest in digests
            if digest in self._maps
            for column, sources in self._maps[digest].outputs.items()
            for source in sources
            if (dataset := chosen(source.dataset)) in self.datasets
        ]


def read_refs(view: View, datasets: Iterable[bytes]) -> dict[bytes, DatasetRef]:
    """All names of datasets, by the one that stands for them."""
    requested = list(datasets)
    members = {dataset: view.classes.names(dataset) for dataset in requested}
    names = view.reader.dataset_names({name for some in members.values() for name in some})
    return {
        dataset: DatasetRef(
            names[dataset],
            tuple(sorted(names[each] for each in some if each != dataset and each in names)),
        )
        for dataset, some in members.items()
        if dataset in names
    }


def text_of(value: object) -> str:
    """The text in a facet's field, whatever else is there."""
    return value if isinstance(value, str) else ""


def list_columns(schema: Schema | None) -> tuple[Column, ...]:
    """The columns of a schema, without those inside of them."""
    fields = schema.fields or () if schema else ()
    return tuple(Column(field.name, field.type or "", field.description or "") for field in fields)
