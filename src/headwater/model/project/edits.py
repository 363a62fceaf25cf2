"""What a person's edit states: an entity hidden or shown, names joined or cut, a value given."""

from headwater.model.event import Entity
from headwater.model.ids import NO_CONTENT, dataset_id, digest, job_id, namespace_id
from headwater.model.project.projection import Projection
from headwater.model.relations import Alias, EditValue, Hidden, JobRow, Voice
from headwater.model.understand import Facet, NamedDataset, read_facet


def project_edit(projection: Projection) -> None:
    """Project every aspect that an edit sets or takes back."""
    edit = projection.event.edit
    assert edit is not None
    owner = _name_entity(projection, edit.entity)
    aspects: dict[str, bytes | None] = {name: bytes(raw) for name, raw in edit.set.items()}
    aspects.update(dict.fromkeys(edit.unset))
    for aspect, raw in aspects.items():
        facet = None if raw is None else read_facet(aspect, raw)
        if aspect == "deleted":
            is_deleted = facet is not None and facet.body == b"true"
            projection.facts.add("hidden", Hidden(owner, projection.at, int(is_deleted)))
        elif aspect == "symlinks" and edit.entity.type == "dataset":
            _project_joins(projection, owner, facet)
        else:
            _project_value(projection, owner, edit.entity.field, aspect, facet)


def _name_entity(projection: Projection, entity: Entity) -> bytes:
    """An edit may come before the events about what it edits."""
    names = (entity.namespace, entity.name)
    if entity.type == "dataset":
        dataset = NamedDataset(dataset_id(*names), *names)
        projection.name(dataset)
        return dataset.id
    job = job_id(*names)
    projection.facts.add("job", JobRow(job, namespace_id(entity.namespace), *names))
    return job


def _project_joins(projection: Projection, dataset: bytes, facet: Facet | None) -> None:
    """A person's symlinks join names; an identifier of type CUT parts them."""
    for link in (facet.meaning if facet else None) or ():
        projection.name(link.dataset)
        alias = Alias(dataset, link.dataset.id, Voice.PERSON, link.joined, projection.stamp)
        projection.facts.add("alias", alias)


def _project_value(
    projection: Projection, owner: bytes, field: str, aspect: str, facet: Facet | None
) -> None:
    slot = digest(f"{field}\0{aspect}".encode())
    value = NO_CONTENT if facet is None else projection.keep(facet)
    row = EditValue(owner, slot, field, aspect, value, projection.stamp)
    projection.facts.add("edit_value", row)
