"""The findings that are requested, with who knows of them, as JSON."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from headwater.answers.discovery.estate import Estate, read_estate
from headwater.answers.discovery.findings import FINDINGS, EstateFinding, FindingFilter
from headwater.answers.discovery.judge import judge
from headwater.answers.gaps import find_jobs_with_gaps
from headwater.answers.names import check_namespace
from headwater.graph.node_id import dataset_node_id, job_node_id
from headwater.model.uses import Name
from headwater.model.values.consumer_groups import COLLECTOR_NAMESPACE, collector_job_name
from headwater.model.values.instant import format_instant
from headwater.store.engine import Connection
from headwater.store.query.paging import Page
from headwater.store.read.acknowledgements import read_acknowledgements

Shape = dict[str, Any]
_MOST_GAPS = 20


def list_findings(connection: Connection, requested: FindingFilter, page: Page, time: int) -> Shape:
    """A page of what was found, with counts of all of it, and the clusters that were looked at."""
    estate = _read_requested(connection, requested.namespace)
    named = [each for each in judge(estate) if requested.admits_name(each.name.name)]
    known = read_acknowledgements(connection, [each.entity for each in named])
    findings = []
    for each in named:
        acknowledged = known.get(each.entity)
        covers = acknowledged is not None and acknowledged.covers(each.kind, each.since, time)
        findings.append(each._replace(acknowledged=acknowledged if covers else None))
    chosen = sorted(
        (
            each
            for each in findings
            if each.kind in requested.kinds
            and requested.acknowledged in (None, each.acknowledged is not None)
        ),
        key=lambda each: each.rank,
    )
    counts = Counter(str(each.kind) for each in chosen)
    return {
        "findings": [_shape(each) for each in chosen[page.offset : page.offset + page.limit]],
        "counts": {kind: counts[kind] for kind in FINDINGS},
        "totalCount": len(chosen),
        "acknowledgedCount": sum(each.acknowledged is not None for each in findings),
        "clusters": _clusters(connection, estate),
        "asOf": format_instant(time),
    }


def _read_requested(connection: Connection, namespace: str) -> Estate:
    """One cluster that somebody collected, or all."""
    estate = read_estate(connection, namespace)
    if namespace and not (estate.topics or estate.groups):
        every = read_estate(connection)
        collected = {each.name.namespace for each in every.topics}
        collected |= {each.cluster for each in every.groups}
        check_namespace("collected cluster", namespace, collected)
    return estate


def _shape(finding: EstateFinding) -> Shape:
    known = finding.acknowledged
    node_id = job_node_id if finding.is_job else dataset_node_id
    return {
        "id": node_id(*finding.name),
        "type": "JOB" if finding.is_job else "DATASET",
        "namespace": finding.name.namespace,
        "name": finding.name.name,
        "cluster": finding.cluster,
        "kind": finding.kind,
        "reason": finding.reason,
        "since": format_instant(finding.since),
        "acknowledged": None
        if known is None
        else {
            "actor": known.actor,
            "at": format_instant(known.at),
            "reason": known.reason,
            "until": None if known.until is None else format_instant(known.until),
            "edit": known.edit.hex(),
        },
    }


def _clusters(connection: Connection, estate: Estate) -> Sequence[Shape]:
    """Each cluster with how much was found in it, and what it does not tell."""
    topics = Counter(each.name.namespace for each in estate.topics if not each.is_deleted)
    groups = Counter(each.cluster for each in estate.groups if not each.is_deleted)
    gaps = find_jobs_with_gaps(connection).jobs
    return [
        {
            "namespace": space,
            "topics": topics[space],
            "groups": groups[space],
            "gaps": [
                {"name": each.name, "description": each.description}
                for each in gaps.get(Name(COLLECTOR_NAMESPACE, collector_job_name(space)), ())
            ][:_MOST_GAPS],
        }
        for space in sorted(topics | groups)
    ]
