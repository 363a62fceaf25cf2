"""The lineage of a plan in OpenLineage's terms: inputs, outputs and column lineage."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.emit.gaps import GapEntry
from headwater.model.naming import DatasetName
from headwater.spark.columns.facets import column_lineage, merge_lineage, schema_field
from headwater.spark.columns.jvm import complete_tree, load_tree, pair_leaves
from headwater.spark.columns.plan_reader import PlanReader, merge_types
from headwater.spark.columns.rows import Rows
from headwater.spark.columns.sources import (
    NOTHING,
    ColumnSource,
    PlanValue,
    ValueForm,
    parts_of_type,
    path_text,
)
from headwater.spark.dataset_names import (
    describe_leaf,
    name_leaf,
    name_topics,
)
from headwater.spark.datasets.session import find_setting
from headwater.spark.plan import PlanNode, expression_id
from headwater.spark.relations import Java, PlanRelation
from headwater.spark.settings import shows_literals
from headwater.spark.targets import Target, find_target

Json = dict[str, Any]


class PlanDataset(NamedTuple):
    """A dataset that is read or written; `columns` is the column lineage of one that is written."""

    relation: PlanRelation
    fields: list[Json]
    columns: Json | None = None

    def merge(self, other: "PlanDataset") -> "PlanDataset":
        """The same dataset, as two plans write it."""
        known = {field["name"] for field in self.fields}
        more = [field for field in other.fields if field["name"] not in known]
        columns = merge_lineage(self.columns, other.columns)
        relation = self.relation if self.relation.other is not None else other.relation
        return PlanDataset(relation, [*self.fields, *more], columns)


class PlanLineage(NamedTuple):
    """The lineage of a plan. `gaps` is what of it was not understood."""

    inputs: list[PlanDataset]
    outputs: list[PlanDataset]
    gaps: list[GapEntry]


class AnalysedPlan:
    """A plan that was read: where its rows come from, and what its leaves are."""

    def __init__(self, plan: Java, query_name: str, of: "AnalysedPlan | None" = None) -> None:
        """Read an analysed plan of the JVM; `of` is the stream whose batch it works on."""
        tree = load_tree(plan)
        self.target = find_target(plan, tree, query_name)
        has_literals = shows_literals(find_setting(plan, "spark.headwater.literals"))
        leaves = pair_leaves(plan, tree)
        for rows, below in self.target.plans:
            complete_tree(rows, below)
            leaves.update(pair_leaves(rows, below))
        if of is None:
            self._reader, relations = PlanReader(has_literals=has_literals), []
        else:
            self._reader = PlanReader(
                [*of._reader.leaves], known=of.rows, has_literals=has_literals
            )
            self._reader.payloads.update(of._reader.payloads)
            self._reader.casts.update(of._reader.casts)
            relations = of._sources.relations
        self.rows: Rows = self._reader.read(self.target.query)
        self._sources: _Sources = _Sources(self._reader, leaves, relations, query_name)
        if self.target.topic_options and not self.target.relations:
            self._find_topics_written(self.target.topic_options)
        self._gaps = [*self._reader.gaps, *self._sources.gaps, *self.target.gaps]

    def lineage(self) -> PlanLineage:
        outputs = [
            _written(relation, self.target, self.rows, self._sources)
            for relation in self.target.relations
        ]
        written = {relation.name for relation in self.target.relations}
        inputs = [
            each
            for each in self._sources.datasets(self.rows)
            # A table that is rewritten in place is read as well, which is no information.
            if not (self.target.is_by_name and each.relation.name in written)
        ]
        inputs += [PlanDataset(relation, []) for relation in self.target.files]
        return PlanLineage(inputs, outputs, sorted(set(self._gaps)))

    def _find_topics_written(self, options: Mapping[str, str]) -> None:
        """Name the topics that a column of the rows has, where it is one of a few constants."""
        named = [id for id, name in self.rows.names.items() if name == "topic"]
        value = self.rows.columns[named[0]] if named else PlanValue()
        topics = ",".join(sorted(value.constants or ()))
        if not topics:
            return
        relations = name_topics({**options, "topic": topics})
        self.target = self.target._replace(relations=relations, gaps=())
        if len(relations) > 1:
            self.rows = self.rows.decided_by(
                frozenset((source, "FILTER") for source, _ in value.all_indirect)
            )

    def scans(self) -> list[tuple[frozenset[int], list[DatasetName]]]:
        """The ids of the columns of each leaf that does not stream, and the datasets that it is."""
        return [
            (
                frozenset(expression_id(each)[0] for each in leaf.expressions("output")),
                [relation.name for relation in relations],
            )
            for leaf, relations in zip(self._reader.leaves, self._sources.relations, strict=True)
            if not _is_streaming(leaf)
        ]

    def find_topics(self, offsets: Sequence[Any]) -> bool:
        """Name the topics of patterns by the offsets of each source; returns whether any is new."""
        is_news = False
        streams = [place for place, leaf in enumerate(self._reader.leaves) if _is_streaming(leaf)]
        if len(streams) != len(offsets):
            return False
        for place, found in zip(streams, offsets, strict=True):
            relations = self._sources.relations[place]
            pattern = self._sources.patterns.get(place)
            if pattern is None or not isinstance(found, dict):
                continue
            topics = [
                pattern._replace(name=pattern.name._replace(name=each)) for each in sorted(found)
            ]
            is_news |= topics != relations
            # In place: plans of batches go on from the same list.
            relations[:] = topics
        return is_news

    def streamed(self) -> list[list[DatasetName]]:
        """The datasets of each source that streams, as they are in the plan from left to right."""
        return [
            [relation.name for relation in relations]
            for leaf, relations in zip(self._reader.leaves, self._sources.relations, strict=True)
            if _is_streaming(leaf)
        ]


def _is_streaming(leaf: PlanNode) -> bool:
    return leaf.kind.startswith("Streaming")


class _Sources:
    """The relations behind the leaves of a plan."""

    def __init__(
        self,
        reader: PlanReader,
        leaves: Mapping[int, Java],
        known: Sequence[list[PlanRelation]],
        query_name: str,
    ) -> None:
        self._reader = reader
        self._query_name = query_name
        self.gaps: list[GapEntry] = []
        """The leaves that are not known as any dataset."""
        new = reader.leaves[len(known) :]
        self.relations = [*known, *(self._name(leaf, leaves) for leaf in new)]
        self.patterns: dict[int, PlanRelation] = {}
        """What stands for topics that are not known yet."""
        for place, relations in enumerate(self.relations):
            if any(relation.is_pattern for relation in relations):
                self._note_pattern(place, relations.pop())

    def _name(self, leaf: PlanNode, leaves: Mapping[int, Java]) -> list[PlanRelation]:
        found = leaves.get(id(leaf.fields))
        relations = name_leaf(found, self._query_name) if found is not None else []
        if not relations:
            why = _LEAVES.get(leaf.kind, "is read, and not recognised as a dataset")
            gap = describe_leaf(found) if found is not None else None
            self.gaps.append(gap or GapEntry("input", leaf.kind, f"{leaf.kind} {why}."))
        return relations

    def _note_pattern(self, place: int, pattern: PlanRelation) -> None:
        """Topics that a stream's batches report; of a plan that does not stream, nobody does."""
        if _is_streaming(self._reader.leaves[place]):
            self.patterns[place] = pattern._replace(is_pattern=False)
            return
        name = f"topics {pattern.name.name}"
        why = "Topics are read by a pattern, and which they are is not known."
        self.gaps.append(GapEntry("input", name, why))

    def of(self, source: ColumnSource) -> list[tuple[PlanRelation, str]]:
        """The columns, by their datasets, that a source of the plan is."""
        return [
            (relation, field_name(relation, source)) for relation in self.relations[source.leaf]
        ]

    def datasets(self, rows: Rows) -> list[PlanDataset]:
        found: dict[DatasetName, PlanDataset] = {}
        used = rows.sources
        for number, relations in enumerate(self.relations):
            for relation in relations:
                fields = self._messages(number, used) if relation.is_topic else self._fields(number)
                found.setdefault(relation.name, PlanDataset(relation, fields))
        return list(found.values())

    def _fields(self, number: int) -> list[Json]:
        """A relation's columns."""
        output = self._reader.leaves[number].expressions("output")
        return [schema_field(each.fields["name"], each.fields["dataType"]) for each in output]

    def _messages(self, number: int, used: frozenset[ColumnSource]) -> list[Json]:
        """The columns of a topic: those that are parsed from its messages, and what else of them
        is used, with the types it is cast to."""
        kinds: dict[str, Any] = {}
        for source, schema in self._reader.payloads.items():
            if source.leaf == number and isinstance(schema, dict):
                for name, kind in _parsed_fields(source, schema):
                    kinds[name] = merge_types(kinds[name], kind) if name in kinds else kind
        as_they_are = {
            source.path[0] for source in used if source.leaf == number and not source.payload
        }
        for each in self._reader.leaves[number].expressions("output"):
            name = each.fields["name"]
            if name in as_they_are:
                kind = self._reader.casts.get(
                    ColumnSource(number, (name,)), each.fields["dataType"]
                )
                kinds.setdefault(name, kind)
        return [schema_field(name, kind) for name, kind in kinds.items()]


def _parsed_fields(source: ColumnSource, schema: Json) -> Iterator[tuple[str, Any]]:
    """The columns of a topic that a schema stands for, with which part of a message is parsed."""
    within = (*(() if source.path == ("value",) else source.path), *source.payload)
    for step in reversed(within):
        schema = {"type": "struct", "fields": [{"name": step, "type": schema}]}
    for field in schema.get("fields", []):
        yield field["name"], field["type"]


def field_name(relation: PlanRelation, source: ColumnSource) -> str:
    """The column of a relation that a source is: of a topic, one of its messages."""
    if relation.is_topic and source.payload:
        within = () if source.path == ("value",) else source.path
        return path_text((*within, *source.payload)) or path_text(source.path)
    return path_text(source.path)


def _written(relation: PlanRelation, target: Target, rows: Rows, sources: _Sources) -> PlanDataset:
    if target.files:
        # Which of their columns is which is not known: the dataset as a whole comes from them.
        return PlanDataset(relation, [schema_field(name, kind) for name, kind in target.columns])
    columns = _columns(target, rows)
    if relation.is_topic:
        columns = _of_messages(columns)
    itself = relation.name if target.is_by_name else None
    values = {name: value for name, (value, _) in columns.items()}
    facet = column_lineage(values, rows.deciding, sources.of, itself)
    fields = [schema_field(name, kind) for name, (_, kind) in columns.items()]
    return PlanDataset(relation, fields, facet)


_Columns = dict[str, tuple[PlanValue, Any]]


def _columns(target: Target, rows: Rows) -> _Columns:
    """What is written, by column: by position, under the names that the target has for them."""
    if target.is_by_name:
        kinds = dict(target.columns)
        return {
            rows.names[id]: (value, kinds[rows.names[id]])
            for id, value in rows.columns.items()
            if rows.names[id] in kinds
        }
    named: _Columns = {}
    for place, id in enumerate(rows.order):
        known = target.columns[place] if place < len(target.columns) else (rows.names[id], None)
        named[known[0]] = (rows.columns[id], known[1])
    return {**named, **{name: (NOTHING, kind) for name, kind in target.fixed}}


def _of_messages(columns: _Columns) -> _Columns:
    """A message's columns are those of the structure that its value was made of, and its key."""
    named = {name: each for name, each in columns.items() if name not in ("partition", "topic")}
    for name, (value, _) in list(named.items()):
        content = value.content
        if content is None:
            continue
        if name == "value" and content.form is ValueForm.STRUCT:
            parts = parts_of_type(value.kind)
            kinds = parts[1] if parts is not None else {}
            del named[name]
            inside = {
                step: (member.beside(content.indirect), kinds.get(step))
                for step, member in (content.members or {}).items()
            }
            named = {**inside, **{key: each for key, each in named.items() if key not in inside}}
        else:
            named[name] = (content, value.kind)
    return named


_LEAVES = {
    "LogicalRDD": "holds rows of an RDD or of the program itself: where they are from is not known",
    "LocalRelation": "holds rows of the program itself: where they are from is not known",
    "ExternalRDD": "holds objects of an RDD: where they are from is not known",
}
