"""What the Glue Data Catalog holds, and its crawlers and jobs, by boto3."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore import exceptions

from headwater.clouds.aws import (
    KEY_ERRORS,
    MISSING_ERRORS,
    error_code,
    error_status,
    in_one_line,
    open_client,
)
from headwater.collect.catalog.entries import Unreadable
from headwater.collect.glue.settings import GlueReadSettings
from headwater.collect.rest import RestUnavailable
from headwater.errors import SourceUnavailable

Json = dict[str, Any]
_ADVICE = "check --region, and the credentials as `aws glue get-databases` does"
_DENIED = frozenset(("AccessDeniedException", "InvalidInputException")) | MISSING_ERRORS


class GlueApi:
    """Requests to Glue in one region; what is refused is listed in `denied`."""

    def __init__(self, settings: GlueReadSettings) -> None:
        self._address = settings.address_of("glue")
        self._client = open_client(settings, "glue")
        self._settings = settings
        self._catalog = {"CatalogId": settings.account} if settings.account else {}
        self.denied: list[Unreadable] = []

    def close(self) -> None:
        self._client.close()

    def list_databases(self) -> list[str]:
        with self._meaning():
            found = list(self._pages("get_databases", "DatabaseList", self._catalog))
        return [str(each["Name"]) for each in found]

    def list_tables(self) -> Iterator[Json]:
        """All tables that are chosen, or those that the settings name."""
        requested = self._settings.tables
        named = {name.partition(".")[0] for name in requested}
        for database in sorted(named) if requested else self.list_databases():
            if self._settings.leaves_out(f"{database}.*"):
                continue
            own = {"DatabaseName": database, **self._catalog}
            found = self._pages("get_tables", "TableList", own)
            for table in self._may(f"database {database}", found):
                name = f"{database}.{table['Name']}"
                if name in requested or (not requested and self._settings.is_chosen(name)):
                    yield table

    def list_crawlers(self) -> list[Json]:
        return self._may("crawlers", self._pages("get_crawlers", "Crawlers", {}))

    def list_jobs(self) -> list[Json]:
        return self._may("jobs", self._pages("get_jobs", "Jobs", {}))

    def read_tags(self, kind: str, name: str, account: str) -> dict[str, str]:
        """The tags of a crawler or job; none where its account is not known."""
        if not account:
            return {}
        arn = f"arn:aws:glue:{self._settings.region}:{account}:{kind}/{name}"

        def read() -> Iterator[Json]:
            yield self._client.get_tags(ResourceArn=arn)["Tags"]

        return dict((self._may(f"tags of {kind} {name}", read()) or [{}])[0])

    def _may(self, what: str, found: Iterator[Json]) -> list[Json]:
        """What is read; nothing, and noted, where that is not allowed."""
        try:
            with self._meaning():
                return list(found)
        except _Refused as error:
            self.denied.append(Unreadable(what, str(error)))
            return []

    def _pages(self, operation: str, key: str, given: Json) -> Iterator[Json]:
        token: Json = {}
        while True:
            found = getattr(self._client, operation)(**given, **token)
            yield from found.get(key) or ()
            if not found.get("NextToken"):
                return
            token = {"NextToken": found["NextToken"]}

    @contextmanager
    def _meaning(self) -> Iterator[None]:
        """What boto3 raises, as what it means: for a part, or for the whole pass."""
        try:
            yield
        except exceptions.ClientError as error:
            code, reason = error_code(error), in_one_line(error)
            if code in KEY_ERRORS or error_status(error) == 401:
                raise RestUnavailable(self._address, reason, _ADVICE) from None
            if code in _DENIED or error_status(error) == 403:
                raise _Refused(self._address, reason) from None
            raise SourceUnavailable(self._address, reason) from None
        except (exceptions.BotoCoreError, OSError) as error:
            reason = f"no answer: {in_one_line(error)}"
            raise RestUnavailable(self._address, reason, _ADVICE) from None


class _Refused(SourceUnavailable):
    """A part that may not be read, or is not there."""
