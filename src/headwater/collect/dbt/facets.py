"""Facets of datasets and jobs: what a project states of them, whose they are, personal data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headwater.collect.dbt.artifacts import Manifest, ManifestOwner
from headwater.collect.dbt.columns import TableLineage, describe_column
from headwater.collect.dbt.tables import ProjectTable
from headwater.emit.events import COMPLETE_SNAPSHOTS, Producer

Json = dict[str, Any]

PRODUCER = Producer.of_part("collect/dbt")
PERSONAL = "personal data"
_NO = ("", "false", "no", "none", "0")


class ProjectFacets:
    """Builds the facets of one project; `personal` are the keys of meta that mark personal data."""

    def __init__(self, manifest: Manifest, personal: Sequence[str]) -> None:
        self._groups = {each.name: each.owner for each in manifest.groups.values()}
        self._personal = {each.lower() for each in personal}

    def dataset(self, table: ProjectTable, facets: Json | None = None) -> Json:
        """A dataset in an event, with its other names."""
        found = dict(facets or {})
        if table.other_names:
            found["symlinks"] = PRODUCER.symlinks(table.other_names)
        named: Json = {"namespace": table.dataset.namespace, "name": table.dataset.name}
        return named | ({"facets": found} if found else {})

    def described(self, table: ProjectTable, known: TableLineage) -> Json:
        """A dataset with all that the project states of it, whoever writes it."""
        node = table.node
        facets: Json = {"dbt_table": PRODUCER.custom_facet(**_about(table))}
        if known.is_complete:
            facets |= self.schema(table, known)
        if node.description:
            facets["documentation"] = PRODUCER.facet(
                "DocumentationDatasetFacet", description=node.description
            )
        if owners := self.owners(node.meta, node.config, node.group):
            facets["ownership"] = PRODUCER.facet("OwnershipDatasetFacet", owners=owners)
        tags = self.tags(node.tags, node.meta)
        for column in (node.columns or {}).values():
            tags += self.tags(column.tags, column.meta, _spelled(column.name, known))
        if tags:
            facets["tags"] = PRODUCER.facet("TagsDatasetFacet", tags=tags)
        return self.dataset(table, facets)

    def schema(self, table: ProjectTable, known: TableLineage) -> Json:
        """The schema facet, with the descriptions of columns; empty without any column."""
        fields = []
        for column in known.columns:
            stated = describe_column(table.node, column.name)
            field = {"name": column.name} | ({"type": column.type} if column.type else {})
            if stated is not None and stated.description:
                field["description"] = stated.description
            fields.append(field)
        return {"schema": PRODUCER.facet("SchemaDatasetFacet", fields=fields)} if fields else {}

    def owners(
        self, meta: Json | None, config: Json | None = None, group: str | None = None
    ) -> list[Json]:
        """Owners as meta states them, else the group's."""
        stated = (meta or {}).get("owner") or ((config or {}).get("meta") or {}).get("owner")
        names = _names(stated) or _owner_names(self._groups.get(group or ""))
        return [{"name": name, "type": "OWNER"} for name in names]

    def tags(self, tags: Sequence[str] | None, meta: Json | None, field: str = "") -> list[Json]:
        """Tags, and one for personal data where a key of meta marks it."""
        names = list(tags or ())
        is_personal = any(
            key.lower() in self._personal and str(value).lower() not in _NO
            for key, value in (meta or {}).items()
        )
        if is_personal and PERSONAL not in names:
            names.append(PERSONAL)
        place = {"field": field} if field else {}
        return [{"key": name, "value": "true", "source": "DBT", **place} for name in names]

    def job(
        self,
        kind: str,
        description: str | None = None,
        owners: Sequence[Json] = (),
        tags: Sequence[Json] = (),
        **further: Json,
    ) -> Json:
        facets: Json = {"jobType": PRODUCER.job_type("BATCH", "DBT", kind, COMPLETE_SNAPSHOTS)}
        if description:
            facets["documentation"] = PRODUCER.facet(
                "DocumentationJobFacet", description=description
            )
        if owners:
            facets["ownership"] = PRODUCER.facet("OwnershipJobFacet", owners=list(owners))
        if tags:
            facets["tags"] = PRODUCER.facet("TagsJobFacet", tags=list(tags))
        return facets | further


def exposure_owners(owner: ManifestOwner | None) -> list[Json]:
    return [{"name": name, "type": "OWNER"} for name in _owner_names(owner)]


def _owner_names(owner: ManifestOwner | None) -> list[str]:
    if owner is None:
        return []
    return [owner.name] if owner.name else _names(owner.email)


def _names(stated: object) -> list[str]:
    """One name or several; of a mapping its name, else its address."""
    if isinstance(stated, Mapping):
        return _names(stated.get("name") or stated.get("email"))
    if isinstance(stated, Iterable) and not isinstance(stated, str):
        return [name for each in stated for name in _names(each)]
    return [stated] if isinstance(stated, str) and stated else []


def _spelled(name: str, known: TableLineage) -> str:
    """A column as its schema spells it."""
    lowered = name.lower()
    return next((each.name for each in known.columns if each.name.lower() == lowered), name)


def _about(table: ProjectTable) -> Json:
    node = table.node
    found = {
        "uniqueId": node.unique_id,
        "materialized": node.materialized,
        "file": node.original_file_path,
        "group": node.group,
        "loader": node.loader,
        "meta": node.meta,
        "columnMeta": {c.name: c.meta for c in (node.columns or {}).values() if c.meta},
    }
    return {key: value for key, value in found.items() if value}
