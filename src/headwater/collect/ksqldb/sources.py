"""The streams and tables of a ksqlDB, as the topics that they are."""

from collections.abc import Iterable, Sequence
from typing import Any

from headwater.collect.connect.columns import ReadColumns
from headwater.collect.ksqldb.answers import KsqldbSource, type_text
from headwater.emit.events import Producer
from headwater.errors import SourceUnavailable
from headwater.model.naming import DatasetName, kafka
from headwater.sql import Catalog, CatalogColumn, CatalogTable

Json = dict[str, Any]

PRODUCER = Producer.of_part("collect/ksqldb")


class KsqldbSources:
    """Streams and tables by name, with the columns as their topics spell them.

    ksqlDB has names without quotes in upper case, whatever the fields of the messages are called:
    with a registry the columns are those of its schema.
    """

    def __init__(
        self,
        sources: Iterable[KsqldbSource],
        bootstrap: str,
        namespace: str,
        columns: ReadColumns = lambda topic: None,
    ) -> None:
        self._sources = {each.name: each for each in sources}
        self._bootstrap = bootstrap
        self._namespace = namespace
        self._read = columns
        self._spelled: dict[str, dict[str, str]] = {}
        self.registry_failure: SourceUnavailable | None = None
        self.catalog = Catalog(
            CatalogTable(
                each.name,
                tuple(CatalogColumn(f.name, type_text(f.schema)) for f in each.fields or ()),
                self.topic_of(each),
            )
            for each in self._sources.values()
        )

    def find(self, name: str) -> KsqldbSource | None:
        return self._sources.get(name) or self._sources.get(name.upper())

    def topic_of(self, source: KsqldbSource) -> DatasetName:
        return kafka(self._bootstrap, source.topic or source.name)

    def by_topic(self) -> dict[str, list[KsqldbSource]]:
        found: dict[str, list[KsqldbSource]] = {}
        for each in self._sources.values():
            found.setdefault(each.topic or each.name, []).append(each)
        return found

    def dataset(self, source: KsqldbSource) -> Json:
        """A topic in an event of a query, with the columns that ksqlDB has of it."""
        topic = source.topic or source.name
        fields = [
            {"name": self.spell(topic, each.name), "type": type_text(each.schema)}
            for each in source.fields or ()
        ]
        facets = self.symlinks([source])
        if fields:
            facets["schema"] = PRODUCER.facet("SchemaDatasetFacet", fields=fields)
        name = self.topic_of(source)
        return {"namespace": name.namespace, "name": name.name, "facets": facets}

    def described(self, topic: str, sources: Sequence[KsqldbSource]) -> Json:
        """A topic with the streams and tables that are made of it."""
        about = [
            {
                "name": each.name,
                "type": each.type,
                "keyFormat": each.key_format,
                "valueFormat": each.value_format,
                "window": each.window_type,
                "columns": {f.name: type_text(f.schema) for f in each.fields or ()},
                "statement": each.statement,
            }
            for each in sorted(sources, key=lambda each: each.name)
        ]
        name = kafka(self._bootstrap, topic)
        facets = self.symlinks(sources)
        facets["ksqldb_sources"] = PRODUCER.custom_facet(sources=about)
        return {"namespace": name.namespace, "name": name.name, "facets": facets}

    def symlinks(self, sources: Sequence[KsqldbSource]) -> Json:
        names = sorted((self._namespace, each.name) for each in sources)
        return {"symlinks": PRODUCER.symlinks(names)}

    def spell(self, topic: str, column: str) -> str:
        """A column as the schema of its topic has it, where that is known."""
        if topic not in self._spelled:
            self._spelled[topic] = self._read_names(topic)
        return self._spelled[topic].get(column.lower(), column)

    def _read_names(self, topic: str) -> dict[str, str]:
        try:
            known = self._read(topic)
        except SourceUnavailable as error:
            self.registry_failure = error
            return {}
        paths = (*known.key, *known.value) if known is not None else ()
        found: dict[str, str] = {}
        for path in paths:
            for end in range(1, len(path) + 1):
                name = ".".join(path[:end])
                found.setdefault(name.lower(), name)
        return found
