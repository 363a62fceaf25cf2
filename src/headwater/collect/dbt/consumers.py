"""What reads the tables of a project: exposures, semantic models and metrics, as declared jobs.

An exposure is the end of a chain: a job with inputs only. A semantic model is a dataset whose
fields are its entities, dimensions and measures; a metric is one whose field is its value.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from headwater.collect.dbt.artifacts import (
    Manifest,
    ManifestExposure,
    ManifestMetric,
    SemanticElement,
    SemanticModel,
)
from headwater.collect.dbt.columns import ProjectColumns
from headwater.collect.dbt.facets import PRODUCER, ProjectFacets, exposure_owners
from headwater.collect.dbt.tables import ProjectTable, ProjectTables
from headwater.emit.gaps import GapEntry
from headwater.model.naming import DatasetName

Json = dict[str, Any]

_VALUE = "value"
# Kinds of exposures as types of jobs.
_TYPES = {"dashboard": "DASHBOARD", "notebook": "NOTEBOOK", "ml": "ML_MODEL"}
# Where type_params names measures, by the type of a metric; others are made of metrics.
_MEASURES = ("measure", "numerator", "denominator", "base_measure", "conversion_measure")


class ProjectConsumers:
    def __init__(
        self,
        manifest: Manifest,
        project: str,
        tables: ProjectTables,
        columns: ProjectColumns,
        facets: ProjectFacets,
    ) -> None:
        self._manifest = manifest
        self._namespace = f"dbt://{project}"
        self._tables = tables
        self._columns = columns
        self._facets = facets
        self._measures = {
            measure.name: model
            for model in manifest.semantic_models.values()
            for measure in model.measures or ()
        }
        self.gaps: list[GapEntry] = []

    def jobs(self, namespace: str) -> Iterator[tuple[Json, list[Json], list[Json]]]:
        """Each job with what it reads and writes."""
        for model in self._manifest.semantic_models.values():
            yield self._semantic_model(namespace, model)
        for metric in self._manifest.metrics.values():
            yield self._metric(namespace, metric)
        for exposure in self._manifest.exposures.values():
            yield self._exposure(namespace, exposure)

    def _exposure(
        self, namespace: str, exposure: ManifestExposure
    ) -> tuple[Json, list[Json], list[Json]]:
        about = {
            "type": exposure.type,
            "label": exposure.label,
            "maturity": exposure.maturity,
            "file": exposure.original_file_path,
            "meta": exposure.meta,
        }
        further = {"dbt_exposure": PRODUCER.custom_facet(**{k: v for k, v in about.items() if v})}
        if exposure.url:
            further["headwater_declaration"] = PRODUCER.custom_facet(url=exposure.url)
        facets = self._facets.job(
            _TYPES.get(exposure.type, exposure.type.upper() or "EXPOSURE"),
            exposure.description or exposure.label,
            exposure_owners(exposure.owner),
            self._facets.tags(exposure.tags, exposure.meta),
            **further,
        )
        parents = exposure.depends_on.nodes if exposure.depends_on else ()
        job = {"namespace": namespace, "name": exposure.unique_id, "facets": facets}
        return job, self._read(exposure.unique_id, parents or ()), []

    def _semantic_model(
        self, namespace: str, model: SemanticModel
    ) -> tuple[Json, list[Json], list[Json]]:
        parents = (model.depends_on.nodes if model.depends_on else None) or ()
        tables = self._tables.read_by(parents)
        elements = [*(model.entities or ()), *(model.dimensions or ()), *(model.measures or ())]
        facets = _schema(elements)
        if model.description:
            facets["documentation"] = _documentation(model.description)
        if elements and len(tables) == 1:
            lineage, gaps = self._columns.of_query(_query(elements, tables[0]), tables[0])
            self.gaps += [each._replace(name=model.unique_id) for each in gaps]
            if lineage:
                lineage["fields"] = _by_element(elements, lineage["fields"])
                facets["columnLineage"] = PRODUCER.facet("ColumnLineageDatasetFacet", **lineage)
        output = {**self._named(model.unique_id), "facets": facets}
        job_facets = self._facets.job("SEMANTIC_MODEL", model.description)
        job = {"namespace": namespace, "name": model.unique_id, "facets": job_facets}
        return job, self._read(model.unique_id, parents), [output]

    def _metric(
        self, namespace: str, metric: ManifestMetric
    ) -> tuple[Json, list[Json], list[Json]]:
        parents = (metric.depends_on.nodes if metric.depends_on else None) or ()
        sources = [*self._measured(metric.type_params or {}), *self._metrics(parents)]
        if not sources:
            text = "What it is calculated of is not understood: its column has no sources."
            self.gaps.append(GapEntry("expression", metric.unique_id, text))
        facets: Json = {"schema": PRODUCER.facet("SchemaDatasetFacet", fields=[{"name": _VALUE}])}
        if metric.description or metric.label:
            facets["documentation"] = _documentation(metric.description or metric.label or "")
        if tags := self._facets.tags(metric.tags, metric.meta):
            facets["tags"] = PRODUCER.facet("TagsDatasetFacet", tags=tags)
        if sources:
            fields = {_VALUE: {"inputFields": sources}}
            facets["columnLineage"] = PRODUCER.facet("ColumnLineageDatasetFacet", fields=fields)
        about = {"type": metric.type, "label": metric.label, "file": metric.original_file_path}
        job_facets = self._facets.job(
            "METRIC",
            metric.description or metric.label,
            self._facets.owners(metric.meta),
            self._facets.tags(metric.tags, metric.meta),
            dbt_metric=PRODUCER.custom_facet(**{k: v for k, v in about.items() if v}),
        )
        output = {**self._named(metric.unique_id), "facets": facets}
        job = {"namespace": namespace, "name": metric.unique_id, "facets": job_facets}
        return job, self._read(metric.unique_id, parents), [output]

    def _read(self, reader: str, parents: Iterable[str]) -> list[Json]:
        """The datasets of some nodes; one that is none of the project's is a gap."""
        found = []
        for unique_id in parents:
            if unique_id in self._manifest.metrics or unique_id in self._manifest.semantic_models:
                found.append(self._named(unique_id))
                continue
            tables = self._tables.read_by([unique_id])
            found += [self._facets.dataset(each) for each in tables]
            if not tables:
                text = f"It reads {unique_id}, which is not among the tables of the project."
                self.gaps.append(GapEntry("input", reader, text))
        return list({(each["namespace"], each["name"]): each for each in found}.values())

    def _named(self, unique_id: str) -> Json:
        return {"namespace": self._namespace, "name": unique_id}

    def _measured(self, params: Mapping[str, Any]) -> Iterator[Json]:
        """The measures that a metric is calculated of."""
        conversion = params.get("conversion_type_params")
        for place in (params, conversion if isinstance(conversion, dict) else {}):
            for key in _MEASURES:
                stated = place.get(key)
                name = stated.get("name") if isinstance(stated, dict) else None
                model = self._measures.get(name) if isinstance(name, str) else None
                if model is not None:
                    yield self._source(model.unique_id, str(name))

    def _metrics(self, parents: Sequence[str]) -> Iterator[Json]:
        for unique_id in parents:
            if unique_id in self._manifest.metrics:
                yield self._source(unique_id, _VALUE)

    def _source(self, unique_id: str, field: str) -> Json:
        name = DatasetName(self._namespace, unique_id)
        way = {"type": "DIRECT", "subtype": "AGGREGATION", "description": "", "masking": False}
        return {
            "namespace": name.namespace,
            "name": name.name,
            "field": field,
            "transformations": [way],
        }


def _documentation(text: str) -> Json:
    return PRODUCER.facet("DocumentationDatasetFacet", description=text)


def _schema(elements: Iterable[SemanticElement]) -> Json:
    fields = [
        {"name": each.name} | ({"description": each.description} if each.description else {})
        for each in elements
    ]
    return {"schema": PRODUCER.facet("SchemaDatasetFacet", fields=fields)} if fields else {}


def _query(elements: Iterable[SemanticElement], table: ProjectTable) -> str:
    """The elements as columns of a query, so that their expressions are read as any SQL.

    The columns are numbered: the name of an element may be a reserved word.
    """
    columns = ", ".join(
        f"{_expression(each)} AS element_{number}" for number, each in enumerate(elements)
    )
    return f"SELECT {columns} FROM {table.node.relation_name or table.parts.name}"


def _by_element(elements: Iterable[SemanticElement], fields: Json) -> Json:
    numbered = {f"element_{number}": each.name for number, each in enumerate(elements)}
    return {numbered[name]: field for name, field in fields.items() if name in numbered}


def _expression(element: SemanticElement) -> str:
    expression = element.expr or element.name
    if not element.agg:
        return expression
    if element.agg == "count_distinct":
        return f"COUNT(DISTINCT {expression})"
    function = {"sum_boolean": "SUM", "average": "AVG", "percentile": "MEDIAN"}.get(element.agg)
    return f"{function or element.agg.upper()}({expression})"
