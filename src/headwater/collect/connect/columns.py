"""From which columns those come that a connector writes, by the schemas of its topics."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from headwater.emit.events import Producer
from headwater.errors import SourceUnavailable
from headwater.model.connect.column_state import ColumnOrigin, Path
from headwater.model.connect.connector_columns import (
    ConnectorColumns,
    columns_of_sink,
    columns_of_source,
)
from headwater.model.connect.connector_templates import Config, Row
from headwater.model.connect.connector_transforms import ConnectorGap, TransformChain
from headwater.model.connect.connectors import External, row_of
from headwater.model.naming import DatasetName

Json = dict[str, Any]


class TopicColumns(NamedTuple):
    """The columns of a topic's key and value: of all fields that have none inside."""

    key: tuple[Path, ...]
    value: tuple[Path, ...]


ReadColumns = Callable[[str], TopicColumns | None]
"""The columns of a topic, where its schema is known; may raise SourceUnavailable."""


class ColumnFacets:
    """Builds facets of column lineage for one connector; `gaps` has the transforms that are not
    known."""

    def __init__(
        self, producer: Producer, config: Config, rows: Sequence[Row], read: ReadColumns
    ) -> None:
        self._producer = producer
        self._config = config
        self._row = row_of(config, rows)
        self._chain = TransformChain(config)
        self._read = read
        self.gaps: dict[ConnectorGap, None] = {}

    def of_topic(self, topic: str, tables: Iterable[External]) -> Json:
        """Of a topic that a source writes, from its tables."""
        known = self._find(topic)
        fields: Json = {}
        for table in tables if known is not None else ():
            found = columns_of_source(
                self._row,
                self._config,
                table.name.name,
                self._chain.origin_of(topic),
                known.value if known is not None else (),
                known.key if known is not None else (),
            )
            self._add(fields, found, table.name)
        return self._facet(fields)

    def of_table(self, table: External, name: Callable[[str], DatasetName]) -> Json:
        """Of a table that a sink writes, from its topics."""
        fields: Json = {}
        for topic in table.topics:
            known = self._find(topic)
            if known is not None:
                found = columns_of_sink(self._row, self._config, topic, known.key, known.value)
                self._add(fields, found, name(topic))
        return self._facet(fields)

    def _find(self, topic: str) -> TopicColumns | None:
        try:
            return self._read(topic)
        except SourceUnavailable as error:
            # The rest of what is known of the connector is reported nevertheless.
            sentence = f"The schema registry cannot be read: {error.message}."
            self.gaps[ConnectorGap("other", "schema registry", sentence)] = None
            return None

    def _add(self, fields: Json, found: ConnectorColumns, source: DatasetName) -> None:
        self.gaps |= dict.fromkeys(found.gaps)
        for part, columns in (("value", found.columns), ("key", found.key_columns)):
            for path, origins in columns.items():
                for origin in origins:
                    if origin.part != "headers":
                        inputs = fields.setdefault(_named(path, part), {"inputFields": []})
                        inputs["inputFields"].append(_input_field(source, origin))

    def _facet(self, fields: Json) -> Json:
        if not fields:
            return {}
        named = {name: fields[name] for name in sorted(fields)}
        return {"columnLineage": self._producer.facet("ColumnLineageDatasetFacet", fields=named)}


def _input_field(source: DatasetName, origin: ColumnOrigin) -> Json:
    return {
        "namespace": source.namespace,
        "name": source.name,
        "field": _named(origin.path, origin.part),
        "transformations": [
            {
                "type": "DIRECT",
                "subtype": "TRANSFORMATION" if origin.is_changed else "IDENTITY",
                "masking": origin.is_masked,
            }
        ],
    }


def _named(path: Path, part: str) -> str:
    """Of a topic, the fields of keys are beside those of values, which have no prefix."""
    return ".".join(path if path and part == "value" else (part, *path))
