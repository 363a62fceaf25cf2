"""What BigQuery says of its tables, and the Data Lineage API of the links between them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import httpx2

from headwater.collect.catalog.entries import Unreadable
from headwater.collect.catalog.walk import AT_ONCE
from headwater.collect.google.settings import GoogleReadSettings
from headwater.collect.rest import RestClient, RestUnavailable

Json = dict[str, Any]
_DENIED = (403, 404)
_JSON = "application/json"
# What one request of the API takes.
_LINKS_AT_ONCE = 100


class AssetReport(NamedTuple):
    """What was answered about one asset, by its fully qualified name."""

    name: str
    table: Json | None
    """BigQuery's description; None for what is no table of it, or may not be read."""
    links: list[Json]
    """Those that begin or end there."""


class GoogleApi:
    """Requests to two APIs of a project; what is refused is listed in `denied`."""

    def __init__(
        self, settings: GoogleReadSettings, transport: httpx2.BaseTransport | None = None
    ) -> None:
        self._settings = settings
        self._lineage = RestClient(settings, AT_ONCE, transport)
        tables = settings.model_copy(update={"url": settings.bigquery_url})
        self._bigquery = RestClient(tables, AT_ONCE, transport)
        self.denied: list[Unreadable] = []

    def close(self) -> None:
        self._lineage.close()
        self._bigquery.close()

    def list_datasets(self) -> list[str]:
        """The datasets of the project."""
        path = f"/bigquery/v2/projects/{self._settings.project}/datasets"
        return [
            str(each["datasetReference"]["datasetId"])
            for each in self._pages(self._bigquery, path, "datasets")
        ]

    def count_processes(self) -> int:
        """Those of the first page: whether they may be read at all."""
        found = self._lineage.get(f"/v1/{self._settings.parent}/processes?pageSize=100")
        return len(found.get("processes") or ())

    def list_tables(self) -> Iterator[str]:
        """All tables of the project as PROJECT.DATASET.TABLE."""
        project = self._settings.project
        for dataset in self.list_datasets():
            if self._settings.leaves_out(f"{project}.{dataset}.*"):
                continue
            path = f"/bigquery/v2/projects/{project}/datasets/{quote(dataset)}/tables"
            rows = self._may_list(f"tables of {dataset}", self._bigquery, path, "tables")
            for each in rows:
                yield f"{project}.{dataset}.{each['tableReference']['tableId']}"

    def read_asset(self, name: str) -> AssetReport:
        """An asset by its fully qualified name, with the links on both its sides."""
        system, _, place = name.partition(":")
        table = self._read_table(place) if system == "bigquery" else None
        links = [link for side in ("source", "target") for link in self._links(side, name)]
        return AssetReport(name, table, links)

    def read_processes(self, links: Sequence[str]) -> Iterator[tuple[Json, list[str]]]:
        """The processes behind some links, each with the names of its links."""
        by_process: dict[str, list[str]] = {}
        for start in range(0, len(links), _LINKS_AT_ONCE):
            for process, link in self._behind(links[start : start + _LINKS_AT_ONCE]):
                by_process.setdefault(process, []).append(link)
        for process, its_links in sorted(by_process.items()):
            found = self._may(f"process {process}", self._lineage, f"/v1/{process}")
            yield {"name": process, **(found or {})}, its_links

    def _read_table(self, place: str) -> Json | None:
        project, _, rest = place.partition(".")
        dataset, _, table = rest.partition(".")
        if not table:
            return None
        path = f"/bigquery/v2/projects/{project}/datasets/{quote(dataset)}/tables/{quote(table)}"
        return self._may(f"table {place}", self._bigquery, path)

    def _links(self, side: str, name: str) -> Iterator[Json]:
        path = f"/v1/{self._settings.parent}:searchLinks"
        body = {side: {"fullyQualifiedName": name}, "pageSize": 100}
        yield from self._posted(f"lineage of {name}", path, body, "links")

    def _behind(self, links: Sequence[str]) -> Iterator[tuple[str, str]]:
        path = f"/v1/{self._settings.parent}:batchSearchLinkProcesses"
        body = {"links": list(links), "pageSize": 100}
        for found in self._posted("processes", path, body, "processLinks"):
            for link in found.get("links") or ():
                yield str(found["process"]), str(link["link"])

    def _posted(self, what: str, path: str, body: Json, key: str) -> Iterator[Json]:
        token: Json = {}
        try:
            while True:
                _, found = self._lineage.post(path, {**body, **token}, _JSON)
                yield from found.get(key) or ()
                if not found.get("nextPageToken"):
                    return
                token = {"pageToken": found["nextPageToken"]}
        except RestUnavailable as error:
            self._note(what, error)

    def _pages(self, client: RestClient, path: str, key: str) -> Iterator[Json]:
        query: Mapping[str, str] = {"maxResults": "1000"}
        while True:
            found = client.get(f"{path}?{urlencode(query)}")
            yield from found.get(key) or ()
            if not found.get("nextPageToken"):
                return
            query = {"maxResults": "1000", "pageToken": found["nextPageToken"]}

    def _may_list(self, what: str, client: RestClient, path: str, key: str) -> Iterable[Json]:
        try:
            yield from self._pages(client, path, key)
        except RestUnavailable as error:
            self._note(what, error)

    def _may(self, what: str, client: RestClient, path: str) -> Json | None:
        try:
            found = client.get(path)
        except RestUnavailable as error:
            self._note(what, error)
            return None
        return found if isinstance(found, dict) else None

    def _note(self, what: str, error: RestUnavailable) -> None:
        """Note what is refused; raises where it is not that, but nothing answers."""
        if error.status not in _DENIED:
            raise error
        self.denied.append(Unreadable(what, error.reason))
