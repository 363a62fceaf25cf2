"""Column maps: which columns an output column comes from, and how."""

from typing import Any

import msgspec
import pytest

from headwater.model.column_map import ColumnMap, InputColumn, Transformation, read_column_map
from headwater.model.values.ids import dataset_id

Json = dict[str, Any]

ORDERS, RATES = dataset_id("db", "orders"), dataset_id("db", "rates")
ODD_SHAPES = [b"[]", b"7", b'"x"', b"true", b"{}", b'{"unknown":1}', b"[[[]]]", b'{"fields":7}']


def field(column: str, name: str = "orders", **rest: Any) -> Json:
    return {"namespace": "db", "name": name, "field": column, **rest}


def outputs(value: object) -> dict[str, tuple[InputColumn, ...]]:
    return read_column_map(msgspec.json.encode(value)).outputs


def sources(*inputs: Json, **rest: Any) -> tuple[InputColumn, ...]:
    """What one output column comes from."""
    return outputs({"fields": {"total": {"inputFields": inputs, **rest}}})["total"]


class TestSources:
    def test_every_output_column_has_its_input_columns_and_how_they_are_used(self) -> None:
        used = [
            {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum", "masking": False},
            {"type": "INDIRECT", "subtype": "FILTER", "masking": True},
        ]
        fields = {
            "total": {"inputFields": [field("amount", transformations=used), field("x", "rates")]},
            "day": {"inputFields": [field("at")]},
        }
        assert outputs({"fields": fields}) == {
            "total": (
                InputColumn(
                    ORDERS,
                    "amount",
                    (
                        Transformation("DIRECT", "AGGREGATION", "sum", False),
                        Transformation("INDIRECT", "FILTER", None, True),
                    ),
                ),
                InputColumn(RATES, "x"),
            ),
            "day": (InputColumn(ORDERS, "at"),),
        }

    def test_the_old_transformation_of_an_output_column_holds_for_its_inputs(self) -> None:
        old = {"transformationType": "IDENTITY", "transformationDescription": "as it is"}
        own = field("rate", "rates", transformations=[{"type": "DIRECT"}])
        assert sources(field("amount"), own, **old) == (
            InputColumn(ORDERS, "amount", (Transformation("IDENTITY", description="as it is"),)),
            InputColumn(RATES, "rate", (Transformation("DIRECT"),)),
        )

    def test_inputs_of_the_whole_dataset_have_no_output_column(self) -> None:
        where = field("status", transformations=[{"type": "INDIRECT", "subtype": "FILTER"}])
        assert outputs({"fields": {}, "dataset": [where]}) == {
            "": (InputColumn(ORDERS, "status", (Transformation("INDIRECT", "FILTER"),)),)
        }

    def test_an_input_without_a_field_is_all_of_its_dataset(self) -> None:
        assert sources({"namespace": "db", "name": "orders"}) == (InputColumn(ORDERS, ""),)

    @pytest.mark.parametrize("value", [{"fields": None}, {"dataset": None}])
    def test_null_is_no_list(self, value: object) -> None:
        assert outputs(value) == {}

    def test_an_output_column_without_inputs_comes_from_nowhere(self) -> None:
        assert outputs({"fields": {"a": {"inputFields": None}, "b": {}}}) == {"a": (), "b": ()}

    @pytest.mark.parametrize("raw", ODD_SHAPES)
    def test_of_an_odd_shape_it_says_nothing(self, raw: bytes) -> None:
        assert read_column_map(raw) == ColumnMap({})

    @pytest.mark.parametrize("name", ["", "x" * 2001, "a\0b"])
    def test_an_input_that_has_no_name_is_passed_over(self, name: str) -> None:
        assert sources(field("a", name), field("b")) == (InputColumn(ORDERS, "b"),)

    def test_an_input_named_by_half_a_pair_is_passed_over(self) -> None:
        """Read as a replacement character, different names would become one dataset."""
        raw = rb'{"fields":{"a":{"inputFields":[{"namespace":"db","name":"\ud800","field":"b"}]}}}'
        assert read_column_map(raw).outputs == {"a": ()}

    def test_columns_that_no_text_column_holds_are_shown_by_a_picture(self) -> None:
        raw = (
            rb'{"fields":{"a\u0000":{"inputFields":[{"namespace":"db","name":"orders",'
            rb'"field":"\ud800","transformations":[{"description":"\u0000","type":"\u0000"}]}]}}}'
        )
        ((output, (source,)),) = read_column_map(raw).outputs.items()
        (how,) = source.transformations
        for text in (output, source.column, how.type, how.description):
            assert text is not None
            assert "\0" not in text
            text.encode()

    def test_output_columns_shown_by_the_same_picture_are_one(self) -> None:
        raw = b'{"fields":{%s:{"inputFields":[%s]},%s:{"inputFields":[%s]}}}' % (
            rb'"a\u0000"',
            msgspec.json.encode(field("b")),
            '"a\N{SYMBOL FOR NULL}"'.encode(),
            msgspec.json.encode(field("c")),
        )
        (found,) = read_column_map(raw).outputs.values()
        assert found == (InputColumn(ORDERS, "b"), InputColumn(ORDERS, "c"))

    def test_thousands_of_columns_are_read(self) -> None:
        fields = {
            f"out_{index}": {"inputFields": [field(f"in_{index}"), field("rate", "rates")]}
            for index in range(2_000)
        }
        found = outputs({"fields": fields})
        assert list(found) == list(fields)
        assert found["out_1999"] == (InputColumn(ORDERS, "in_1999"), InputColumn(RATES, "rate"))


class TestAColumnNamedTwice:
    def test_is_one_source_with_all_that_is_stated_of_it(self) -> None:
        summed = field("amount", transformations=[{"type": "DIRECT", "subtype": "AGGREGATION"}])
        joined = field("amount", transformations=[{"type": "INDIRECT", "subtype": "JOIN"}])
        assert sources(summed, field("x"), joined, summed) == (
            InputColumn(
                ORDERS,
                "amount",
                (Transformation("DIRECT", "AGGREGATION"), Transformation("INDIRECT", "JOIN")),
            ),
            InputColumn(ORDERS, "x"),
        )

    def test_is_one_source_of_all_rows(self) -> None:
        value = {"fields": {"": {"inputFields": [field("a")]}}, "dataset": [field("a"), field("b")]}
        assert outputs(value) == {"": (InputColumn(ORDERS, "a"), InputColumn(ORDERS, "b"))}


class TestSourcesOf:
    AMOUNT, STATUS = InputColumn(ORDERS, "amount"), InputColumn(ORDERS, "status")
    FOUND = ColumnMap({"total": (AMOUNT,), "": (STATUS,), "day": ()})

    def test_a_column_comes_from_its_own_sources_and_those_of_all_rows(self) -> None:
        assert self.FOUND.sources_of("total") == (self.AMOUNT, self.STATUS)

    @pytest.mark.parametrize("column", ["day", "unknown", ""])
    def test_without_sources_of_its_own_it_has_those_of_all_rows(self, column: str) -> None:
        assert self.FOUND.sources_of(column) == (self.STATUS,)


class TestIndirect:
    DIRECT, INDIRECT, UNKNOWN = (Transformation(kind) for kind in ("DIRECT", "INDIRECT", None))

    @pytest.mark.parametrize(
        ("ways", "is_indirect"),
        [
            ((), False),
            ((INDIRECT,), True),
            ((INDIRECT, INDIRECT), True),
            ((INDIRECT, DIRECT), False),
            ((UNKNOWN,), False),
            ((INDIRECT, UNKNOWN), False),
        ],
    )
    def test_is_a_source_of_which_every_way_is(
        self, ways: tuple[Transformation, ...], is_indirect: bool
    ) -> None:
        assert InputColumn(ORDERS, "status", ways).is_indirect is is_indirect
