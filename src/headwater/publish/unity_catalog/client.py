"""Unity Catalog by Databricks' SDK: its calls, and what its errors mean for an item or a pass."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from databricks.sdk import errors
from databricks.sdk.core import ApiClient, Config
from databricks.sdk.errors.base import DatabricksError
from databricks.sdk.service import catalog, sql
from pydantic import SecretStr

from headwater.errors import BadConfig, TargetUnavailable
from headwater.publish.catalog import ItemRefused, ItemSkipped, ItemState, Json, KeyRefused
from headwater.publish.catalog.summary import MARK
from headwater.publish.unity_catalog.items import MADE_BY

# The SDK repeats what the network loses; where we are to wait, that is up to who publishes.
_SDK_RETRY_SECONDS = 3
_TIMEOUT_SECONDS = 30
_MAX_REASON = 500
_METADATA_FIELDS = ("system_type", "entity_type", "description", "columns", "properties")
_LINEAGE_FIELDS = ("columns", "properties")
_OURS = "an object of that name is there, and was not made by Headwater; rename or remove that one"


class UnityClient:
    """One workspace, with the calls that publishing takes."""

    def __init__(self, url: str, token: SecretStr, warehouse: str) -> None:
        self._url = url
        self._token = token.get_secret_value()
        self._warehouse = warehouse
        with self._meaning():
            config = Config(
                host=url,
                token=self._token,
                auth_type="pat",
                retry_timeout_seconds=_SDK_RETRY_SECONDS,
                http_timeout_seconds=_TIMEOUT_SECONDS,
            )
            api = ApiClient(config)
        self._metadata: catalog.ExternalMetadataAPI = _service(catalog.ExternalMetadataAPI, api)
        self._lineage: catalog.ExternalLineageAPI = _service(catalog.ExternalLineageAPI, api)
        self._tables: catalog.TablesAPI = _service(catalog.TablesAPI, api)
        self._statements: sql.StatementExecutionAPI = _service(sql.StatementExecutionAPI, api)

    def list_one_object(self) -> None:
        """Whether the objects can be read at all."""
        with self._meaning():
            next(iter(self._metadata.list_external_metadata(page_size=1)), None)

    def write_object(self, name: str, body: Json) -> str:
        given = catalog.ExternalMetadata.from_dict({"name": name, **body})
        with self._meaning():
            try:
                found = self._metadata.create_external_metadata(given)
            except (errors.AlreadyExists, errors.ResourceConflict):
                return self.update_object(name, body)
        return found.id or name

    def update_object(self, name: str, body: Json) -> str:
        """ItemChange an object that we have made; one that is gone is made again."""
        given = catalog.ExternalMetadata.from_dict({"name": name, **body})
        with self._meaning():
            try:
                there = self._metadata.get_external_metadata(name)
                if not _is_ours(there.properties):
                    raise ItemRefused(_OURS)
                mask = ",".join(_METADATA_FIELDS)
                found = self._metadata.update_external_metadata(name, given, mask)
            except errors.NotFound:
                found = self._metadata.create_external_metadata(given)
        return found.id or name

    def remove_object(self, name: str) -> None:
        with self._meaning():
            try:
                self._metadata.delete_external_metadata(name)
            except errors.NotFound:
                return

    def compare_object(self, name: str, body: Json) -> ItemState:
        with self._meaning():
            try:
                found = self._metadata.get_external_metadata(name).as_dict()
            except errors.NotFound:
                return ItemState.MISSING
        return _compare(found, body, _METADATA_FIELDS)

    def write_lineage(self, body: Json) -> str:
        given = catalog.CreateRequestExternalLineage.from_dict(body)
        with self._meaning():
            try:
                found = self._lineage.create_external_lineage_relationship(given)
            except (errors.AlreadyExists, errors.ResourceConflict):
                return self.update_lineage(body)
        return found.id or ""

    def update_lineage(self, body: Json) -> str:
        given = catalog.UpdateRequestExternalLineage.from_dict(body)
        mask = ",".join(_LINEAGE_FIELDS)
        with self._meaning():
            try:
                found = self._lineage.update_external_lineage_relationship(given, mask)
            except errors.NotFound:
                created = catalog.CreateRequestExternalLineage.from_dict(body)
                found = self._lineage.create_external_lineage_relationship(created)
        return found.id or ""

    def remove_lineage(self, ends: Json) -> None:
        given = catalog.DeleteRequestExternalLineage.from_dict(ends)
        with self._meaning():
            try:
                self._lineage.delete_external_lineage_relationship(given)
            except errors.NotFound:
                return

    def compare_lineage(self, body: Json) -> ItemState:
        source = catalog.ExternalLineageObject.from_dict(body["source"])
        with self._meaning():
            try:
                every = list(
                    self._lineage.list_external_lineage_relationships(
                        source, catalog.LineageDirection.DOWNSTREAM
                    )
                )
            except errors.NotFound:
                return ItemState.MISSING
        for each in every:
            link = each.external_lineage_info
            if link is not None and link.target.as_dict() == body["target"]:
                return _compare(link.as_dict(), body, _LINEAGE_FIELDS)
        return ItemState.MISSING

    def write_table(self, name: str, properties: Mapping[str, str], comment: str) -> str:
        """Set properties of a table; and its comment, unless a person has written one."""
        there = self._get_table(name)
        pairs = ", ".join(f"{_literal(key)} = {_literal(properties[key])}" for key in properties)
        if pairs:
            self._run(f"ALTER TABLE {_quoted(name)} SET TBLPROPERTIES ({pairs})")
        if not comment:
            return name
        if not there.comment or there.comment.startswith(MARK):
            self._run(f"COMMENT ON TABLE {_quoted(name)} IS {_literal(comment)}")
        return name

    def remove_table(self, name: str, prefix: str) -> None:
        """Take our properties and our comment off a table; it stays."""
        try:
            there = self._get_table(name)
        except ItemSkipped:
            return
        ours = [key for key in there.properties or {} if key.startswith(f"{prefix}.")]
        if ours:
            keys = ", ".join(map(_literal, sorted(ours)))
            self._run(f"ALTER TABLE {_quoted(name)} UNSET TBLPROPERTIES IF EXISTS ({keys})")
        if (there.comment or "").startswith(MARK):
            self._run(f"COMMENT ON TABLE {_quoted(name)} IS NULL")

    def compare_table(self, name: str, properties: Mapping[str, str]) -> ItemState:
        try:
            there = self._get_table(name)
        except ItemSkipped:
            return ItemState.MISSING
        kept = there.properties or {}
        is_same = all(kept.get(key) == value for key, value in properties.items())
        return ItemState.SAME if is_same else ItemState.DIFFERENT

    def _get_table(self, name: str) -> catalog.TableInfo:
        with self._meaning():
            return self._tables.get(name)

    def _run(self, statement: str) -> None:
        with self._meaning():
            done = self._statements.execute_statement(
                statement, self._warehouse, wait_timeout="30s"
            )
        status = done.status
        if status is None or status.state is not sql.StatementState.SUCCEEDED:
            error = status.error if status is not None else None
            state = status.state.value if status is not None and status.state else "no state"
            reason = (error.message if error else "") or state
            is_retriable = state in ("PENDING", "RUNNING", "CLOSED", "CANCELED")
            raise ItemRefused(self._masked(reason), is_retriable)

    @contextmanager
    def _meaning(self) -> Iterator[None]:
        """What the SDK raises, as what it means: for the item, or for the whole pass."""
        try:
            yield
        except errors.Unauthenticated as error:
            raise KeyRefused(self._url, f"the token is refused: {self._masked(error)}") from None
        except errors.PermissionDenied as error:
            raise ItemRefused(f"not allowed: {self._masked(error)}") from None
        except errors.NotFound as error:
            raise ItemSkipped(f"not in Unity Catalog: {self._masked(error)}") from None
        except (errors.TooManyRequests, errors.TemporarilyUnavailable) as error:
            wait = float(error.retry_after_secs or 1)
            raise TargetUnavailable(self._url, self._masked(error), wait) from None
        except (errors.InternalError, errors.DeadlineExceeded, errors.Aborted) as error:
            raise ItemRefused(self._masked(error), is_retriable=True) from None
        except DatabricksError as error:
            raise ItemRefused(self._masked(error)) from None
        except TimeoutError as error:
            # With the SDK's own patience over: what it met last tells more.
            cause = error.__cause__
            requested: float | None = getattr(cause, "retry_after_secs", None)
            reason = f"no answer: {self._masked(cause or error)}"
            raise TargetUnavailable(self._url, reason, requested) from None
        except OSError as error:
            raise TargetUnavailable(self._url, f"no answer: {self._masked(error)}") from None
        except ValueError as error:
            raise BadConfig("url", self._masked(error)) from None

    def _masked(self, error: object) -> str:
        """A message in one line, without the token: some repeat what they were sent."""
        text = " ".join(str(error).split())[:_MAX_REASON]
        return text.replace(self._token, "***")


def _service(kind: Any, api: ApiClient) -> Any:
    # The SDK's constructors have no types.
    return kind(api)


def _is_ours(properties: Mapping[str, str] | None) -> bool:
    return MADE_BY.items() <= (properties or {}).items()


def _compare(found: Mapping[str, Any], body: Json, fields: tuple[str, ...]) -> ItemState:
    """By the fields that we publish; an empty one may be left out."""
    same = all((found.get(field) or None) == (body.get(field) or None) for field in fields)
    return ItemState.SAME if same else ItemState.DIFFERENT


def _literal(text: str) -> str:
    r"""A string of Spark SQL: with `\` and `'` escaped."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def _quoted(name: str) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in name.split("."))
