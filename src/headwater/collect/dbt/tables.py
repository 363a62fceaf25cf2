"""The tables of a project: what dbt calls nodes and sources, by the names of their datasets."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from headwater.collect.dbt.artifacts import Manifest, ManifestNode
from headwater.collect.dbt.warehouses import TableParts, Warehouse
from headwater.model.naming import DatasetName

_TABLES = ("model", "seed", "snapshot")


class ProjectTable(NamedTuple):
    node: ManifestNode
    parts: TableParts
    dataset: DatasetName
    other_names: Sequence[DatasetName]

    @property
    def is_source(self) -> bool:
        return self.node.resource_type == "source"


class ProjectTables:
    """Tables by the id of their node; ephemeral models are none, and are looked through."""

    def __init__(self, manifest: Manifest, warehouse: Warehouse) -> None:
        self._manifest = manifest
        self.warehouse = warehouse
        nodes = [*manifest.sources.values(), *manifest.nodes.values()]
        tables = [node for node in nodes if _is_table(node)]
        taken = Counter(_parts(node).name.lower() for node in tables)
        self.by_id: Mapping[str, ProjectTable] = {
            node.unique_id: _table(node, warehouse, taken) for node in tables
        }

    def find(self, unique_id: str) -> ProjectTable | None:
        return self.by_id.get(unique_id)

    def read_by(self, parents: Iterable[str]) -> list[ProjectTable]:
        """The tables of some nodes, each once; of an ephemeral model those that it reads."""
        found: dict[str, ProjectTable] = {}
        passed: set[str] = set()
        left = list(parents)[::-1]
        while left:
            unique_id = left.pop()
            if unique_id in passed:
                continue
            passed.add(unique_id)
            table = self.by_id.get(unique_id)
            if table is not None:
                found[unique_id] = table
            elif (node := self._manifest.nodes.get(unique_id)) is not None:
                left += node.parents[::-1]
        return list(found.values())

    def in_order(self) -> list[ProjectTable]:
        """Those that others read before those that read them."""
        done: dict[str, ProjectTable] = {}
        begun: set[str] = set()
        for start in self.by_id:
            left = [(start, False)]
            while left:
                unique_id, is_left = left.pop()
                if is_left:
                    if (table := self.by_id.get(unique_id)) is not None:
                        done[unique_id] = table
                elif unique_id not in begun:
                    begun.add(unique_id)
                    left.append((unique_id, True))
                    left += [(each, False) for each in self._parents(unique_id)]
        return list(done.values())

    def _parents(self, unique_id: str) -> list[str]:
        node = self._manifest.nodes.get(unique_id)
        return node.parents if node is not None else []


def _is_table(node: ManifestNode) -> bool:
    if node.resource_type == "source":
        return True
    return node.resource_type in _TABLES and not node.is_ephemeral


def _parts(node: ManifestNode) -> TableParts:
    table = node.identifier if node.resource_type == "source" else node.alias
    return TableParts(
        node.database or "", node.schema or "", table or node.name, node.relation_name or ""
    )


def _table(node: ManifestNode, warehouse: Warehouse, taken: Mapping[str, int]) -> ProjectTable:
    parts = _parts(node)
    others = warehouse.other_names(parts)
    renamed = parts._replace(table=node.name)
    if node.resource_type == "source" and renamed.name.lower() not in taken:
        # dbt-ol names a source by dbt's name for it, where its table has another.
        others.append(warehouse.dataset(renamed))
    return ProjectTable(node, parts, warehouse.dataset(parts), others)
