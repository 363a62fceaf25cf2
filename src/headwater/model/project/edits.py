"""What a person's edit states: an entity hidden or shown, names joined or cut, a value given."""

from collections.abc import Callable, Iterator

import msgspec

from headwater.model import facets
from headwater.model.aspects import DATASETS, DELETED, SCHEMA, SYMLINKS
from headwater.model.event import Edit, Entity
from headwater.model.facet_readers import Facet, NamedDataset, read_facet
from headwater.model.names import is_name
from headwater.model.project.projection import NO_JOB, Projection
from headwater.model.relations import (
    Alias,
    Authority,
    Declaration,
    DeclaredDataset,
    Direction,
    EditValue,
    EventRow,
    Hidden,
    JobRow,
    Named,
    NamedKind,
)
from headwater.model.values.ids import (
    NO_CONTENT,
    UNREPORTED,
    dataset_id,
    digest,
    editors_id,
    job_id,
    namespace_id,
    source_id,
    tag_id,
)

_OTHERS: dict[str, tuple[NamedKind, Callable[[str], bytes]]] = {
    "namespace": (NamedKind.NAMESPACE, namespace_id),
    "source": (NamedKind.SOURCE, source_id),
    "tag": (NamedKind.TAG, tag_id),
}


class _Reference(msgspec.Struct):
    namespace: str
    name: str


class _Datasets(msgspec.Struct):
    inputs: list[_Reference] = []
    outputs: list[_Reference] = []


_DATASETS = facets.decoder(_Datasets)


def entity_id(entity: Entity) -> bytes:
    """The id under which edits of an entity are stored."""
    if entity.type == "dataset":
        return dataset_id(entity.namespace, entity.name)
    if entity.type == "job":
        return job_id(entity.namespace, entity.name)
    return _OTHERS[entity.type][1](entity.name)


def project_edit(projection: Projection) -> None:
    """Project every aspect that an edit sets or takes back."""
    edit = projection.event.edit
    assert edit is not None
    owner = entity_id(edit.entity)
    _name_entity(projection, edit.entity, owner)
    (event,) = projection.facts.rows["event"]
    projection.facts.rows["event"] = [EventRow._make(event)._replace(job=owner)]
    aspects: dict[str, bytes | None] = {name: bytes(raw) for name, raw in edit.set.items()}
    aspects.update(dict.fromkeys(edit.unset))
    for aspect, raw in aspects.items():
        facet = None if raw is None else read_facet(aspect, raw)
        _project_value(projection, owner, edit.entity.field, aspect, facet)
        if aspect == DELETED:
            is_deleted = facet is not None and facet.body == b"true"
            for hidden in (owner, *ids_within(edit)):
                projection.facts.add("hidden", Hidden(hidden, projection.at, int(is_deleted)))
        elif edit.entity.field:
            continue
        elif edit.entity.type == "dataset" and aspect == SYMLINKS:
            _project_joins(projection, owner, facet)
        elif edit.entity.type == "dataset" and aspect == SCHEMA:
            _declare_schema(projection, owner, facet)
        elif edit.entity.type == "job" and aspect == DATASETS:
            _declare_datasets(projection, edit.entity, owner, facet)


def ids_within(edit: Edit) -> Iterator[bytes]:
    """What is hidden and shown with its namespace: named one by one, so that nothing that came
    into it later, or was deleted before, is hidden or shown as well."""
    if edit.within is not None and edit.entity.type == "namespace":
        namespace = edit.entity.name
        yield from (dataset_id(namespace, name) for name in edit.within.datasets)
        yield from (job_id(namespace, name) for name in edit.within.jobs)


def _name_entity(projection: Projection, entity: Entity, owner: bytes) -> None:
    """An edit may come before the events about what it edits."""
    if entity.type == "dataset":
        projection.name(NamedDataset(owner, entity.namespace, entity.name))
    elif entity.type == "job":
        names = (namespace_id(entity.namespace), entity.namespace, entity.name)
        projection.facts.add("job", JobRow(owner, *names))
    else:
        kind = _OTHERS[entity.type][0]
        row = Named(kind, entity.name, projection.at, projection.at)
        projection.facts.add("named", row)


def _project_joins(projection: Projection, dataset: bytes, facet: Facet | None) -> None:
    """A person's symlinks join names; an identifier of type CUT parts them."""
    for link in (facet.meaning if facet else None) or ():
        projection.name(link.dataset)
        alias = Alias(dataset, link.dataset.id, Authority.PERSON, link.joined, projection.stamp)
        projection.facts.add("alias", alias)


def _declare_schema(projection: Projection, dataset: bytes, facet: Facet | None) -> None:
    """A dataset's design: what runs say of it counts for more."""
    author, at = editors_id(dataset), projection.at
    if facet is not None:
        schema = projection.keep(facet)
        row = (author, NO_JOB, dataset, Direction.ITSELF, schema, UNREPORTED, at, at)
        projection.facts.add("declared_dataset", DeclaredDataset._make(row))
    projection.facts.add("declaration", Declaration(author, NO_JOB, at))


def _declare_datasets(
    projection: Projection, entity: Entity, job: bytes, facet: Facet | None
) -> None:
    """A job's declared datasets, in the place of those of earlier edits."""
    author, at = editors_id(job), projection.at
    stated: _Datasets | None = facets.read(_DATASETS, facet.body) if facet else None
    if stated is not None:
        names = (namespace_id(entity.namespace), entity.namespace, entity.name)
        projection.facts.add("job", JobRow(job, *names, at, at))
        sides = ((Direction.INPUT, stated.inputs), (Direction.OUTPUT, stated.outputs))
        for direction, references in sides:
            for reference in references:
                if is_name(reference.namespace) and is_name(reference.name):
                    names_of = (reference.namespace, reference.name)
                    dataset = NamedDataset(dataset_id(*names_of), *names_of)
                    projection.name(dataset)
                    row = (author, job, dataset.id, direction, UNREPORTED, UNREPORTED, at, at)
                    projection.facts.add("declared_dataset", DeclaredDataset._make(row))
    projection.facts.add("declaration", Declaration(author, job, at))


def _project_value(
    projection: Projection, owner: bytes, field: str, aspect: str, facet: Facet | None
) -> None:
    slot = digest(f"{field}\0{aspect}".encode())
    value = NO_CONTENT if facet is None else projection.keep(facet)
    row = EditValue(owner, slot, field, aspect, value, projection.stamp)
    projection.facts.add("edit_value", row)
