"""The lineage of a plan in OpenLineage's terms: inputs, outputs and column lineage."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headwater.model.naming import DatasetName
from headwater.spark.column_sources import ColumnSource, Deciding, Derived, Direct, Way
from headwater.spark.dataset_names import Java, PlanRelation, name_leaf
from headwater.spark.payload_types import PARSERS, WRITERS, add_types
from headwater.spark.plan import PlanNode, expression_id, read_tree
from headwater.spark.plan_columns import PlanReader, Rows
from headwater.spark.targets import Target, find_target

Json = dict[str, Any]


class PlanDataset(NamedTuple):
    """A dataset that is read or written; `columns` is the column lineage of one that is written."""

    relation: PlanRelation
    fields: list[Json]
    columns: Json | None = None


class PlanLineage(NamedTuple):
    """The lineage of a plan. `gaps` are the kinds of nodes that columns were not traced through."""

    inputs: list[PlanDataset]
    outputs: list[PlanDataset]
    gaps: list[str]


class AnalysedPlan:
    """A plan that was read: where its rows come from, and what its leaves are."""

    def __init__(self, plan: Java, query_name: str, of: "AnalysedPlan | None" = None) -> None:
        """Read an analysed plan of the JVM; `of` is the stream whose batch it works on."""
        text = str(plan.toJSON())
        tree = read_tree(json.loads(text))
        if any(f'.{kind}"' in text for kind in (*PARSERS, *WRITERS)):
            add_types(plan, tree)
        self.target = find_target(plan, tree, query_name)
        if of is None:
            self._reader, relations = PlanReader(), []
        else:
            self._reader = PlanReader([*of._reader.leaves], known=of.rows)
            self._reader.payloads.update(of._reader.payloads)
            self._reader.casts.update(of._reader.casts)
            relations = of._sources.relations
        self.rows: Rows = self._reader.read(self.target.query)
        self._sources: _Sources = _Sources(self._reader, _java_leaves(plan), relations, query_name)

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
        return PlanLineage(inputs, outputs, sorted(set(self._reader.gaps)))

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


def _java_leaves(plan: Java) -> dict[int, Java]:
    """The leaves of a plan and of the subqueries in it, by the id of their first column."""
    leaves: dict[int, Java] = {}
    subqueries = plan.subqueriesAll()
    for tree in [plan, *(subqueries.apply(place) for place in range(subqueries.size()))]:
        found = tree.collectLeaves()
        for place in range(found.size()):
            leaf = found.apply(place)
            output = leaf.output()
            if output.nonEmpty():
                leaves[int(output.apply(0).exprId().id())] = leaf
    return leaves


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
        new = reader.leaves[len(known) :]
        self.relations = [*known, *(self._name(leaf, leaves) for leaf in new)]
        self.patterns: dict[int, PlanRelation] = {}
        """What stands for topics that are not known yet."""
        for place, relations in enumerate(self.relations):
            if any(relation.is_pattern for relation in relations):
                self.patterns[place] = relations.pop()._replace(is_pattern=False)

    def _name(self, leaf: PlanNode, leaves: Mapping[int, Java]) -> list[PlanRelation]:
        output = leaf.expressions("output")
        found = leaves.get(expression_id(output[0])[0]) if output else None
        return name_leaf(found, self._query_name) if found is not None else []

    def of(self, source: ColumnSource) -> list[tuple[PlanRelation, str]]:
        """The columns, by their datasets, that a source of the plan is."""
        return [(relation, _field(relation, source)) for relation in self.relations[source.leaf]]

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
        return [_schema_field(each.fields["name"], each.fields["dataType"]) for each in output]

    def _messages(self, number: int, used: frozenset[ColumnSource]) -> list[Json]:
        """The columns of a topic: those that are parsed from its messages, and what else of them
        is used, with the types it is cast to."""
        fields = {
            field["name"]: _schema_field(field["name"], field["type"])
            for source, schema in self._reader.payloads.items()
            if source.leaf == number and isinstance(schema.get("fields"), list)
            for field in schema["fields"]
        }
        as_they_are = {
            source.path[0] for source in used if source.leaf == number and not source.payload
        }
        for each in self._reader.leaves[number].expressions("output"):
            name = each.fields["name"]
            if name in as_they_are:
                kind = self._reader.casts.get(
                    ColumnSource(number, (name,)), each.fields["dataType"]
                )
                fields.setdefault(name, _schema_field(name, kind))
        return list(fields.values())


def _field(relation: PlanRelation, source: ColumnSource) -> str:
    return ".".join(source.payload if relation.is_topic and source.payload else source.path)


def _written(relation: PlanRelation, target: Target, rows: Rows, sources: _Sources) -> PlanDataset:
    values = _values(relation, target, rows)
    itself = relation.name if target.is_by_name else None
    columns: Json = {
        "fields": {
            name: {"inputFields": _inputs(value.whole, value.indirect, sources, itself)}
            for name, (value, _) in values.items()
        }
    }
    if rows.deciding:
        columns["dataset"] = _inputs({}, rows.deciding, sources, itself)
    fields = [_schema_field(name, kind) for name, (_, kind) in values.items()]
    return PlanDataset(relation, fields, columns)


_Values = dict[str, tuple[Derived, Any]]


def _values(relation: PlanRelation, target: Target, rows: Rows) -> _Values:
    """What is written, by column: by position, under the names that the target has for them."""
    if target.is_by_name:
        kinds = dict(target.columns)
        return {
            rows.names[id]: (value, kinds[rows.names[id]])
            for id, value in rows.columns.items()
            if rows.names[id] in kinds
        }
    named: _Values = {}
    for place, (id, value) in enumerate(rows.columns.items()):
        known = target.columns[place] if place < len(target.columns) else (rows.names[id], None)
        named[known[0]] = (value, known[1])
    if not relation.is_topic:
        return named
    # A message's columns are those of the structure that its value was made of.
    message, _ = named.get("value", (None, None))
    if message is None or message.members is None:
        return named
    inside = message.kind["fields"] if isinstance(message.kind, dict) else []
    kinds = {field["name"]: field["type"] for field in inside}
    return {name: (member, kinds.get(name)) for name, member in message.members.items()}


def _inputs(
    direct: Mapping[ColumnSource, Way],
    indirect: frozenset[Deciding],
    sources: _Sources,
    itself: DatasetName | None,
) -> list[Json]:
    """Input fields, each once, with all the ways it goes in; but those of the target itself."""
    found: dict[tuple[DatasetName, str], list[Json]] = {}
    for source, way in direct.items():
        for relation, field in sources.of(source):
            kind = _parsed(way, relation, source)
            found.setdefault((relation.name, field), []).append(
                _transformation("DIRECT", kind.direct.name, kind.is_masking)
            )
    for source, subtype in sorted(indirect):
        for relation, field in sources.of(source):
            found.setdefault((relation.name, field), []).append(
                _transformation("INDIRECT", subtype, False)
            )
    return [
        {
            "namespace": name.namespace,
            "name": name.name,
            "field": field,
            "transformations": _distinct(ways),
        }
        for (name, field), ways in sorted(found.items())
        if name != itself
    ]


def _parsed(way: Way, relation: PlanRelation, source: ColumnSource) -> Way:
    """What is parsed out of a column is part of it; of a topic it is a column by itself."""
    if source.payload and not relation.is_topic:
        return way.then(Way(Direct.TRANSFORMATION))
    return way


def _transformation(kind: str, subtype: str, is_masking: bool) -> Json:
    return {"type": kind, "subtype": subtype, "description": "", "masking": is_masking}


def _distinct(ways: Sequence[Json]) -> list[Json]:
    known: dict[tuple[Any, ...], Json] = {}
    for way in ways:
        known.setdefault(tuple(way.values()), way)
    return list(known.values())


def _schema_field(name: str, kind: Any) -> Json:
    """A field as OpenLineage's schema has it; `kind` is Spark's type in JSON."""
    if not isinstance(kind, dict):
        return {"name": name, "type": kind} if kind else {"name": name}
    column: Json = {"name": name, "type": kind.get("type", "")}
    inner = _inside(kind)
    if inner:
        column["fields"] = inner
    return column


def _inside(kind: Json) -> list[Json]:
    match kind.get("type"):
        case "struct":
            return [_schema_field(field["name"], field["type"]) for field in kind["fields"]]
        case "array":
            return [_schema_field("_element", kind["elementType"])]
        case "map":
            return [
                _schema_field("key", kind["keyType"]),
                _schema_field("value", kind["valueType"]),
            ]
    return []
