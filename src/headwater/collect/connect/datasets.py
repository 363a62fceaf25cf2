"""The datasets of a connector as events have them: topics, and what is outside of Kafka."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headwater.collect.connect.columns import ColumnFacets
from headwater.emit.events import Producer
from headwater.model.connect.connectors import Described, External
from headwater.model.naming import DatasetName

Json = dict[str, Any]


class ConnectorDatasets:
    """Builds inputs and outputs; `rows` are the records of each topic, where they are known, and
    `name_topic` is how the dataset of a topic is named."""

    def __init__(
        self,
        producer: Producer,
        name_topic: Callable[[str], DatasetName],
        described: Described,
        rows: Mapping[str, int],
        dead_letters: str,
        columns: ColumnFacets,
    ) -> None:
        self._producer = producer
        self._name = name_topic
        self._described = described
        self._rows = rows
        self._dead_letters = dead_letters
        self._columns = columns
        self._is_sink = described.role == "sink"

    def inputs(self) -> list[Json]:
        return self._topics() if self._is_sink else self._externals()

    def outputs(self) -> list[Json]:
        if not self._is_sink:
            return self._topics()
        outputs = self._externals()
        if self._dead_letters:
            facets = self._lineage(map(self._name, self._described.topics))
            facets["kafka_connect"] = self._producer.custom_facet(isDeadLetterQueue=True)
            outputs.append(_dataset(self._name(self._dead_letters), facets))
        return outputs

    def _topics(self) -> list[Json]:
        datasets = []
        for topic in self._described.topics:
            tables = [each for each in self._described.externals if topic in each.topics]
            facets: Json = {}
            if tables and not self._is_sink:
                facets = self._lineage(each.name for each in tables)
                facets |= self._columns.of_topic(topic, tables)
            dataset = _dataset(self._name(topic), facets)
            if self._is_sink and self._rows.get(topic):
                dataset |= self._producer.input_statistics(rowCount=self._rows[topic])
            datasets.append(dataset)
        return datasets

    def _externals(self) -> list[Json]:
        return [self._external(each) for each in self._described.externals]

    def _external(self, external: External) -> Json:
        facets: Json = {}
        if self._is_sink and external.topics:
            facets |= self._lineage(map(self._name, external.topics))
            facets |= self._columns.of_table(external, self._name)
        if external.other is not None:
            facets["symlinks"] = self._producer.symlinks([external.other])
        if self._described.guessed or external.guessed:
            facets["kafka_connect"] = self._producer.custom_facet(isGuessed=True)
        return _dataset(external.name, facets)

    def _lineage(self, inputs: Iterable[DatasetName]) -> Json:
        """The inputs that one output comes from, of all inputs of its job."""
        named: Sequence[Json] = [
            {"namespace": name.namespace, "name": name.name, "type": "DATASET"} for name in inputs
        ]
        return {"lineage": self._producer.facet("LineageFacet", inputs=named)}


def _dataset(name: DatasetName, facets: Json) -> Json:
    return {"namespace": name.namespace, "name": name.name, "facets": facets}
