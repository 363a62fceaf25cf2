"""Structures, arrays and maps in expressions: how they are built, taken apart and rebuilt."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from headwater.model.values.derivation import AGGREGATED, CHANGED
from headwater.spark.columns.sources import (
    KEY,
    NOTHING,
    VALUE,
    Deciding,
    PlanValue,
    ValueForm,
    array_of,
    combine,
    map_of,
    parts_of_type,
)
from headwater.spark.plan import PlanNode


class ValueReader(Protocol):
    """Gives where the value of an expression comes from."""

    def read(self, node: PlanNode) -> PlanValue: ...


def decided_by(values: Sequence[PlanValue], subtype: str = "CONDITIONAL") -> frozenset[Deciding]:
    return frozenset[Deciding]().union(*(value.deciding(subtype) for value in values))


def _all(reader: ValueReader, node: PlanNode) -> list[PlanValue]:
    return [reader.read(child) for child in node.children]


def made_of_all(values: Sequence[PlanValue]) -> PlanValue:
    made = combine([value.through(CHANGED) for value in values])
    return PlanValue(made.direct, made.indirect)


def _struct(reader: ValueReader, node: PlanNode) -> PlanValue:
    """Names and values in turn."""
    names, values = node.children[::2], node.children[1::2]
    members = {
        str(name.fields.get("value")): reader.read(value)
        for name, value in zip(names, values, strict=True)
    }
    return PlanValue(members=members)


def _field(reader: ValueReader, node: PlanNode) -> PlanValue:
    """A field of a structure: the one that was put in, or the one of that name in a column."""
    return reader.read(node.children[0]).at(node.fields["ordinal"])


def _with_fields(reader: ValueReader, node: PlanNode) -> PlanValue:
    """A structure with fields added, replaced or dropped."""
    whole = reader.read(node.children[0])
    if whole.members is None:
        return made_of_all(_all(reader, node))
    members = dict(whole.members)
    for change in node.children[1:]:
        # Spark goes by names in any case.
        name = str(change.fields["name"])
        given = {known.lower(): known for known in members}.get(name.lower(), name)
        if change.kind == "WithField":
            members[given] = reader.read(change.children[0])
        else:
            members.pop(given, None)
    return PlanValue(members=members, indirect=whole.indirect)


def _array(reader: ValueReader, node: PlanNode) -> PlanValue:
    return array_of(combine(_all(reader, node)))


def _repeated(reader: ValueReader, node: PlanNode) -> PlanValue:
    value, *rest = _all(reader, node)
    return array_of(value).beside(decided_by(rest))


def _item(reader: ValueReader, node: PlanNode) -> PlanValue:
    """An element of an array, or the value of a map at a key; the index or key chooses it."""
    whole, *chosen_by = _all(reader, node)
    if whole.form is ValueForm.MAP and whole.members is not None:
        keys = decided_by([whole.members[KEY], *chosen_by])
        return whole.step(ValueForm.MAP, VALUE).beside(keys)
    return whole.element().beside(decided_by(chosen_by))


def _fields_of_elements(reader: ValueReader, node: PlanNode) -> PlanValue:
    """`lines.sku`: an array of one field of the elements."""
    return array_of(reader.read(node.children[0]).element().at(node.fields["ordinal"]))


def _rearranged(reader: ValueReader, node: PlanNode) -> PlanValue:
    """The same elements, or some of them, in another order; or of a text, its characters."""
    array, *chosen_by = _all(reader, node)
    if array.members is None or array.form is not ValueForm.ARRAY:
        return made_of_all([array, *chosen_by])
    return array_of(array.element()).beside(decided_by(chosen_by))


def _joined(reader: ValueReader, node: PlanNode) -> PlanValue:
    """Arrays one after another; texts are changed by it."""
    values = [value for value in _all(reader, node) if not value.is_empty]
    if not values or any(
        each.members is None or each.form is not ValueForm.ARRAY for each in values
    ):
        return made_of_all(values)
    return array_of(combine([each.element() for each in values]))


def _added(reader: ValueReader, node: PlanNode) -> PlanValue:
    """An array and an element more; a place decides where."""
    array, *places, element = _all(reader, node)
    return array_of(combine([array.element(), element])).beside(decided_by(places))


def _flattened(reader: ValueReader, node: PlanNode) -> PlanValue:
    return array_of(reader.read(node.children[0]).element().element())


def _zipped(reader: ValueReader, node: PlanNode) -> PlanValue:
    """Arrays side by side: an array of structures."""
    names = [
        str(each[0].get("value", place))
        for place, each in enumerate(node.fields.get("names") or [])
        if isinstance(each, list) and each
    ]
    values = [value.element() for value in _all(reader, node)]
    if len(names) != len(values):
        names = [str(place) for place in range(len(values))]
    return array_of(PlanValue(members=dict(zip(names, values, strict=True))))


def _map(reader: ValueReader, node: PlanNode) -> PlanValue:
    """Keys and values in turn."""
    values = _all(reader, node)
    return map_of(combine(values[::2]), combine(values[1::2]))


def _map_of_arrays(reader: ValueReader, node: PlanNode) -> PlanValue:
    keys, values = _all(reader, node)
    return map_of(keys.element(), values.element())


def _map_of_entries(reader: ValueReader, node: PlanNode) -> PlanValue:
    entry = reader.read(node.children[0]).element()
    return map_of(entry.at(0), entry.at(1))


def _maps_joined(reader: ValueReader, node: PlanNode) -> PlanValue:
    values = _all(reader, node)
    return map_of(
        combine([each.step(ValueForm.MAP, KEY) for each in values]),
        combine([each.step(ValueForm.MAP, VALUE) for each in values]),
    )


def _keys(reader: ValueReader, node: PlanNode) -> PlanValue:
    return array_of(reader.read(node.children[0]).step(ValueForm.MAP, KEY))


def _values(reader: ValueReader, node: PlanNode) -> PlanValue:
    return array_of(reader.read(node.children[0]).step(ValueForm.MAP, VALUE))


def _entries(reader: ValueReader, node: PlanNode) -> PlanValue:
    return array_of(_entry(reader.read(node.children[0])))


def _entry(value: PlanValue) -> PlanValue:
    members = {KEY: value.step(ValueForm.MAP, KEY), VALUE: value.step(ValueForm.MAP, VALUE)}
    return PlanValue(members=members)


def _collected(reader: ValueReader, node: PlanNode) -> PlanValue:
    """The values of many rows as an array."""
    return array_of(reader.read(node.children[0]).throughout(AGGREGATED))


def _one_of_many(reader: ValueReader, node: PlanNode) -> PlanValue:
    """A value of one of many rows, as it is."""
    value, *chosen_by = _all(reader, node)
    return value.throughout(CHANGED).beside(decided_by(chosen_by))


def _largest(reader: ValueReader, node: PlanNode) -> PlanValue:
    """The largest or smallest of many; of structures, each field decides about the others."""
    value = reader.read(node.children[0])
    deciding = value.deciding("CONDITIONAL") if value.members is not None else frozenset()
    return value.throughout(CHANGED).beside(deciding)


def _of_other_row(reader: ValueReader, node: PlanNode) -> PlanValue:
    """The value of a row before or after, or the default where there is none."""
    value, offset, default = _all(reader, node)
    return combine([value, default]).throughout(CHANGED).beside(decided_by([offset]))


def _body(reader: ValueReader, node: PlanNode, place: int = -1) -> PlanValue:
    """What a lambda gives; its variables are bound to what the function gives it."""
    function = node.children[place]
    return reader.read(function.children[0] if function.kind == "LambdaFunction" else function)


def _transformed(reader: ValueReader, node: PlanNode) -> PlanValue:
    array, made = reader.read(node.children[0]), _body(reader, node)
    if not made.whole and not made.all_indirect:
        # Of the array there is then how long it is.
        return array_of(made).beside(array.deciding("CONDITIONAL"))
    return array_of(made).beside(array.indirect)


def _filtered(reader: ValueReader, node: PlanNode) -> PlanValue:
    """The elements, or entries, of which a condition holds."""
    whole = reader.read(node.children[0])
    condition = _body(reader, node).deciding("CONDITIONAL")
    if whole.members is None:
        return whole.through(CHANGED).beside(condition)
    if whole.form is ValueForm.ARRAY:
        return array_of(whole.element()).beside(whole.indirect | condition)
    entry = _entry(whole)
    return map_of(entry.at(0), entry.at(1)).beside(whole.indirect | condition)


def _sorted(reader: ValueReader, node: PlanNode) -> PlanValue:
    array = reader.read(node.children[0])
    return array_of(array.element()).beside(_body(reader, node).deciding("CONDITIONAL"))


def _tested(reader: ValueReader, node: PlanNode) -> PlanValue:
    """Whether something holds for elements."""
    return _body(reader, node).through(CHANGED)


def _zipped_with(reader: ValueReader, node: PlanNode) -> PlanValue:
    return array_of(_body(reader, node))


def _reduced(reader: ValueReader, node: PlanNode) -> PlanValue:
    """`aggregate`: all that goes into it along the way; what is last done, to the result."""
    return _body(reader, node, 3).through(CHANGED)


def _keys_transformed(reader: ValueReader, node: PlanNode) -> PlanValue:
    return map_of(_body(reader, node), reader.read(node.children[0]).step(ValueForm.MAP, VALUE))


def _values_transformed(reader: ValueReader, node: PlanNode) -> PlanValue:
    return map_of(reader.read(node.children[0]).step(ValueForm.MAP, KEY), _body(reader, node))


def _maps_zipped(reader: ValueReader, node: PlanNode) -> PlanValue:
    keys = [reader.read(child).step(ValueForm.MAP, KEY) for child in node.children[:2]]
    return map_of(combine(keys), _body(reader, node))


def lambda_arguments(reader: ValueReader, node: PlanNode, place: int) -> list[PlanValue]:
    """What a higher-order function gives to its lambda, which is its child at a place."""
    given = [reader.read(child) for child in node.children[:place]]
    match node.kind:
        case "ArrayTransform" | "ArrayFilter" | "ArrayExists" | "ArrayForAll":
            return [given[0].element(), NOTHING]
        case "ArraySort":
            return [given[0].element(), given[0].element()]
        case "ZipWith":
            return [given[0].element(), given[1].element()]
        case "ArrayAggregate" if place == 2:
            return [given[1], given[0].element()]
        case "ArrayAggregate":
            return [made_of_all([given[1], _body(reader, node, 2)])]
        case "MapFilter" | "TransformKeys" | "TransformValues":
            return [given[0].step(ValueForm.MAP, KEY), given[0].step(ValueForm.MAP, VALUE)]
        case "MapZipWith":
            keys = combine([each.step(ValueForm.MAP, KEY) for each in given[:2]])
            return [keys, *(each.step(ValueForm.MAP, VALUE) for each in given[:2])]
    everything = made_of_all(given)
    return [everything] * (len(node.children[place].children) - 1)


# Those of which it is known what each column that they give is.
GENERATORS = frozenset(("Explode", "Inline", "PosExplode", "Stack"))


def generate(reader: ValueReader, node: PlanNode, count: int) -> list[PlanValue]:
    """The columns that a generator gives: `explode` and its like."""
    kind = node.kind
    if kind == "GeneratorOuter":
        return generate(reader, node.children[0], count)
    values = _all(reader, node)
    found: list[PlanValue] = []
    if kind in GENERATORS and kind != "Stack":
        found = _exploded(kind, values[0])
    elif kind == "Stack":
        # After the number of rows: the values of each row in turn.
        found = [combine(values[1 + place :: count]) for place in range(count)]
    if len(found) == count:
        return found
    return [made_of_all(values)] * count


def _exploded(kind: str, whole: PlanValue) -> list[PlanValue]:
    if whole.form is ValueForm.MAP and whole.members is not None:
        entry = _entry(whole)
        found = [entry.at(0), entry.at(1)]
    elif kind == "Inline":
        element = whole.element()
        return [element.at(place) for place in range(len(element.members or {}))]
    else:
        found = [whole.element()]
    return found if kind == "Explode" else [whole.through(CHANGED), *found]


def cast(value: PlanValue, before: Any, after: Any) -> PlanValue:
    """A value as another type, which is no change if it is the type that it had."""
    if before is not None and same_type(before, after):
        return value
    known, given = parts_of_type(before), parts_of_type(after)
    members = value.members
    if members is not None and given is not None and given[0] is value.form:
        kinds = [*known[1].values()] if known is not None else [None] * len(members)
        if len(given[1]) == len(members) == len(kinds):
            parts = zip(given[1].items(), members.values(), kinds, strict=True)
            made = {name: cast(part, had, has) for (name, has), part, had in parts}
            return PlanValue(members=made, form=value.form, indirect=value.indirect)
    changed = value.through(CHANGED)
    return PlanValue(
        changed.direct,
        changed.indirect,
        # It is the same text to a parser, and the same message.
        origin=value.origin,
        content=value.content,
        kind=value.kind,
        constants=value.constants if after == "string" else None,
    )


def type_of(node: PlanNode) -> Any:
    """The type of an expression, where the plan has it."""
    if node.kind == "Alias":
        return type_of(node.children[0])
    if node.kind == "GetStructField":
        parts = parts_of_type(type_of(node.children[0]))
        kinds = [*parts[1].values()] if parts else []
        place = node.fields["ordinal"]
        return kinds[place] if place < len(kinds) else None
    return node.fields.get("dataType")


def same_type(one: Any, other: Any) -> bool:
    """Whether types are the same but for what may be null in them."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return bool(one == other)
    left, right = parts_of_type(one), parts_of_type(other)
    if left is None or right is None:
        return bool(one == other)
    return (
        left[0] is right[0]
        and [*left[1]] == [*right[1]]
        and all(map(same_type, left[1].values(), right[1].values()))
    )


NESTED: dict[str, Callable[[ValueReader, PlanNode], PlanValue]] = {
    **dict.fromkeys(
        ("ArrayDistinct", "ArrayExcept", "ArrayIntersect", "ArrayRemove", "Reverse"), _rearranged
    ),
    **dict.fromkeys(("ArrayCompact", "Shuffle", "Slice", "SortArray"), _rearranged),
    **dict.fromkeys(("Lag", "Lead"), _of_other_row),
    **dict.fromkeys(("Max", "Min"), _largest),
    **dict.fromkeys(("ArrayAppend", "ArrayInsert", "ArrayPrepend"), _added),
    **dict.fromkeys(("ArrayExists", "ArrayForAll"), _tested),
    **dict.fromkeys(("ArrayFilter", "MapFilter"), _filtered),
    **dict.fromkeys(("ArrayUnion", "Concat"), _joined),
    **dict.fromkeys(("CollectList", "CollectSet"), _collected),
    **dict.fromkeys(("ElementAt", "GetArrayItem", "GetMapValue"), _item),
    **dict.fromkeys(
        ("AnyValue", "First", "FirstValue", "Last", "NthValue"),
        _one_of_many,
    ),
    "ArrayAggregate": _reduced,
    "ArrayRepeat": _repeated,
    "ArraySort": _sorted,
    "ArrayTransform": _transformed,
    "ArraysZip": _zipped,
    "CreateArray": _array,
    "CreateMap": _map,
    "CreateNamedStruct": _struct,
    "Flatten": _flattened,
    "GetArrayStructFields": _fields_of_elements,
    "GetStructField": _field,
    "MapConcat": _maps_joined,
    "MapEntries": _entries,
    "MapFromArrays": _map_of_arrays,
    "MapFromEntries": _map_of_entries,
    "MapKeys": _keys,
    "MapValues": _values,
    "MapZipWith": _maps_zipped,
    "TransformKeys": _keys_transformed,
    "TransformValues": _values_transformed,
    "UpdateFields": _with_fields,
    "ZipWith": _zipped_with,
}
