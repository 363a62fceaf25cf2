"""The tables of Flink in Confluent Cloud: an environment is a catalog, a Kafka cluster a database,
a topic a table."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from headwater.collect.confluent.reports import ClusterReport, EnvironmentReport, text
from headwater.model.confluent.names import topic
from headwater.model.naming import DatasetName
from headwater.sql import Catalog, CatalogColumn, CatalogTable

Json = dict[str, Any]

_CREATES_OTHER = re.compile(
    r"\s*CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?P<kind>VIEW|TABLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    r"(?P<name>(?:`[^`]*`|[\w$]+)(?:\s*\.\s*(?:`[^`]*`|[\w$]+))*)",
    re.IGNORECASE,
)
_NAME_PART = re.compile(r"`([^`]*)`|([\w$]+)")
_CREATE_VIEW = re.compile(r"(CREATE\s+(?:OR\s+REPLACE\s+)?)VIEW", re.IGNORECASE)


class FlinkCatalog(Catalog):
    """The topics of an environment as tables, for statements in one of its databases."""

    def __init__(self, tables: Mapping[str, CatalogTable], database: Sequence[str]) -> None:
        super().__init__()
        self._tables = tables
        self._prefixes = ("", f"{'.'.join(database)}.", f"{database[0]}.")

    def find(self, name: str) -> CatalogTable | None:
        for prefix in self._prefixes:
            if found := self._tables.get(f"{prefix}{name}"):
                return found
        return None


class FlinkTables:
    """All tables of an environment, and what its statements say of others."""

    def __init__(
        self, environment: EnvironmentReport, fields: Callable[[str], Sequence[Json]]
    ) -> None:
        self.environment = environment
        self._fields = fields
        self._tables: dict[str, CatalogTable] = {}
        for cluster in environment.clusters:
            for name in cluster.topics_by_name:
                self._add(cluster, name)
        self._definitions = dict(_definitions(environment.statements))

    def catalog(self, database: Sequence[str]) -> FlinkCatalog:
        return FlinkCatalog(self._tables, database)

    def definition(self, name: str) -> str | None:
        """The statement that made a view, or a table that is no topic; None if none is known."""
        return self._definitions.get(name.rpartition(".")[2].lower())

    def cluster(self, database: str) -> ClusterReport | None:
        """The Kafka cluster of a database, which its name or its id names."""
        clusters = [*self.environment.clusters, *self.environment.others]
        found = (each for each in clusters if database in (each.id, each.name))
        # Without a database there is no doubt where there is one cluster.
        only = clusters[0] if len(clusters) == 1 and not database else None
        return next(found, only)

    def dataset(self, table: str, current: ClusterReport) -> DatasetName:
        """The topic of a table's full name; of one that is not there, in the current cluster."""
        environment = self.environment
        for prefix in (f"{environment.name}.", f"{environment.id}."):
            table = table.removeprefix(prefix)
        for cluster in [current, *environment.clusters, *environment.others]:
            for name in (cluster.name, cluster.id):
                if table.startswith(f"{name}."):
                    rest = table.removeprefix(f"{name}.")
                    return topic(cluster.environment_id, cluster.id, rest)
        return topic(current.environment_id, current.id, table)

    def _add(self, cluster: ClusterReport, name: str) -> None:
        columns = tuple(
            CatalogColumn(str(each["name"]), str(each.get("type") or "") or None)
            for each in self._fields(name)
        )
        dataset = topic(cluster.environment_id, cluster.id, name)
        environment = self.environment
        for catalog in (environment.name, environment.id):
            for database in (cluster.name, cluster.id):
                full = f"{catalog}.{database}.{name}"
                self._tables[full] = CatalogTable(full, columns, dataset)


def as_temporary(definition: str) -> str:
    """A statement that makes a view, so that reading the view is reading what it reads."""
    return _CREATE_VIEW.sub(r"\1TEMPORARY VIEW", definition, count=1)


def is_view(statement: str) -> bool:
    """Whether a statement makes a view, which holds no records itself."""
    found = _CREATES_OTHER.match(statement)
    return found is not None and found["kind"].upper() == "VIEW"


def _definitions(statements: Iterable[Json]) -> Iterator[tuple[str, str]]:
    """The statements that make views and tables, by the last part of the name."""
    for each in statements:
        statement = text(each, "spec", "statement")
        if found := _CREATES_OTHER.match(statement):
            parts = [a or b for a, b in _NAME_PART.findall(found["name"])]
            if parts and text(each, "status", "phase") not in ("FAILED", "FAILING"):
                yield parts[-1].lower(), statement.rstrip().rstrip(";")
