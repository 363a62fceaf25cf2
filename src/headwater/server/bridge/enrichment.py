"""What an enrichment runs: the collectors of catalogs of the settings, over a graph's tables."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from headwater.answers.bridge.naming import openlineage_name
from headwater.answers.bridge.nodes import NodeGraph
from headwater.collect import Collected
from headwater.collect.catalog.settings import TableChoice
from headwater.collect.plans import CollectorPlan, read_plans
from headwater.errors import BadConfig, HeadwaterError
from headwater.server.bridge.extraction import Json, Report

# Reads what catalogs know of a graph's tables, and gives it as events.
Enrich = Callable[[NodeGraph, Json, Report], Iterable[Collected]]

_CATALOGS = ("unity-catalog", "glue", "google")
_REMEDY = (
    "this server has no catalog to read; add a section [collect.unity-catalog], [collect.glue] or "
    "[collect.google] to its settings, and start it with them"
)
_NO_METRICS = "metrics are read by an extraction with enable_metrics, and not by an enrichment"


def make_enrich(sections: Mapping[str, Mapping[str, Any]]) -> Enrich:
    """The enrichment of a server with these sections `[collect.NAME]`, run by themselves or not."""

    def enrich(graph: NodeGraph, params: Json, report: Report) -> Iterator[Collected]:
        if params.get("enable_metrics"):
            yield Collected(b"", "metrics", error=_NO_METRICS)
        if params.get("enable_catalog", True):
            for plan in _find_catalogs(sections):
                yield from _read_catalog(plan, graph, report)

    return enrich


def _find_catalogs(sections: Mapping[str, Mapping[str, Any]]) -> list[CollectorPlan]:
    own = {
        name: section
        for name, section in sections.items()
        if (section.get("type") or name) in _CATALOGS
    }
    if not own:
        raise BadConfig(f"collect.{_CATALOGS[0]}", _REMEDY)
    return read_plans(own)


def _read_catalog(plan: CollectorPlan, graph: NodeGraph, report: Report) -> Iterator[Collected]:
    """What one catalog knows; where it does not answer the others are read all the same."""
    settings = plan.settings
    assert isinstance(settings, TableChoice)
    tables = sorted(set(_tables_of(settings, graph)))
    report(f"{plan.name}: {len(tables):,} tables of the graph")
    if not tables:
        return
    with tempfile.TemporaryDirectory(prefix="headwater-enrich-") as folder:
        # All of it belongs to the graph, also what was reported before.
        update = {"tables": tuple(tables), "state": Path(folder)}
        narrowed = plan._replace(settings=settings.model_copy(update=update))
        try:
            yield from narrowed.open("enrichment").collect()
        except HeadwaterError as error:
            yield Collected(b"", plan.name, error=f"{plan.name}: {error.message}")


def _tables_of(settings: TableChoice, graph: NodeGraph) -> Iterator[str]:
    for node in graph.nodes.values():
        table = settings.table_of(openlineage_name(node)) if node.is_dataset else None
        if table is not None and settings.is_chosen(table):
            yield table
