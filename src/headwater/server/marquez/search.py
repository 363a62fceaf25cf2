"""`/search`, and Marquez's `/api/v2beta/search`, both from the store's own index."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Response

from headwater.errors import InvalidRequest
from headwater.graph.node_id import dataset_node_id, job_node_id
from headwater.model.aspects import JOB_TYPE
from headwater.model.job_types import read_job_type
from headwater.model.relations import Slot
from headwater.model.run_states import ENDS, NEW, RUN_STATES
from headwater.model.search_text import TermSource, words_of
from headwater.model.uses import NOW
from headwater.model.values.instant import format_instant
from headwater.server.followed import Followed, look
from headwater.server.http.parameters import ReadConnection, instant_parameter, json_response
from headwater.server.openapi.document import answers
from headwater.store.lineage.newest_runs import NewestRun, read_newest_runs
from headwater.store.query.paging import Page
from headwater.store.read.content_cache import BODIES
from headwater.store.read.datasets import read_states
from headwater.store.read.facets import read_facets
from headwater.store.read.runs import make_run
from headwater.store.search.filters import Filters
from headwater.store.search.query import Order
from headwater.store.search.query import Query as SearchQuery
from headwater.store.search.search import Hit, search

router = APIRouter(tags=["search"])
v2_router = APIRouter(tags=["search"])

_LONGEST_QUERY = 1_000
_MOST_WORDS = 20
_KINDS = {"dataset": TermSource.DATASET, "job": TermSource.JOB}
_ORDERS = {"name": Order.NAME, "update_at": Order.UPDATED}


class SearchPlace(StrEnum):
    NAME = "name"
    NAMESPACE = "namespace"
    COLUMN = "column"
    DESCRIPTION = "description"
    OWNER = "owner"
    TAG = "tag"


class SearchMatch(msgspec.Struct, rename={"place": "in"}):
    """The reason for a match: where a word of the query is, and the text there."""

    place: SearchPlace
    text: str


class SearchResult(msgspec.Struct):
    name: str
    type: str
    updatedAt: str | None
    namespace: str
    nodeId: str
    match: SearchMatch


class SearchResults(msgspec.Struct):
    totalCount: int
    results: list[SearchResult]


class SearchHits(msgspec.Struct):
    """What OpenSearch would give of Marquez's documents, and where in each the words are."""

    hits: list[dict[str, Any]]
    highlights: list[dict[str, list[str]]]


_RESULTS = SearchResults(
    1,
    [
        SearchResult(
            "cdc.commerce.orders",
            "DATASET",
            "2026-01-31T12:00:00Z",
            "kafka://broker:9092",
            "dataset:kafka://broker:9092:cdc.commerce.orders",
            SearchMatch(SearchPlace.NAME, "cdc.commerce.orders"),
        )
    ],
)
_HITS = SearchHits(
    [
        {
            "run_id": "01a1dd14-a480-7e88-afc3-b4676a5f3421",
            "name": "order-enrichment",
            "namespace": "shop",
            "eventType": "COMPLETE",
            "type": "BATCH",
            "facets": {},
            "runFacets": {},
        }
    ],
    [{"name": ["<em>order</em>-enrichment"]}],
)


def text_parameter(
    q: Annotated[
        str, Query(description="Words to search for; all must match, in whole or in part.")
    ] = "",
) -> str:
    if not q.strip():
        raise InvalidRequest("q", "empty; give a search text")
    if len(q) > _LONGEST_QUERY:
        raise InvalidRequest("q", f"{len(q):,} characters; the limit is {_LONGEST_QUERY:,}")
    if len(set(words_of(q))) > _MOST_WORDS:
        raise InvalidRequest("q", f"more than {_MOST_WORDS} words")
    return q


def _chosen(name: str, text: str | None, known: dict[str, Any]) -> Any:
    if not text:
        return None
    if text.lower() not in known:
        choices = ", ".join(each.upper() for each in known)
        raise InvalidRequest(name, f"'{text[:100]}' is not one of {choices}")
    return known[text.lower()]


def filters(
    before: Annotated[int | None, Depends(instant_parameter("before", "Last seen before"))],
    after: Annotated[int | None, Depends(instant_parameter("after", "Last seen after"))],
    system: Annotated[
        str | None, Query(description="Only of this system: kafka, postgres, spark, ...")
    ] = None,
    tag: Annotated[str | None, Query(description="Only with this tag, or a field with it.")] = None,
    state: Annotated[
        str | None, Query(description="Only jobs whose newest run is in this state.")
    ] = None,
    owner: Annotated[str | None, Query(description="Only what this owner has.")] = None,
) -> Filters:
    state = _chosen("state", state, {name.lower(): name for name in RUN_STATES})
    return Filters(system or None, tag or None, state, before, after, owner or None)


Text = Annotated[str, Depends(text_parameter)]


@router.get("/search", responses=answers(SearchResults, _RESULTS, 400))
def get_search(
    connection: ReadConnection,
    following: Followed,
    q: Text,
    chosen: Annotated[Filters, Depends(filters)],
    filter: Annotated[str | None, Query(description="DATASET or JOB.")] = None,
    sort: Annotated[
        str | None, Query(description="NAME or UPDATE_AT; by default by relevance.")
    ] = None,
    namespace: Annotated[str | None, Query(description="Only in this namespace.")] = None,
    limit: Annotated[int, Query(ge=0, le=10_000, description="Maximum number to return.")] = 10,
    offset: Annotated[int, Query(ge=0, le=2**62, description="Number to skip.")] = 0,
) -> Response:
    """Search datasets and jobs by name, column, description, owner and tag.

    Every word must match. Best matches first: equal names, names that start with the text, words
    in names, parts of words, other texts, and words with one wrong letter.
    """
    kind = _chosen("filter", filter, _KINDS)
    order = _chosen("sort", sort, _ORDERS) or Order.RANK
    newest = None
    if order is Order.UPDATED:
        newest = look(following, connection, lambda overview: overview.newest())
    query = SearchQuery(
        q,
        (kind,) if kind is not None else tuple(_KINDS.values()),
        namespace or None,
        order,
        chosen.keep if any(value is not None for value in chosen) else None,
        newest,
    )
    hits, total = search(connection, query, Page(limit, offset))
    return json_response(SearchResults(total, [_result(hit) for hit in hits]))


def _result(hit: Hit) -> SearchResult:
    found = hit.found
    is_dataset = found.kind == TermSource.DATASET
    node_id = dataset_node_id if is_dataset else job_node_id
    return SearchResult(
        found.name,
        "DATASET" if is_dataset else "JOB",
        None if found.updated_at is None else format_instant(found.updated_at),
        found.namespace,
        node_id(found.namespace, found.name),
        SearchMatch(SearchPlace(hit.match.place), hit.match.text),
    )


_V2_PAGE = Page(limit=10, offset=0)
_EVENT_TYPES = {NEW: "OTHER"} | {state: kind.name for kind, state in ENDS.items()}
_V2_ANSWERS = answers(SearchHits, _HITS, 400)


@v2_router.get("/search/jobs", responses=_V2_ANSWERS)
def search_jobs(connection: ReadConnection, q: Text) -> Response:
    """Search jobs; each comes with its facets and those of its newest run."""
    query = SearchQuery(q, (TermSource.JOB,))
    found, _ = search(connection, query, _V2_PAGE)
    ids = [hit.found.id for hit in found]
    facets = read_facets(connection, ids, Slot.JOB)
    runs = read_newest_runs(connection, ids, NOW)
    run_facets = read_facets(connection, (run.id for run in runs.values()), Slot.RUN)
    hits = []
    for hit in found:
        run = runs.get(hit.found.id)
        stated = facets.get(hit.found.id, {})
        hits.append(
            {
                **_run_fields(run),
                "name": hit.found.name,
                "namespace": hit.found.namespace,
                "type": read_job_type(stated.get(JOB_TYPE, b"")),
                "facets": _decoded(stated),
                "runFacets": _decoded(run_facets.get(run.id, {})) if run else {},
            }
        )
    return json_response(SearchHits(hits, [_highlight(hit, q) for hit in found]))


@v2_router.get("/search/datasets", responses=_V2_ANSWERS)
def search_datasets(connection: ReadConnection, q: Text) -> Response:
    """Search datasets; each comes with its facets, schema and column lineage included."""
    query = SearchQuery(q, (TermSource.DATASET,))
    found, _ = search(connection, query, _V2_PAGE)
    ids = [hit.found.id for hit in found]
    facets = read_facets(connection, ids, Slot.DATASET)
    states = read_states(connection, ids)
    digests = (each for state in states.values() for each in (state.schema, state.columns))
    bodies = BODIES.read(connection, digests)
    hits = []
    for hit in found:
        state = states[hit.found.id]
        stated = {
            name: bodies[digest]
            for name, digest in (("schema", state.schema), ("columnLineage", state.columns))
            if digest in bodies
        }
        hits.append(
            {
                **_run_fields(None),
                "name": hit.found.name,
                "namespace": hit.found.namespace,
                "inputFacets": {},
                "outputFacets": {},
                "facets": _decoded({**stated, **facets.get(hit.found.id, {})}),
            }
        )
    return json_response(SearchHits(hits, [_highlight(hit, q) for hit in found]))


def _decoded(facets: dict[str, bytes]) -> dict[str, Any]:
    return {name: msgspec.Raw(body) for name, body in sorted(facets.items())}


def _run_fields(row: NewestRun | None) -> dict[str, Any]:
    if row is None:
        return {"run_id": None, "eventType": None}
    run = make_run(row)
    return {"run_id": run.id, "eventType": _EVENT_TYPES.get(run.state, run.state)}


_FIELDS = {
    "column": "facets.schema.fields.name",
    "description": "facets.documentation.description",
    "owner": "facets.ownership.owners.name",
    "tag": "facets.tags.tags.key",
}


def _highlight(hit: Hit, query: str) -> dict[str, list[str]]:
    """The text that was found, with the words in it marked as OpenSearch marks them."""
    text = hit.match.text
    lower = text.lower()
    for word in sorted(set(words_of(query)), key=len, reverse=True):
        at = lower.find(word)
        # A few letters change their number when lowered; what is marked then would be another.
        if at >= 0 and len(lower) == len(text):
            marked = f"{text[:at]}<em>{text[at : at + len(word)]}</em>{text[at + len(word) :]}"
            return {_FIELDS.get(hit.match.place, hit.match.place): [marked]}
    return {_FIELDS.get(hit.match.place, hit.match.place): [f"<em>{text}</em>"]}
