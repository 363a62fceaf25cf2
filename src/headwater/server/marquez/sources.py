"""`/sources`: where datasets are."""

from fastapi import APIRouter, Response
from msgspec import Struct

from headwater.server.http.parameters import Paging, ReadConnection, found, json_response
from headwater.server.marquez.shapes.common import instant_or_none
from headwater.server.openapi.document import answers
from headwater.store.read.sources import SourceRecord, find_source, list_sources

router = APIRouter(tags=["sources"])

# Marquez's word for a scheme, where it has another.
_TYPES = {"POSTGRES": "POSTGRESQL"}


class SourceShape(Struct):
    """A source of datasets: a database, a broker, a bucket."""

    type: str
    name: str
    createdAt: str | None
    updatedAt: str | None
    connectionUrl: str
    description: str | None


class SourceList(Struct):
    """Sources by name, and the total count."""

    sources: list[SourceShape]
    totalCount: int


_TIME = "2026-01-31T12:00:00.000000Z"
_EXAMPLE = SourceShape(
    "POSTGRESQL", "shop-db", _TIME, _TIME, "postgres://db:5432/shop", "The shop's own database."
)


@router.get("/sources", responses=answers(SourceList, SourceList([_EXAMPLE], 1), 400))
def get_sources(connection: ReadConnection, page: Paging) -> Response:
    """List the sources from events and edits, by name."""
    sources, total = list_sources(connection, page)
    return json_response(SourceList([_shape(source) for source in sources], total))


@router.get("/sources/{source:name}", responses=answers(SourceShape, _EXAMPLE, 404))
def get_source(source: str, connection: ReadConnection) -> Response:
    """Get a source; the namespace is the source of datasets that report none."""
    return json_response(_shape(found(find_source(connection, source), "source", source)))


def _shape(source: SourceRecord) -> SourceShape:
    return SourceShape(
        source.type or _type_of(source.url),
        source.name,
        instant_or_none(source.first_said),
        instant_or_none(source.last_said),
        source.url,
        source.description,
    )


def _type_of(url: str) -> str:
    """The scheme of an address: `KAFKA` of `kafka://broker:9092`, also behind `jdbc:`."""
    scheme = url.removeprefix("jdbc:").partition(":")[0].upper()
    return _TYPES.get(scheme, scheme)
