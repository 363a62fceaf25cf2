"""Tableflow: the tables that are made of topics, and the catalogs that they are in."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from headwater.collect.confluent import reports
from headwater.collect.confluent.observation import (
    PRODUCER,
    Observation,
    SeenDataset,
    SeenJob,
    UsedDataset,
    lineage_facet,
)
from headwater.collect.confluent.reports import ClusterReport, inner, text
from headwater.emit.gaps import GapEntry
from headwater.model.confluent import facets as names
from headwater.model.confluent.job_kinds import TABLEFLOW
from headwater.model.confluent.names import (
    glue_table,
    other_table_names,
    tableflow_table,
    topic,
    uc_table,
)
from headwater.model.naming import DatasetName, by_location

Json = dict[str, Any]


def observe_tables(
    cluster: ClusterReport, schemas: Mapping[str, Json], unread: frozenset[str]
) -> Iterator[Observation]:
    """The tables of a cluster's topics; `schemas` are the schema facets of topics, and `unread`
    are facets that could not be read."""
    integrations = {text(each, "id"): each for each in cluster.integrations}
    for table in cluster.tables:
        name = text(table, "spec", "display_name")
        for seen in _Table(cluster, name, table, integrations, schemas.get(name)).seen():
            if isinstance(seen, SeenDataset):
                seen = seen._replace(unread=unread)
            yield Observation(cluster.where, reports.TABLEFLOW, seen)


class _Table:
    """The table of one topic."""

    def __init__(
        self,
        cluster: ClusterReport,
        name: str,
        found: Json,
        integrations: dict[str, Json],
        schema: Json | None,
    ) -> None:
        self._cluster = cluster
        self._name = name
        self._found = found
        self._integrations = integrations
        self._schema = {"schema": schema} if schema else {}
        place = (cluster.environment_id, cluster.id)
        self._topic = topic(*place, name)
        self._dataset = tableflow_table(*place, name)
        self._syncs = {
            text(each, "catalog_integration_id"): each
            for each in inner(found, "status").get("catalog_sync_statuses") or ()
            if isinstance(each, dict)
        }

    def seen(self) -> Iterator[SeenJob | SeenDataset]:
        yield SeenDataset(self._dataset, {**self._schema, **self._table_facets()})
        error = text(self._found, "status", "error_message")
        yield self._job(f"tableflow/{self._name}", self._topic, self._dataset, error)
        for id in sorted(self._syncs or self._integrations):
            yield from self._in_catalog(id)

    def _in_catalog(self, id: str) -> Iterator[SeenJob | SeenDataset]:
        sync = self._syncs.get(id, {})
        integration = self._integrations.get(id)
        job = f"tableflow/{self._name}/{id}"
        if integration is None:
            sentence = "The catalog integration is not listed: which table it is, is not known."
            gap = GapEntry("output", id, sentence)
            yield self._job(job, self._dataset, None, "", [gap])
            return
        if inner(integration, "spec").get("suspended") is True:
            return
        table = self._catalog_table(inner(integration, "spec", "config"))
        if table is None:
            kind = text(integration, "spec", "config", "kind")
            gap = GapEntry("output", id, f"Catalogs of the kind '{kind}' are not known.")
            yield self._job(job, self._dataset, None, "", [gap])
            return
        failed = text(sync, "sync_status") in ("FAILED", "DISCONNECTED")
        error = text(sync, "error_message") or ("the catalog is not updated" if failed else "")
        others = other_table_names(table)
        symlinks = {"symlinks": PRODUCER.symlinks(others)} if others else {}
        yield SeenDataset(table, {**self._schema, **symlinks})
        yield self._job(job, self._dataset, table, error if failed else "")

    def _catalog_table(self, config: Json) -> DatasetName | None:
        """The table as its catalog has it: a dot is no part of a table's name there."""
        table = self._name.replace(".", "_")
        match text(config, "kind"):
            case "Unity":
                workspace = text(config, "workspace_endpoint").rstrip("/")
                schema = text(config, "custom_schema") or self._cluster.id
                return uc_table(workspace, text(config, "catalog_name"), schema, table)
            case "AwsGlue":
                database = text(config, "custom_database") or self._cluster.id
                return glue_table(self._region, database, table)
            case "Snowflake":
                host = urlsplit(text(config, "endpoint")).hostname or text(config, "endpoint")
                schema = text(config, "custom_namespace") or self._cluster.id
                name = f"{text(config, 'warehouse')}.{schema}.{table}"
                return DatasetName(f"snowflake://{host}", name)
        return None

    @property
    def _region(self) -> str:
        """Where the table's files are, and so its Glue catalog."""
        own = text(self._found, "spec", "storage", "bucket_region")
        return own or self._cluster.region

    def _table_facets(self) -> Json:
        spec, status = inner(self._found, "spec"), inner(self._found, "status")
        path = text(spec, "storage", "table_path")
        facet = PRODUCER.custom_facet(
            topic=self._name,
            table_formats=spec.get("table_formats"),
            storage_kind=text(spec, "storage", "kind") or None,
            table_path=path or None,
            phase=text(status, "phase") or None,
            write_mode=text(status, "write_mode") or None,
            suspended=spec.get("suspended") is True,
            catalog_integrations=sorted(self._syncs or self._integrations),
            cluster_id=self._cluster.id,
            environment_id=self._cluster.environment_id,
        )
        return {names.TABLEFLOW: facet, **(_location(path) if path else {})}

    def _job(
        self,
        name: str,
        source: DatasetName,
        target: DatasetName | None,
        error: str,
        gaps: list[GapEntry] | None = None,
    ) -> SeenJob:
        outputs = [UsedDataset(target, lineage_facet([source]))] if target else []
        return SeenJob(
            TABLEFLOW,
            DatasetName(self._cluster.namespace, name),
            {},
            [UsedDataset(source)],
            outputs,
            gaps or [],
            error or None,
        )


def _location(path: str) -> Json:
    """The files of a table, by which engines that read them know it."""
    place = {**by_location(path)._asdict(), "type": "LOCATION"}
    return {"symlinks": PRODUCER.facet("SymlinksDatasetFacet", identifiers=[place])}
