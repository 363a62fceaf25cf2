"""Schemas of the three formats as nested fields; broken, cyclic and huge ones are problems."""

import json
from typing import Any

import pytest

from headwater.collect.schema_registry.fetch import Reference, RegisteredSchema
from headwater.collect.schema_registry.parsing import parse_schema
from headwater.collect.schema_registry.parsing.fields import DEEPEST, MOST_FIELDS, ParsedSchema
from headwater.collect.schema_registry.parsing.protobuf import MOST_CHARACTERS

Json = dict[str, Any]
ITEM = {"type": "record", "name": "Item", "fields": [{"name": "sku", "type": "string"}]}


def parse(text: Any, kind: str = "AVRO", **references: RegisteredSchema) -> ParsedSchema:
    text = text if isinstance(text, str) else json.dumps(text)
    found = {
        Reference(name.replace("__", "."), each.subject, each.version): each
        for name, each in references.items()
    }
    schema = RegisteredSchema("orders-value", 1, 1, kind, text, tuple(found))
    nested = {reference: each for each in found.values() for reference in each.references}
    assert set(nested) <= set(found), "a test gives all of them"
    return parse_schema(schema, found, "value")


def record(*fields: Json, name: str = "shop.Order", **more: Any) -> Json:
    return {"type": "record", "name": name, "fields": list(fields), **more}


def flat(fields: Any, above: str = "") -> dict[str, str]:
    found = {}
    for each in fields:
        found[above + each["name"]] = each["type"]
        found |= flat(each.get("fields", ()), f"{above}{each['name']}/")
    return found


class TestAvro:
    @pytest.mark.parametrize(
        ("given", "type_name"),
        [
            ("long", "int64"),
            (["null", "int"], "int32"),
            ({"type": "long", "logicalType": "timestamp-millis"}, "timestamp"),
            (["null", {"type": "int", "logicalType": "date"}], "date"),
            (
                {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
                "decimal(9,2)",
            ),
            ({"type": "enum", "name": "Kind", "symbols": ["A"]}, "string"),
            ({"type": "fixed", "name": "Mac", "size": 6}, "bytes"),
            (["string", "long"], "union"),
        ],
    )
    def test_types(self, given: Any, type_name: str) -> None:
        assert flat(parse(record({"name": "a", "type": given})).fields) == {"a": type_name}

    def test_nested(self) -> None:
        found = parse(
            record(
                {
                    "name": "items",
                    "type": {"type": "array", "items": ITEM},
                    "doc": "What was bought",
                },
                {"name": "gifts", "type": {"type": "map", "values": "Item"}},
                {"name": "n", "type": "int", "default": 7, "confluent:tags": ["PII"]},
                doc="An order",
            )
        )
        assert flat(found.fields) == {
            "items": "array",
            "items/_element": "struct",
            "items/_element/sku": "string",
            "gifts": "map",
            "gifts/key": "string",
            "gifts/value": "struct",
            "gifts/value/sku": "string",
            "n": "int32",
        }
        assert (found.name, found.description) == ("shop.Order", "An order")
        assert found.fields[0]["description"] == "What was bought"
        assert (found.defaults, found.tags) == ({"n": 7}, (("n", "PII"),))
        assert found.owners["items[].sku"] == "shop.Item.sku"

    def test_one_that_contains_itself_is_shown_once(self) -> None:
        children = {"type": "array", "items": "shop.Order"}
        found = parse(record({"name": "id", "type": "long"}, {"name": "parts", "type": children}))
        expected = {"id": "int64", "parts": "array", "parts/_element": "struct"}
        assert flat(found.fields) == expected
        assert found.problems == ()

    def test_references(self) -> None:
        item = RegisteredSchema("item", 2, 2, "AVRO", json.dumps({**ITEM, "namespace": "shop"}))
        found = parse(record({"name": "item", "type": "shop.Item"}), shop__Item=item)
        assert flat(found.fields) == {"item": "struct", "item/sku": "string"}

    def test_several_records_in_one_topic(self) -> None:
        found = parse([record(name="shop.Paid"), record({"name": "why", "type": "string"})])
        assert flat(found.fields) == {"Paid": "struct", "Order": "struct", "Order/why": "string"}

    def test_no_record(self) -> None:
        assert flat(parse('"string"').fields) == {"value": "string"}

    @pytest.mark.parametrize(
        "text",
        ["", "{", "[]{}", '{"type": "record"}', '"nonsense"', '{"type": "record", "name": 5}', "1"],
    )
    def test_broken(self, text: str) -> None:
        found = parse(text)
        assert found.fields == () and len(found.problems) == 1

    def test_nested_without_end(self) -> None:
        found = parse('{"type": "array", "items": ' * 5_000 + '"int"' + "}" * 5_000)
        assert found.problems


class TestLimits:
    def test_five_megabytes(self) -> None:
        fields = [{"name": f"f{n}", "type": "string", "doc": "x" * 200} for n in range(25_000)]
        text = json.dumps(record(*fields))
        assert len(text) > 5_000_000
        found = parse(text)
        assert len(found.fields) == MOST_FIELDS
        assert found.problems == (f"it has more than {MOST_FIELDS:,} fields, the first are shown",)

    def test_deep(self) -> None:
        inner: Any = "int"
        for number in range(30):
            inner = record({"name": "a", "type": inner}, name=f"R{number}")
        found = parse(inner)
        assert found.problems == (f"fields deeper than {DEEPEST} levels are left out",)

    def test_references_in_a_circle(self) -> None:
        one, two = Reference("b", "b", 1), Reference("a", "a", 1)
        there = {
            one: RegisteredSchema("b", 1, 1, "AVRO", json.dumps(record(name="B")), (two,)),
            two: RegisteredSchema("a", 1, 2, "AVRO", json.dumps(record(name="A")), (one,)),
        }
        schema = there[two]
        assert "circle" in parse_schema(schema, there, "value").problems[0]

    def test_a_reference_that_is_not_there(self) -> None:
        gone = Reference("shop.Item", "item", 3)
        schema = RegisteredSchema("o-value", 1, 1, "AVRO", '"shop.Item"', (gone,))
        problems = parse_schema(schema, {}, "value").problems
        assert problems[0] == "the registry lacks item, version 3"

    def test_a_format_that_is_not_known(self) -> None:
        assert parse("x", "XML").problems == ("schemas of the type XML are not read",)


class TestProtobuf:
    def test_a_message(self) -> None:
        found = parse(
            """
            syntax = "proto3";
            package shop;
            import "google/protobuf/timestamp.proto";
            // A bid.
            message Bid {
              // Who bids.
              string bidder = 1 [(confluent.field_meta) = {tags: "PII"}];
              map<string, int32> counts = 2;
              oneof price { double euros = 3; Money money = 4; }
              repeated Lot lots = 5;
              google.protobuf.Timestamp at = 6;
              message Lot { Bid best = 1; Kind kind = 2; }
              enum Kind { NONE = 0; }
            }
            message Money { int64 units = 1; }
            """,
            "PROTOBUF",
        )
        assert flat(found.fields) == {
            "bidder": "string",
            "counts": "map",
            "counts/key": "string",
            "counts/value": "int32",
            "euros": "float64",
            "money": "struct",
            "money/units": "int64",
            "lots": "array",
            "lots/_element": "struct",
            "lots/_element/best": "struct",
            "lots/_element/kind": "string",
            "at": "timestamp",
        }
        assert (found.name, found.description) == ("shop.Bid", "A bid.")
        assert found.fields[0]["description"] == "Who bids."
        assert found.tags == (("bidder", "PII"),)
        assert found.problems == ()

    def test_references(self) -> None:
        money = 'syntax = "proto3"; package pay; message Money { int64 units = 1; }'
        found = parse(
            'syntax = "proto3"; package shop; import "m.proto"; message Bid { pay.Money m = 1; }',
            "PROTOBUF",
            m__proto=RegisteredSchema("money", 1, 2, "PROTOBUF", money),
        )
        assert flat(found.fields) == {"m": "struct", "m/units": "int64"}

    def test_a_type_that_is_not_known(self) -> None:
        found = parse('syntax = "proto3"; message Bid { else.Where w = 1; }', "PROTOBUF")
        assert flat(found.fields) == {"w": "else.Where"}
        assert found.problems == ("the type 'else.Where' is not known",)

    @pytest.mark.parametrize("text", ["", "message {", 'syntax = "proto3";', "\0", "}{" * 50])
    def test_broken(self, text: str) -> None:
        assert len(parse(text, "PROTOBUF").problems) == 1

    def test_too_large(self) -> None:
        assert "not read" in parse("x" * (MOST_CHARACTERS + 1), "PROTOBUF").problems[0]


class TestJsonSchema:
    def test_an_object(self) -> None:
        found = parse(
            {
                "title": "Order",
                "description": "An order",
                "type": "object",
                "properties": {
                    "at": {"type": "string", "format": "date-time"},
                    "note": {"oneOf": [{"type": "null"}, {"type": "string"}], "default": "none"},
                    "lines": {"type": "array", "items": {"$ref": "#/definitions/Line"}},
                    "extra": {"type": "object", "additionalProperties": {"type": "number"}},
                    "who": {"anyOf": [{"title": "Person", "type": "object"}, {"type": "string"}]},
                },
                "definitions": {
                    "Line": {
                        "allOf": [
                            {"properties": {"sku": {"type": "string", "confluent:tags": ["X"]}}},
                            {"properties": {"more": {"$ref": "#/definitions/Line"}}},
                        ]
                    }
                },
            },
            "JSON",
        )
        assert flat(found.fields) == {
            "at": "timestamp",
            "note": "string",
            "lines": "array",
            "lines/_element": "struct",
            "lines/_element/sku": "string",
            "lines/_element/more": "struct",
            "extra": "map",
            "extra/key": "string",
            "extra/value": "float64",
            "who": "union",
            "who/Person": "struct",
            "who/string": "string",
        }
        assert (found.name, found.description) == ("Order", "An order")
        assert (found.defaults, found.tags) == ({"note": "none"}, (("lines[].sku", "X"),))

    def test_references(self) -> None:
        line = json.dumps({"type": "object", "properties": {"sku": {"type": "string"}}})
        found = parse(
            {"type": "object", "properties": {"line": {"$ref": "line.json"}}},
            "JSON",
            line__json=RegisteredSchema("line", 1, 2, "JSON", line),
        )
        assert flat(found.fields) == {"line": "struct", "line/sku": "string"}

    def test_what_is_not_found_is_never_fetched(self) -> None:
        found = parse({"properties": {"a": {"$ref": "http://127.0.0.1:1/x.json"}}}, "JSON")
        assert found.problems == ("'http://127.0.0.1:1/x.json' is not found",)

    @pytest.mark.parametrize("ref", ["#", "#/properties/a", "#/nowhere"])
    def test_references_to_itself(self, ref: str) -> None:
        found = parse({"properties": {"a": {"$ref": ref}}}, "JSON")
        assert set(flat(found.fields)) == {"a"}

    @pytest.mark.parametrize("text", ["", "[", "[]", "1", '"x"'])
    def test_broken(self, text: str) -> None:
        assert len(parse(text, "JSON").problems) == 1

    @pytest.mark.parametrize("text", ["true", "{}", '{"$schema": "x:y"}', '{"type": 7}'])
    def test_what_says_nothing(self, text: str) -> None:
        assert parse(text, "JSON").problems == ()
