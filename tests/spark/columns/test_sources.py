"""Values and their parts."""

from headwater.model.values.derivation import CHANGED
from headwater.spark.columns.facets import leaf_paths, schema_field
from headwater.spark.columns.sources import (
    ColumnSource,
    PlanValue,
    array_of,
    column,
    combine,
    path_text,
)

LINE = {
    "type": "struct",
    "fields": [{"name": "sku", "type": "string"}, {"name": "count", "type": "integer"}],
}
LINES = {"type": "array", "elementType": LINE}
EXTRA = {"type": "map", "keyType": "string", "valueType": LINE}


def source(*path: str) -> ColumnSource:
    return ColumnSource(0, path)


def leaves(value: PlanValue) -> dict[str, list[str]]:
    return {
        name: sorted(
            f"{path_text(each.path)} {way.direct.name}" for each, way in part.whole.items()
        )
        for name, part in leaf_paths(("out",), value)
    }


def test_paths() -> None:
    assert path_text(("lines", "[]", "sku")) == "lines[].sku"
    assert path_text(("owner", "address", "city")) == "owner.address.city"
    assert path_text(("extra", "value", "sku")) == "extra.value.sku"
    assert path_text(("tags", "[]", "[]")) == "tags"
    assert path_text(("[]", "sku")) == "[].sku"


def test_the_parts_of_a_column() -> None:
    assert leaves(column(source("lines"), LINES)) == {
        "out[].sku": ["lines[].sku IDENTITY"],
        "out[].count": ["lines[].count IDENTITY"],
    }
    assert leaves(column(source("extra"), EXTRA)) == {
        "out.key": ["extra.key IDENTITY"],
        "out.value.sku": ["extra.value.sku IDENTITY"],
        "out.value.count": ["extra.value.count IDENTITY"],
    }


def test_an_element_of_plain_values_is_a_change() -> None:
    tags = column(source("tags"), {"type": "array", "elementType": "string"})
    assert leaves(tags) == {"out": ["tags IDENTITY"]}
    assert leaves(tags.element()) == {"out": ["tags TRANSFORMATION"]}
    assert leaves(column(source("lines"), LINES).element())["out.sku"] == ["lines[].sku IDENTITY"]


def test_one_of_two_structures() -> None:
    made = PlanValue(members={"x": column(source("a"), "string"), "y": PlanValue()})
    both = combine([column(source("line"), LINE), made])
    assert leaves(both) == {
        "out.sku": ["a IDENTITY", "line.sku IDENTITY"],
        "out.count": ["line.count IDENTITY"],
    }
    opaque = column(source("text"), "string").through(CHANGED)
    assert leaves(combine([made, opaque]))["out.y"] == ["text TRANSFORMATION"]


def test_constants_are_known_only_if_all_are() -> None:
    one, two = (PlanValue(constants=frozenset((name,))) for name in ("big", "small"))
    assert combine([one, two]).constants == frozenset(("big", "small"))
    assert combine([one, column(source("topic"), "string")]).constants is None


def test_an_array_of_columns() -> None:
    assert leaves(array_of(column(source("a"), "integer"))) == {"out": ["a TRANSFORMATION"]}


def test_nested_fields_of_a_schema() -> None:
    assert schema_field("lines", LINES) == {
        "name": "lines",
        "type": "array",
        "fields": [
            {
                "name": "_element",
                "type": "struct",
                "fields": [
                    {"name": "sku", "type": "string"},
                    {"name": "count", "type": "integer"},
                ],
            }
        ],
    }
    assert [each["name"] for each in schema_field("m", EXTRA)["fields"]] == ["key", "value"]
