"""What Unity Catalog says of tables and of what uses them, by the workspace's REST API."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import httpx2

from headwater.collect.catalog.entries import Unreadable
from headwater.collect.catalog.walk import AT_ONCE
from headwater.collect.rest import RestClient, RestUnavailable
from headwater.collect.unity_catalog.settings import UnityReadSettings

Json = dict[str, Any]
_UNITY = "/api/2.1/unity-catalog"
_LINEAGE = "/api/2.0/lineage-tracking"
_DENIED = (400, 403, 404)
# Also what the token may see, but not read.
_BROWSE = {"include_browse": "true"}


class TableReport(NamedTuple):
    """What was answered about one table; None for what may not be read."""

    name: str
    table: Json
    lineage: Json
    columns: Mapping[str, list[Json]] = {}
    """For each column, those that it is made of."""
    external: tuple[Json, ...] = ()
    """Links to objects outside of the catalog, as somebody has stated them."""
    tags: list[Json] | None = None
    grants: list[Json] | None = None


class UnityApi:
    """Requests to one workspace; what is refused is listed in `denied`."""

    def __init__(
        self, settings: UnityReadSettings, transport: httpx2.BaseTransport | None = None
    ) -> None:
        self._settings = settings
        self._rest = RestClient(settings, AT_ONCE, transport)
        self.denied: list[Unreadable] = []

    def close(self) -> None:
        self._rest.close()

    def read_default_catalog(self) -> str:
        """The catalog that a name without one means in this workspace; empty if not known."""
        found = self._may(f"{_UNITY}/current-metastore-assignment", "default catalog")
        return str((found or {}).get("default_catalog_name") or "")

    def list_catalogs(self) -> list[str]:
        found = self._pages(f"{_UNITY}/catalogs", _BROWSE, "catalogs")
        return [str(each["name"]) for each in found]

    def list_tables(self) -> Iterator[str]:
        """The whole names of all tables that the token may see."""
        for catalog in self.list_catalogs():
            if self._settings.leaves_out(f"{catalog}.*"):
                continue
            query = {"catalog_name": catalog} | _BROWSE
            for schema in self._may_list(f"{_UNITY}/schemas", query, "schemas", catalog):
                yield from self._list_schema(catalog, str(schema["name"]))

    def _list_schema(self, catalog: str, schema: str) -> Iterator[str]:
        where = f"{catalog}.{schema}"
        if self._settings.leaves_out(f"{where}.*"):
            return
        query = {"catalog_name": catalog, "schema_name": schema, "omit_columns": "true"} | _BROWSE
        for table in self._may_list(f"{_UNITY}/tables", query, "tables", where):
            yield str(table.get("full_name") or f"{where}.{table['name']}")

    def read_table(self, name: str) -> TableReport | None:
        """All about one table; None where it may not be read."""
        table = self._may(f"{_UNITY}/tables/{_quoted(name)}", name, _BROWSE)
        if table is None:
            return None
        query = {"table_name": name, "include_entity_lineage": "true"}
        lineage = self._may(f"{_LINEAGE}/table-lineage", f"lineage of {name}", query) or {}
        return TableReport(
            name,
            table,
            lineage,
            self._columns(name, table, lineage),
            tuple(self._external(name)),
            self._tags(name),
            self._grants(name) if self._settings.grants else None,
        )

    def read_job(self, id: str) -> Json:
        """The settings of a job; empty where it may not be read, or is of another workspace."""
        return self._find(f"/api/2.2/jobs/get?{urlencode({'job_id': id})}")

    def read_query(self, id: str) -> Json:
        return self._find(f"/api/2.0/sql/queries/{_quoted(id)}")

    def _columns(self, name: str, table: Json, lineage: Json) -> dict[str, list[Json]]:
        """Only of what is made of other tables: there is a request for each column."""
        has_sources = any("tableInfo" in each for each in lineage.get("upstreams") or ())
        if not self._settings.columns or not has_sources:
            return {}
        found = {}
        for column in table.get("columns") or ():
            query = {"table_name": name, "column_name": str(column["name"])}
            what = f"lineage of {name}.{column['name']}"
            answer = self._may(f"{_LINEAGE}/column-lineage", what, query) or {}
            if sources := answer.get("upstream_cols"):
                found[str(column["name"])] = list(sources)
        return found

    def _external(self, name: str) -> Iterator[Json]:
        for direction in ("UPSTREAM", "DOWNSTREAM"):
            query = {"object_info.table.name": name, "lineage_direction": direction}
            key = "external_lineage_relationships"
            what = f"external lineage of {name}"
            for row in self._may_list(f"{_LINEAGE}/external-lineage", query, key, what):
                if link := row.get("external_lineage_info"):
                    yield link

    def _tags(self, name: str) -> list[Json] | None:
        path = f"{_UNITY}/entity-tag-assignments/tables/{_quoted(name)}/tags"
        return self._list_or_none(path, "tag_assignments", f"tags of {name}")

    def _grants(self, name: str) -> list[Json] | None:
        path = f"{_UNITY}/effective-permissions/table/{_quoted(name)}"
        return self._list_or_none(path, "privilege_assignments", f"grants of {name}")

    def _list_or_none(self, path: str, key: str, what: str) -> list[Json] | None:
        """A list; None, and noted, where it may not be read."""
        try:
            return list(self._pages(path, {}, key))
        except RestUnavailable as error:
            self._note(what, error)
            return None

    def _find(self, path: str) -> Json:
        found = self._rest.find(path, *_DENIED)
        return found if isinstance(found, dict) else {}

    def _may(self, path: str, what: str, query: Mapping[str, str] | None = None) -> Json | None:
        """What is answered; None, and noted, where that may not be read."""
        try:
            found = self._rest.get(f"{path}?{urlencode(query)}" if query else path)
        except RestUnavailable as error:
            self._note(what, error)
            return None
        return found if isinstance(found, dict) else {}

    def _may_list(self, path: str, query: Mapping[str, str], key: str, what: str) -> Iterable[Json]:
        try:
            yield from self._pages(path, query, key)
        except RestUnavailable as error:
            self._note(what, error)

    def _note(self, what: str, error: RestUnavailable) -> None:
        """Note what is refused; raises where it is not that, but nothing answers."""
        if error.status not in _DENIED:
            raise error
        self.denied.append(Unreadable(what, error.reason))

    def _pages(self, path: str, query: Mapping[str, str], key: str) -> Iterator[Json]:
        token = ""
        while True:
            more = dict(query) | ({"page_token": token} if token else {})
            found = self._rest.get(f"{path}?{urlencode(more)}" if more else path)
            rows = found.get(key) if isinstance(found, dict) else None
            yield from (row for row in rows or () if isinstance(row, dict))
            token = str(found.get("next_page_token") or "") if isinstance(found, dict) else ""
            if not token:
                return


def _quoted(name: str) -> str:
    return quote(name, safe="")
