"""Facets: what the product understands of each, and that the rest is kept as it is."""

from typing import Any

import msgspec
import pytest

from headwater.model.column_map import InputColumn, Transformation, read_column_map
from headwater.model.facet_readers import (
    Counters,
    Facet,
    Flow,
    LifecycleChange,
    NamedDataset,
    NamedRun,
    Parent,
    Symlink,
    is_content_of,
    read_facet,
    read_job_facet,
)
from headwater.model.relations import Joined
from headwater.model.values.ids import NO_CONTENT, dataset_id, digest, job_id, run_key
from headwater.model.values.instant import parse_instant
from testing.events.full import PARENT_RUN, ROOT_RUN

ODD_SHAPES = [b"[]", b"7", b'"x"', b"true", b"{}", b'{"unknown":1}', b"[[[]]]", b'{"fields":7}']


def read(name: str, value: object) -> Facet:
    facet = read_facet(name, msgspec.json.encode(value))
    assert facet is not None
    return facet


def read_of_job(name: str, value: object) -> Facet:
    facet = read_job_facet(name, msgspec.json.encode(value))
    assert facet is not None
    return facet


def meaning(name: str, value: object) -> Any:
    return read(name, value).meaning


def dataset(namespace: str, name: str) -> NamedDataset:
    return NamedDataset(dataset_id(namespace, name), namespace, name)


class TestAnyFacet:
    def test_is_content_under_its_digest_without_white_space(self) -> None:
        facet = read_facet("anything", b'{ "a" : [1, 2] }')
        assert facet is not None
        assert facet.body == b'{"a":[1,2]}'
        assert facet.digest == digest(facet.body)
        assert facet.meaning is None
        assert facet == read_facet("anything", b'{"a":[1,2]}')

    @pytest.mark.parametrize("raw", [rb'{"a":"\ud800"}', rb'{"a":"\u0000"}', b'{"a":1e99}', b'""'])
    def test_keeps_what_is_odd(self, raw: bytes) -> None:
        facet = read_facet("anything", raw)
        assert facet is not None
        assert facet.body == raw

    def test_null_is_no_facet(self) -> None:
        assert read_facet("anything", b"null") is None
        assert read_facet("schema", b"null") is None
        assert read_job_facet("lineage", b"null") is None

    @pytest.mark.parametrize("name", ["anything", "schema", "columnLineage", "symlinks"])
    def test_deleted_is_the_value_none(self, name: str) -> None:
        for raw in (b'{"_deleted":true}', b'{"_producer":"x", "_deleted" : true, "fields":[]}'):
            facet = read_facet(name, raw)
            assert facet is not None
            assert facet.digest == NO_CONTENT
            assert not facet.meaning

    @pytest.mark.parametrize(
        "value",
        [
            {"_deleted": False},
            {"_deleted": "true"},
            {"_deleted": None},
            {"inner": {"_deleted": True}},
            {"text": '"_deleted":true'},
            ["_deleted"],
        ],
    )
    def test_only_a_plain_true_deletes(self, value: object) -> None:
        assert read("anything", value).digest != NO_CONTENT

    @pytest.mark.parametrize(
        "name",
        [
            "columnLineage",
            "symlinks",
            "lifecycleStateChange",
            "parent",
            "nominalTime",
            "inputStatistics",
            "outputStatistics",
            "lineage",
            "schema",
        ],
    )
    @pytest.mark.parametrize("raw", ODD_SHAPES)
    def test_of_an_odd_shape_is_kept_but_not_understood(self, name: str, raw: bytes) -> None:
        for facet in (read_facet(name, raw), read_job_facet(name, raw)):
            assert facet is not None
            assert facet.body == raw
            found = facet.meaning
            empty = (Flow(None, (), None),)
            assert not found or found == empty

    def test_is_read_the_same_when_remembered(self) -> None:
        value = {"identifiers": [{"namespace": "hive", "name": "a.b", "type": "TABLE"}]}
        assert read("symlinks", value) == read("symlinks", value)


class TestSchema:
    def test_nested_fields_are_kept_in_the_content(self) -> None:
        inner = {"name": "street", "type": "STRING"}
        value = {"fields": [{"name": "address", "type": "STRUCT", "fields": [inner]}]}
        facet = read("schema", value)
        assert msgspec.json.decode(facet.body) == value


class TestColumnLineage:
    def test_all_datasets_it_names_are_its_meaning(self) -> None:
        fields = {
            "total": {
                "inputFields": [
                    {"namespace": "db", "name": "orders", "field": "amount"},
                    {"namespace": "db", "name": "rates", "field": "rate"},
                ]
            },
            "day": {"inputFields": [{"namespace": "db", "name": "orders", "field": "at"}]},
        }
        rows = [{"namespace": "db", "name": "regions", "field": "id"}]
        assert meaning("columnLineage", {"fields": fields, "dataset": rows}) == (
            dataset("db", "orders"),
            dataset("db", "rates"),
            dataset("db", "regions"),
        )

    def test_it_has_another_digest_than_other_facets_of_its_bytes(self) -> None:
        fields = {"a": {"inputFields": [{"namespace": "db", "name": "orders", "field": "b"}]}}
        column_map, other = read("columnLineage", {"fields": fields}), read("x", {"fields": fields})
        assert column_map.body == other.body
        assert column_map.digest != other.digest
        assert is_content_of(column_map.digest, column_map.body)

    @pytest.mark.parametrize("value", [{"fields": None}, {"fields": {"a": {"inputFields": None}}}])
    def test_null_is_no_list(self, value: object) -> None:
        assert meaning("columnLineage", value) == ()

    @pytest.mark.parametrize("name", ["", "x" * 2001, "a\0b"])
    def test_an_input_that_has_no_name_is_passed_over(self, name: str) -> None:
        inputs = [
            {"namespace": "db", "name": name, "field": "a"},
            {"namespace": "db", "name": "orders", "field": "b"},
        ]
        facet = read("columnLineage", {"fields": {"total": {"inputFields": inputs}}})
        assert facet.meaning == (dataset("db", "orders"),)

    def test_an_input_named_by_half_a_pair_is_passed_over(self) -> None:
        """Read as a replacement character, different names would become one dataset."""
        raw = rb'{"fields":{"a":{"inputFields":[{"namespace":"db","name":"\ud800","field":"b"}]}}}'
        facet = read_facet("columnLineage", raw)
        assert facet is not None
        assert (facet.body, facet.meaning) == (raw, ())

    def test_thousands_of_columns_are_read(self) -> None:
        fields = {
            f"out_{index}": {
                "inputFields": [
                    {"namespace": "db", "name": side, "field": f"in_{index}"}
                    for side in ("left", "right")
                ]
            }
            for index in range(2_000)
        }
        assert len(meaning("columnLineage", {"fields": fields})) == 2


class TestLineage:
    ORDERS = dataset("db", "orders")
    TOTALS = dataset("db", "totals")

    def test_on_a_job_it_lists_targets_with_their_inputs(self) -> None:
        value = {
            "entries": [
                {
                    "namespace": "db",
                    "name": "totals",
                    "type": "DATASET",
                    "inputs": [{"namespace": "db", "name": "orders", "type": "DATASET"}],
                }
            ]
        }
        assert read_of_job("lineage", value).meaning == (Flow(self.TOTALS, (self.ORDERS,), None),)

    def test_on_a_job_fields_make_a_column_map(self) -> None:
        source = {
            "namespace": "db",
            "name": "orders",
            "type": "DATASET",
            "field": "amount",
            "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION"}],
        }
        entry = {
            "namespace": "db",
            "name": "totals",
            "type": "DATASET",
            "fields": {"total": {"inputs": [source]}},
        }
        (flow,) = read_of_job("lineage", {"entries": [entry]}).meaning
        assert flow.target == self.TOTALS
        assert flow.inputs == (self.ORDERS,)
        assert flow.columns.meaning == (self.ORDERS,)
        aggregated = InputColumn(
            self.ORDERS.id, "amount", (Transformation("DIRECT", subtype="AGGREGATION"),)
        )
        assert read_column_map(flow.columns.body).outputs == {"total": (aggregated,)}

    def test_on_a_dataset_it_lists_inputs_of_the_dataset_itself(self) -> None:
        value = {
            "inputs": [
                {"namespace": "db", "name": "orders", "type": "DATASET", "field": "status"},
                {"namespace": "scheduler", "name": "load", "type": "JOB"},
                {"type": "JOB"},
            ]
        }
        (flow,) = read("lineage", value).meaning
        assert flow.target is None
        assert flow.inputs == (self.ORDERS,)
        status = InputColumn(self.ORDERS.id, "status")
        assert read_column_map(flow.columns.body).outputs == {"": (status,)}

    def test_a_job_without_a_name_is_the_target_of_what_it_reads(self) -> None:
        entry = {
            "type": "JOB",
            "inputs": [{"namespace": "db", "name": "orders", "type": "DATASET"}],
        }
        assert read_of_job("lineage", {"entries": [entry]}).meaning == (
            Flow(None, (self.ORDERS,), None),
        )

    def test_a_target_without_a_usable_name_is_passed_over(self) -> None:
        entries = [{"namespace": "db", "name": "a\0b"}, {"namespace": "db"}]
        assert read_of_job("lineage", {"entries": entries}).meaning == ()

    def test_the_two_readings_are_not_mixed_up(self) -> None:
        value: dict[str, Any] = {"entries": [], "inputs": [{"namespace": "db", "name": "orders"}]}
        assert read_of_job("lineage", value).meaning == ()
        assert read("lineage", value).meaning == (Flow(None, (self.ORDERS,), None),)


class TestSymlinks:
    @pytest.mark.parametrize(
        ("kind", "joined"),
        [
            ("TABLE", Joined.TABLE),
            ("table", Joined.TABLE),
            ("LOCATION", Joined.LOCATION),
            ("VIEW", Joined.OTHER),
            ("", Joined.OTHER),
        ],
    )
    def test_the_type_says_how_the_names_are_joined(self, kind: str, joined: Joined) -> None:
        value = {"identifiers": [{"namespace": "hive", "name": "shop.orders", "type": kind}]}
        assert meaning("symlinks", value) == (Symlink(dataset("hive", "shop.orders"), joined),)

    @pytest.mark.parametrize("identifier", [{}, {"namespace": "", "name": "x"}, {"namespace": "x"}])
    def test_half_a_name_is_no_name(self, identifier: dict[str, str]) -> None:
        assert meaning("symlinks", {"identifiers": [identifier]}) == ()

    def test_null_is_no_list(self) -> None:
        assert meaning("symlinks", {"identifiers": None}) == ()


class TestLifecycle:
    @pytest.mark.parametrize(
        "change", ["ALTER", "CREATE", "DROP", "OVERWRITE", "RENAME", "TRUNCATE"]
    )
    def test_each_change_is_read(self, change: str) -> None:
        for text in (change, change.lower()):
            found = meaning("lifecycleStateChange", {"lifecycleStateChange": text})
            assert found == LifecycleChange(change, None)

    def test_a_rename_names_what_it_took_over_from(self) -> None:
        value = {
            "lifecycleStateChange": "RENAME",
            "previousIdentifier": {"namespace": "db", "name": "old"},
        }
        assert meaning("lifecycleStateChange", value) == LifecycleChange(
            "RENAME", dataset("db", "old")
        )

    def test_a_change_nobody_knows_is_kept_but_not_understood(self) -> None:
        assert meaning("lifecycleStateChange", {"lifecycleStateChange": "MELT"}) is None


class TestParent:
    def test_parent_and_root_are_named_runs(self) -> None:
        value = {
            "run": {"runId": PARENT_RUN},
            "job": {"namespace": "airflow", "name": "dag.task"},
            "root": {
                "run": {"runId": ROOT_RUN},
                "job": {"namespace": "airflow", "name": "dag"},
            },
        }
        parent = NamedRun(
            run_key("airflow", "dag.task", PARENT_RUN),
            None,
            job_id("airflow", "dag.task"),
            "airflow",
            "dag.task",
        )
        root = NamedRun(
            run_key("airflow", "dag", ROOT_RUN), None, job_id("airflow", "dag"), "airflow", "dag"
        )
        assert meaning("parent", value) == Parent(parent, root)
        del value["root"]
        assert meaning("parent", value) == Parent(parent, None)

    def test_a_run_id_that_is_no_uuid_is_kept_by_name(self) -> None:
        value = {"run": {"runId": "manual__1"}, "job": {"namespace": "airflow", "name": "dag"}}
        found = meaning("parent", value)
        assert found.parent.name == "manual__1"
        assert found.parent.id == run_key("airflow", "dag", "manual__1")

    @pytest.mark.parametrize(
        "value",
        [
            {"run": {"runId": PARENT_RUN}},
            {"job": {"namespace": "a", "name": "b"}},
            {"run": {"runId": ""}, "job": {"namespace": "a", "name": "b"}},
            {"run": {"runId": PARENT_RUN}, "job": {"namespace": "", "name": "b"}},
            {"run": {"runId": "x\0"}, "job": {"namespace": "a", "name": "b"}},
            {"run": {"runId": 7}, "job": {"namespace": "a", "name": "b"}},
        ],
    )
    def test_half_a_parent_is_kept_but_not_understood(self, value: object) -> None:
        assert meaning("parent", value) is None


class TestNominalTime:
    NOON = parse_instant("2024-05-01T12:00:00Z")
    MIDNIGHT = parse_instant("2024-05-01T00:00:00Z")

    @pytest.mark.parametrize(
        ("value", "times"),
        [
            ({"nominalStartTime": "2024-05-01T12:00:00Z"}, (NOON, None)),
            ({"nominalStartTime": "2024-05-01", "nominalEndTime": None}, (MIDNIGHT, None)),
            (
                {"nominalStartTime": "2024-05-01", "nominalEndTime": "2024-05-01T12:00"},
                (MIDNIGHT, NOON),
            ),
            ({"nominalStartTime": "soon", "nominalEndTime": "2024-05-01"}, (None, MIDNIGHT)),
            ({"nominalStartTime": "soon"}, None),
            ({}, None),
        ],
    )
    def test_times_and_dates_are_read(self, value: object, times: object) -> None:
        assert meaning("nominalTime", value) == times


class TestStatistics:
    LARGEST = 2**63 - 1

    @pytest.mark.parametrize("name", ["inputStatistics", "outputStatistics"])
    def test_counters_are_read(self, name: str) -> None:
        value = {"rowCount": 10, "size": 2000, "fileCount": 3, "lag": 7}
        assert meaning(name, value) == Counters(10, 2000, 3, 7)

    def test_byte_count_stands_for_size_where_there_is_none(self) -> None:
        assert meaning("outputStatistics", {"byteCount": 5}) == Counters(None, 5, None, None)
        both = {"byteCount": 5, "size": 6}
        assert meaning("outputStatistics", both) == Counters(None, 6, None, None)

    @pytest.mark.parametrize(
        ("value", "count"),
        [
            (0, 0),
            (LARGEST, LARGEST),
            (12.0, 12),
            (1e3, 1000),
            ("12", 12),
            ("9223372036854775807", LARGEST),
        ],
    )
    def test_floats_and_strings_are_counted(self, value: object, count: int) -> None:
        assert meaning("outputStatistics", {"rowCount": value}) == (count, None, None, None)

    @pytest.mark.parametrize(
        "value",
        [
            b"9223372036854775808",
            b"9223372036854775807.0",
            b'"9223372036854775808"',
            b"1" * 40,
            b'"' + b"1" * 40 + b'"',
            b"1e300",
            b"-1",
            b"-1.0",
            b"1.5",
            b"true",
            b"null",
            b'""',
            b'"-1"',
            b'"many"',
            b'"1e3"',
            b"[]",
            b"{}",
        ],
    )
    def test_what_is_no_count_is_passed_over(self, value: bytes) -> None:
        facet = read_facet("outputStatistics", b'{"rowCount":' + value + b"}")
        assert facet is not None
        assert facet.meaning is None
        facet = read_facet("outputStatistics", b'{"fileCount":2,"rowCount":' + value + b"}")
        assert facet is not None
        assert facet.meaning == Counters(None, None, 2, None)

    def test_a_number_beyond_all_numbers_is_kept_as_text_and_not_understood(self) -> None:
        facet = read_facet("outputStatistics", b'{"rowCount":1e999}')
        assert facet is not None
        assert (facet.body, facet.meaning) == (b'{"rowCount":"1e999"}', None)
