"""`/discovery`: what Kafka clusters have and the graph does not know, or nobody uses."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from msgspec import Struct

from headwater.answers.discovery.findings import FINDINGS, FindingFilter
from headwater.answers.discovery.listing import list_findings
from headwater.config import DiscoverySettings
from headwater.errors import InvalidRequest
from headwater.model.values.instant import now
from headwater.server.health.problems import ProblemAcknowledged
from headwater.server.http.parameters import Paging, ReadConnection, json_response
from headwater.server.openapi.document import answers

_CHOICES = {"": False, "false": False, "true": True, "all": None}


class FindingShape(Struct):
    """A topic (DATASET) or a consumer group (JOB) that needs somebody.

    `cluster` is the namespace of the topics of its cluster.
    """

    id: str
    type: str
    namespace: str
    name: str
    cluster: str
    kind: str
    reason: str
    since: str
    acknowledged: ProblemAcknowledged | None


class UntoldPart(Struct):
    """Something that a cluster did not tell: findings may be missing there."""

    name: str
    description: str


class DiscoveredCluster(Struct):
    """A cluster that was collected, with how many topics and groups it has."""

    namespace: str
    topics: int
    groups: int
    gaps: list[UntoldPart]


class Discovery(Struct):
    """Findings by kind and name; `counts` are of all that are requested."""

    findings: list[FindingShape]
    counts: dict[str, int]
    totalCount: int
    acknowledgedCount: int
    clusters: list[DiscoveredCluster]
    asOf: str


_AT = "2026-01-31T12:00:00.000000Z"
_CLUSTER = "kafka://broker:9092"
_EXAMPLE = Discovery(
    [
        FindingShape(
            id=f"dataset:{_CLUSTER}:orders-copy",
            type="DATASET",
            namespace=_CLUSTER,
            name="orders-copy",
            cluster=_CLUSTER,
            kind="unknownTopic",
            reason="No job is known to write or read it; groups read it",
            since=_AT,
            acknowledged=None,
        )
    ],
    {kind: int(kind == "unknownTopic") for kind in FINDINGS},
    1,
    0,
    [DiscoveredCluster(_CLUSTER, 12, 3, [])],
    _AT,
)


def create_discovery_router(settings: DiscoverySettings) -> APIRouter:
    router = APIRouter(tags=["lineage"])

    @router.get("/discovery", responses=answers(Discovery, _EXAMPLE, 400, 404))
    def get_discovery(
        connection: ReadConnection,
        page: Paging,
        kind: Annotated[str, Query(description="Only these kinds, separated by commas.")] = "",
        namespace: Annotated[str, Query(description="Only of this cluster, kafka://...")] = "",
        include: Annotated[
            str | None,
            Query(
                description="Patterns of topics and groups, by spaces; else the settings'.",
                examples=["shop.* orders"],
            ),
        ] = None,
        exclude: Annotated[
            str | None,
            Query(
                description="Patterns to leave out, by spaces; else the settings'.",
                examples=["tmp-* *-changelog"],
            ),
        ] = None,
        acknowledged: Annotated[
            str, Query(description="`true`: only acknowledged ones; `all`: these as well.")
        ] = "false",
    ) -> Response:
        """List what clusters have that nobody documented, by what collectors found there.

        Topics, groups and connectors that no job is known to use; topics without producer or
        reader; groups that vanished; deleted topics that jobs still name.
        """
        requested = FindingFilter(
            _kinds(kind),
            namespace,
            (settings.include if include is None else include).split(),
            (settings.exclude if exclude is None else exclude).split(),
            _acknowledged(acknowledged),
        )
        return json_response(list_findings(connection, requested, page, now()))

    return router


def _kinds(text: str) -> frozenset[str]:
    requested = frozenset(each.strip() for each in text.split(",") if each.strip())
    if unknown := requested - set(FINDINGS):
        raise InvalidRequest("kind", f"'{min(unknown)[:32]}' is not one of {', '.join(FINDINGS)}")
    return requested or frozenset(FINDINGS)


def _acknowledged(text: str) -> bool | None:
    if text not in _CHOICES:
        raise InvalidRequest("acknowledged", "neither false, true nor all")
    return _CHOICES[text]
