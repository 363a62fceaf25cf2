"""A column map spelled out: which columns an output column comes from, and how."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from headwater.model import facets
from headwater.model.names import is_name
from headwater.model.values.field_paths import is_nested, list_parents
from headwater.model.values.ids import dataset_id
from headwater.model.values.json_text import storable


class Transformation(NamedTuple):
    type: str | None = None
    subtype: str | None = None
    description: str | None = None
    is_masking: bool | None = None

    @property
    def is_indirect(self) -> bool:
        """Whether it decides over rows or values without being in them, as a filter does."""
        return self.type == "INDIRECT"

    @property
    def words(self) -> str:
        """As `DIRECT/IDENTITY`."""
        return "/".join(part for part in (self.type, self.subtype) if part)


class InputColumn(NamedTuple):
    """A column that an output column comes from; without a name it is all of the dataset."""

    dataset: bytes
    column: str
    transformations: tuple[Transformation, ...] = ()

    @property
    def is_indirect(self) -> bool:
        """Whether every way from here is indirect; an unreported type counts as direct."""
        return bool(self.transformations) and all(
            transformation.is_indirect for transformation in self.transformations
        )

    @property
    def is_copy(self) -> bool:
        """Whether the value is taken as it is, and with it each field inside."""
        return bool(self.transformations) and all(
            way.type == "DIRECT" and way.subtype == "IDENTITY" for way in self.transformations
        )

    @property
    def is_partly_indirect(self) -> bool:
        return any(transformation.is_indirect for transformation in self.transformations)


class ColumnMap(NamedTuple):
    """The sources of each output column, and of all rows: those under no name."""

    outputs: dict[str, tuple[InputColumn, ...]]
    inside: dict[str, list[str]] = {}
    """Outputs that are nested fields, by each path they lie inside; mostly there are none."""

    def outputs_of(self, path: str) -> list[str]:
        """The outputs that say where a column or nested field comes from.

        Itself, or else the nearest that it lies inside; and all that lie inside it.
        """
        nearest = self.nearest_output(path)
        stated = [] if nearest is None else [nearest]
        return stated + self.inside.get(path, []) if self.inside else stated

    def nearest_output(self, path: str) -> str | None:
        """The output that a column or nested field is, or else the nearest it lies inside."""
        if path in self.outputs:
            return path
        if not is_nested(path):
            return None
        return next((parent for parent in list_parents(path) if parent in self.outputs), None)

    def sources_of(self, column: str) -> tuple[InputColumn, ...]:
        """What a column comes from, and what decides over the rows it is in."""
        own, of_rows = self.outputs.get(column, ()), self.outputs.get("", ())
        return own + of_rows if column else of_rows


# A transformation that is not reported: counts as direct beside those that are.
_UNREPORTED = Transformation()

_DECODER = facets.decoder(facets.ColumnLineage)


def read_column_map(body: bytes) -> ColumnMap:
    """Spell out the content of a columnLineage facet; an unreadable one is empty."""
    found: facets.ColumnLineage | None = facets.read(_DECODER, body)
    if found is None:
        return ColumnMap({})
    outputs: dict[str, tuple[InputColumn, ...]] = {}
    for output, field in (found.fields or {}).items():
        inherited = facets.TransformationFacet(
            type=field.transformationType, description=field.transformationDescription
        )
        has_inherited = inherited.type is not None or inherited.description is not None
        sources = _sources(field.inputFields or (), (inherited,) if has_inherited else ())
        name = storable(output)
        outputs[name] = _merged((*outputs.get(name, ()), *sources))
    if found.dataset:
        of_rows = (*outputs.get("", ()), *_sources(found.dataset, ()))
        outputs[""] = _merged(of_rows)
    return ColumnMap(outputs, _inside(outputs))


def _inside(outputs: Iterable[str]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for output in outputs:
        if is_nested(output):
            for parent in list_parents(output):
                found[parent].append(output)
    return dict(found)


def _sources(
    inputs: Iterable[facets.InputField], inherited: tuple[facets.TransformationFacet, ...]
) -> list[InputColumn]:
    return [
        InputColumn(
            dataset_id(field.namespace, field.name),
            storable(field.field),
            tuple(_transformation(each) for each in field.transformations or inherited),
        )
        for field in inputs
        if is_name(field.namespace) and is_name(field.name)
    ]


def _merged(sources: tuple[InputColumn, ...]) -> tuple[InputColumn, ...]:
    """One source for each column, however often it is named."""
    if len({source[:2] for source in sources}) == len(sources):
        return sources
    ways: dict[tuple[bytes, str], dict[Transformation, None]] = {}
    for source in sources:
        stated = source.transformations or (_UNREPORTED,)
        ways.setdefault(source[:2], {}).update(dict.fromkeys(stated))
    return tuple(
        InputColumn(*key, () if list(some) == [_UNREPORTED] else tuple(some))
        for key, some in ways.items()
    )


def _transformation(stated: facets.TransformationFacet) -> Transformation:
    return Transformation(
        _storable_or_none(stated.type),
        _storable_or_none(stated.subtype),
        _storable_or_none(stated.description),
        stated.masking,
    )


def _storable_or_none(text: str | None) -> str | None:
    return None if text is None else storable(text)
