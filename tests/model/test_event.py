"""Events: what real producers send is read; what has no place is refused, and its place named."""

import hashlib
import json
from typing import Any

import pytest

from headwater.errors import InvalidEvent
from headwater.model.event import EventType, Kind, decode_event
from headwater.model.intake import Intake, take_in
from headwater.model.values.arrays import split_array
from headwater.model.values.instant import DAY, parse_instant
from testing.events.full import (
    RUN,
    Json,
    dataset_event,
    decode,
    edit_event,
    encode,
    job_event,
    run_event,
)

NOON = parse_instant("2024-05-01T12:00:00Z")


def without(event: Json, *keys: str) -> Json:
    return {key: value for key, value in event.items() if key not in keys}


def refusal(data: bytes) -> InvalidEvent:
    with pytest.raises(InvalidEvent) as refused:
        decode_event(data)
    return refused.value


class TestKinds:
    def test_a_run_and_its_job_make_a_run_event(self) -> None:
        event = decode(run_event())
        assert event.kind is Kind.RUN
        assert event.run is not None and event.run.runId == RUN
        assert event.job is not None and event.job.name == "load"
        assert [dataset.name for dataset in event.inputs] == ["orders"]
        assert [dataset.name for dataset in event.outputs] == ["totals"]
        assert event.at == NOON
        assert event.producer == "https://example.org/tests/1.0"

    def test_a_job_alone_makes_a_job_event(self) -> None:
        event = decode(job_event())
        assert event.kind is Kind.JOB
        assert event.run is None

    def test_a_dataset_alone_makes_a_dataset_event(self) -> None:
        event = decode(dataset_event())
        assert event.kind is Kind.DATASET
        assert event.dataset is not None and event.dataset.name == "orders"
        assert event.job is None

    def test_a_dataset_beside_a_job_is_an_unknown_key(self) -> None:
        event = decode(job_event(dataset={"namespace": "db", "name": "stray"}))
        assert event.kind is Kind.JOB
        assert event.dataset is None

    def test_an_edit_is_an_event_of_its_own(self) -> None:
        event = decode(edit_event(set={"documentation": {"description": "x"}}, unset=["tags"]))
        assert event.kind is Kind.EDIT
        assert event.edit is not None
        assert event.edit.actor == "ada"
        assert event.edit.entity.name == "orders"
        assert list(event.edit.set) == ["documentation"]
        assert event.edit.unset == ["tags"]

    @pytest.mark.parametrize("name", ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"])
    def test_all_six_types_are_read(self, name: str) -> None:
        assert decode(run_event(name)).type is EventType[name]


class TestLeniency:
    """Everything the facts on OpenLineage list under "What real events do"."""

    @pytest.mark.parametrize(
        "schema_url",
        [
            "https://openlineage.io/spec/1-0-1/OpenLineage.json#/definitions/RunEvent",
            "https://openlineage.io/spec/2-8-9/OpenLineage.json#/$defs/RunEvent",
            "https://example.org/with a space",
            "",
            None,
            7,
        ],
    )
    def test_any_schema_url_is_fine(self, schema_url: object) -> None:
        assert decode(run_event(schemaURL=schema_url)).kind is Kind.RUN

    @pytest.mark.parametrize("key", ["schemaURL", "producer", "eventType", "inputs", "outputs"])
    def test_a_key_may_be_absent_or_null(self, key: str) -> None:
        for event in (without(run_event(), key), run_event(**{key: None})):
            found = decode(event)
            assert found.kind is Kind.RUN
            if key in ("inputs", "outputs"):
                assert getattr(found, key) == []
            if key == "producer":
                assert found.producer == ""
            if key == "eventType":
                assert found.type is EventType.OTHER

    @pytest.mark.parametrize("name", ["start", "Complete"])
    def test_the_type_may_be_in_small_letters(self, name: str) -> None:
        assert decode(run_event(name)).type is EventType[name.upper()]

    @pytest.mark.parametrize(
        "run_id",
        ["7", "scheduled__2024-05-01T00:00:00+00:00", "a/b", "run 1", "\U0001f600", RUN.upper()],
    )
    def test_any_text_is_a_run_id(self, run_id: str) -> None:
        event = decode(run_event(run={"runId": run_id}))
        assert event.run is not None and event.run.runId == run_id

    @pytest.mark.parametrize(
        ("text", "at"),
        [
            ("2024-05-01T12:00:00", NOON),
            ("2024-05-01T12:00:00.123456789Z", NOON + 123_456),
            ("2024-05-01T12:00:00.1Z", NOON + 100_000),
            ("2024-05-01T12:00:00.12Z", NOON + 120_000),
            ("2024-05-01T14:00:00+02:00", NOON),
        ],
    )
    def test_every_form_of_a_time_is_read(self, text: str, at: int) -> None:
        assert decode(run_event(eventTime=text)).at == at

    @pytest.mark.parametrize(
        "facets", [{"x": {}}, {"x": {"a": 1}}, {"x": []}, {"x": None}, {}, None]
    )
    def test_facets_need_neither_producer_nor_shape(self, facets: Any) -> None:
        dataset = {"namespace": "db", "name": "orders", "facets": facets}
        found = decode(
            run_event(
                run={"runId": RUN, "facets": facets},
                job={"namespace": "scheduler", "name": "load", "facets": facets},
                inputs=[dataset | {"inputFacets": facets}],
                outputs=[dataset | {"outputFacets": facets}],
            )
        )
        assert found.kind is Kind.RUN
        assert decode(dataset_event(dataset=dataset)).kind is Kind.DATASET

    def test_a_facet_may_stand_in_another_slot(self) -> None:
        facets: Json = {"dataQualityAssertions": {"assertions": []}}
        event = decode(run_event(inputs=[{"namespace": "db", "name": "orders", "facets": facets}]))
        assert list(event.inputs[0].facets or ()) == ["dataQualityAssertions"]

    @pytest.mark.parametrize("namespace", ["", None])
    def test_a_dataset_may_lack_its_namespace(self, namespace: str | None) -> None:
        event = decode(
            run_event(inputs=[{"namespace": namespace, "name": "orders"}, {"name": "x"}])
        )
        assert [dataset.name for dataset in event.inputs] == ["orders", "x"]

    @pytest.mark.parametrize(
        "name",
        [
            "a b",
            "a:b",
            "a/b",
            "#?%&=+",
            "tab\there",
            "\U0001f600",
            "\u00e9",
            "x" * 2000,
            "\u00e9" * 1000,
            "\U0001f600" * 500,
            " ",
            "\x7f",
        ],
    )
    def test_names_hold_any_characters_up_to_2000_bytes(self, name: str) -> None:
        event = decode(
            run_event(
                run={"runId": name, "facets": {name: {}}},
                job={"namespace": name, "name": name},
                inputs=[{"namespace": name, "name": name}],
            )
        )
        assert event.job is not None and event.job.name == name
        assert event.inputs[0].namespace == name

    def test_unknown_keys_are_passed_over_anywhere(self) -> None:
        event = run_event(
            extra={"a": 1},
            run={"runId": RUN, "extra": []},
            job={"namespace": "scheduler", "name": "load", "extra": None},
            inputs=[{"namespace": "db", "name": "orders", "extra": 1e300}],
        )
        assert decode(event).raw == encode(event)

    def test_a_large_event_is_read(self) -> None:
        fields = [{"name": f"column_{index}", "type": "STRING"} for index in range(20_000)]
        dataset = {"namespace": "db", "name": "orders", "facets": {"schema": {"fields": fields}}}
        data = encode(run_event(outputs=[dataset]))
        assert len(data) > 500_000
        assert decode_event(data).raw == data


class TestBytes:
    def test_the_event_is_kept_byte_for_byte(self) -> None:
        data = json.dumps(run_event(extra="\u00e9\U0001f600\0"), indent=3).encode()
        event = decode_event(data)
        assert event.raw == data
        assert event.digest == decode_event(bytes(data)).digest

    def test_another_byte_makes_another_event(self) -> None:
        loose = json.dumps(run_event()).encode()
        assert decode_event(loose).digest != decode_event(encode(run_event())).digest

    def test_white_space_and_byte_order_mark_around_it_do_not_count(self) -> None:
        data = encode(run_event())
        padded = b"\n\t " + data + b"\r\n"
        assert decode_event(padded).raw == data
        assert decode_event(b"\xef\xbb\xbf" + data).raw == data

    @pytest.mark.parametrize("value", [rb'"\u0000"', rb'"\ud800"', b"1e999", b"9" * 40, b"-0.0"])
    def test_facets_hold_what_no_column_could(self, value: bytes) -> None:
        data = encode(dataset_event()).replace(
            b'"name":"orders"', b'"name":"orders","facets":{"x":{"v":' + value + b"}}"
        )
        event = decode_event(data)
        assert event.raw == data
        assert event.dataset is not None and event.dataset.facets is not None
        assert bytes(event.dataset.facets["x"]) == b'{"v":' + value + b"}"

    def test_facets_that_differ_in_a_lone_surrogate_stay_apart(self) -> None:
        facets = rb'{"one":{"v":"\ud800"},"two":{"v":"\ud801"},"three":{"v":"\uffff"}}'
        data = b'{"eventTime":"2024-05-01T12:00:00Z","note":{"v":"\\udfff"},"dataset":'
        event = decode_event(data + b'{"namespace":"db","name":"t","facets":' + facets + b"}}")
        assert event.dataset is not None and event.dataset.facets is not None
        found = {name: bytes(raw) for name, raw in event.dataset.facets.items()}
        assert found == {
            "one": rb'{"v":"\ud800"}',
            "two": rb'{"v":"\ud801"}',
            "three": rb'{"v":"\uffff"}',
        }

    @pytest.mark.parametrize("letters", ["e", "f", "ef", "efc", "efcb", "efcba"])
    def test_escapes_that_look_like_halves_are_kept(self, letters: str) -> None:
        """Private, Hangul and other characters beside a lone surrogate, escaped and not."""
        escapes = "".join(rf"\u{letter}8ff\u{letter.upper()}ABC" for letter in letters).encode()
        facet = rb'{"v":"\ud800","w":"' + escapes + '\ue800\uf8ff\ucccc"}'.encode()
        data = encode(dataset_event()).replace(
            b'"name":"orders"', b'"name":"orders","facets":{"x":' + facet + b"}"
        )
        event = decode_event(data)
        assert event.dataset is not None and event.dataset.facets is not None
        assert bytes(event.dataset.facets["x"]) == facet

    @pytest.mark.parametrize("name", ["\ue800", "\uf8ff", "\ucccc", "\uffff"])
    def test_a_name_beside_a_lone_surrogate_is_read_as_it_is(self, name: str) -> None:
        facet = rb'{"v":"\ud800"}'
        for written in (name.encode(), json.dumps(name).strip('"').encode()):
            data = encode(dataset_event()).replace(
                b'"name":"orders"', b'"name":"%b","facets":{"x":%b}' % (written, facet)
            )
            event = decode_event(data)
            assert event.dataset is not None
            assert event.dataset.name == name

    def test_an_edit_keeps_lone_surrogates_in_its_values(self) -> None:
        data = encode(edit_event(set={"documentation": {"description": "HALF"}}))
        event = decode_event(data.replace(b"HALF", rb"\ud800"))
        assert event.edit is not None
        assert bytes(event.edit.set["documentation"]) == rb'{"description":"\ud800"}'


class TestRefusal:
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"", "empty"),
            (b" \n", "empty"),
            (b"{", "invalid JSON"),
            (encode(run_event()) + b"}", "invalid JSON"),
            (b"{'a':1}", "invalid JSON"),
            (b'{"eventTime":}', "invalid JSON"),
            (b"nope", "invalid JSON"),
            (rb'{"a":"\ud800"', "invalid JSON"),
            (b"\xff\xfe{\x00}\x00", "not UTF-8 at byte 0"),
            (b'{"a":"\xed\xa0\x80"}', "not UTF-8 at byte 6"),
            (b"null", "expected `object`"),
            (b"7", "expected `object`"),
            (b'"event"', "expected `object`"),
            (b"true", "expected `object`"),
            (b"[]", "expected `object`"),
        ],
    )
    def test_what_is_no_object_is_refused_as_a_whole(self, data: bytes, reason: str) -> None:
        refused = refusal(data)
        assert refused.path == "$"
        assert reason in refused.reason

    @pytest.mark.parametrize(
        "value",
        [
            b"01",
            b"1.",
            b"+1",
            b".5",
            b"NaN",
            b"nul",
            b'"\\q"',
            b'"\n"',
            b'"\\u12"',
            b"[1,]",
            b"'a'",
        ],
    )
    def test_invalid_json_inside_a_facet_is_refused_too(self, value: bytes) -> None:
        data = encode(dataset_event()).replace(
            b'"name":"orders"', b'"name":"orders","facets":{"x":{"v":' + value + b"}}"
        )
        assert refusal(data).path == "$"

    @pytest.mark.parametrize(
        ("event", "path"),
        [
            ({}, "$.eventTime"),
            (without(run_event(), "eventTime"), "$.eventTime"),
            (run_event(eventTime=None), "$.eventTime"),
            (run_event(eventTime=1714564800), "$.eventTime"),
            (run_event(eventTime="2024-05-01"), "$.eventTime"),
            (run_event(eventTime="yesterday"), "$.eventTime"),
            (run_event(eventTime=""), "$.eventTime"),
            ({"eventTime": "2024-05-01T12:00:00Z"}, "$.job"),
            (without(run_event(), "job"), "$.job"),
            (without(dataset_event(), "dataset"), "$.job"),
            (run_event(job=None), "$.job"),
            (run_event(job="load"), "$.job"),
            (run_event(job=[]), "$.job"),
            (run_event(job={"namespace": "scheduler"}), "$.job.name"),
            (run_event(job={"name": "load"}), "$.job.namespace"),
            (run_event(job={"namespace": "", "name": "load"}), "$.job.namespace"),
            (run_event(job={"namespace": "scheduler", "name": ""}), "$.job.name"),
            (run_event(job={"namespace": "scheduler", "name": 7}), "$.job.name"),
            (run_event(job={"namespace": None, "name": "load"}), "$.job.namespace"),
            (run_event(job={"namespace": "a", "name": "b", "facets": []}), "$.job.facets"),
            (run_event(run="x"), "$.run"),
            (run_event(run={}), "$.run.runId"),
            (run_event(run={"runId": None}), "$.run.runId"),
            (run_event(run={"runId": 7}), "$.run.runId"),
            (run_event(run={"runId": ""}), "$.run.runId"),
            (run_event(run={"runId": RUN, "facets": "x"}), "$.run.facets"),
            (run_event(eventType="FINISHED"), "$.eventType"),
            (run_event(eventType=""), "$.eventType"),
            (run_event(eventType=3), "$.eventType"),
            (run_event(producer=7), "$.producer"),
            (run_event(inputs={}), "$.inputs"),
            (run_event(inputs="orders"), "$.inputs"),
            (run_event(inputs=["orders"]), "$.inputs[0]"),
            (run_event(inputs=[None]), "$.inputs[0]"),
            (run_event(inputs=[{"namespace": "db"}]), "$.inputs[0].name"),
            (run_event(inputs=[{"name": 7}]), "$.inputs[0].name"),
            (run_event(outputs=[{"namespace": 7, "name": "x"}]), "$.outputs[0].namespace"),
            (run_event(outputs=[{"name": "x"}, {"name": ""}]), "$.outputs[1].name"),
            (dataset_event(dataset={"namespace": "db"}), "$.dataset.name"),
            (dataset_event(dataset={"namespace": "db", "name": ""}), "$.dataset.name"),
            (dataset_event(dataset=7), "$.dataset"),
            (
                edit_event(entity={"type": "team", "namespace": "a", "name": "b"}),
                "$.edit.entity.type",
            ),
            (edit_event(actor=""), "$.edit.actor"),
            (edit_event(unset=[""]), "$.edit"),
        ],
    )
    def test_the_place_of_what_is_wrong_is_named(self, event: Json, path: str) -> None:
        refused = refusal(encode(event))
        assert refused.path == path
        assert refused.reason
        assert refused.message == f"{path}: {refused.reason}"

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            (r"a\u0000b", "NUL"),
            (r"a\ud800", "surrogate"),
            (r"\udc00b", "surrogate"),
            ("x" * 2001, "2,001 bytes"),
            ("\u00e9" * 1001, "2,002 bytes"),
        ],
    )
    @pytest.mark.parametrize(
        ("template", "path"),
        [
            (run_event(run={"runId": "NAME"}), "$.run.runId"),
            (run_event(run={"runId": RUN, "facets": {"NAME": {}}}), "$.run.facets"),
            (run_event(job={"namespace": "NAME", "name": "b"}), "$.job.namespace"),
            (run_event(job={"namespace": "a", "name": "NAME"}), "$.job.name"),
            (run_event(job={"namespace": "a", "name": "b", "facets": {"NAME": 1}}), "$.job.facets"),
            (run_event(inputs=[{"name": "a"}, {"name": "NAME"}]), "$.inputs[1].name"),
            (run_event(outputs=[{"namespace": "NAME", "name": "a"}]), "$.outputs[0].namespace"),
            (run_event(outputs=[{"name": "a", "facets": {"NAME": 1}}]), "$.outputs[0].facets"),
            (
                run_event(inputs=[{"name": "a", "inputFacets": {"NAME": 1}}]),
                "$.inputs[0].inputFacets",
            ),
            (
                run_event(outputs=[{"name": "a", "outputFacets": {"NAME": 1}}]),
                "$.outputs[0].outputFacets",
            ),
            (dataset_event(dataset={"namespace": "NAME", "name": "a"}), "$.dataset.namespace"),
            (dataset_event(dataset={"namespace": "a", "name": "NAME"}), "$.dataset.name"),
            (dataset_event(dataset={"name": "a", "facets": {"NAME": 1}}), "$.dataset.facets"),
        ],
    )
    def test_names_that_no_store_holds_are_refused(
        self, template: Json, path: str, text: str, reason: str
    ) -> None:
        refused = refusal(encode(template).replace(b"NAME", text.encode()))
        assert refused.path == path
        assert reason in refused.reason

    def test_reasons_stay_short_whatever_came(self) -> None:
        for event in (run_event("x" * 100_000), run_event(eventTime="x" * 100_000)):
            assert len(refusal(encode(event)).message) < 300


class TestNesting:
    @staticmethod
    def nested(depth: int) -> bytes:
        deep = b"[" * depth + b"]" * depth
        return encode(dataset_event()).replace(
            b'"name":"orders"',
            b'"name":"orders","facets":{"schema":' + deep + b',"x": ' + deep + b"}",
        )

    @staticmethod
    def take_in(data: bytes) -> Intake:
        return take_in(data, NOON, DAY, "test")

    def test_no_depth_is_an_accident(self) -> None:
        """At every depth an event is taken in or refused, and deeper is never easier."""
        is_taken = [self.take_in(self.nested(depth)).error is None for depth in range(1, 1100)]
        assert is_taken[100]
        assert not is_taken[-1]
        assert is_taken == sorted(is_taken, reverse=True)

    def test_ten_thousand_levels_are_refused(self) -> None:
        error = self.take_in(self.nested(10_000)).error
        assert error is not None
        assert error.path == "$"
        assert error.reason.startswith("nested deeper than ")

    def test_what_is_taken_does_not_depend_on_who_asks(self) -> None:
        """Every process must make the same facts, however deep its own stack is."""

        def deeper(data: bytes, frames: int) -> Intake:
            return deeper(data, frames - 1) if frames else self.take_in(data)

        for depth in range(400, 1000, 10):
            data = self.nested(depth)
            near, far = self.take_in(data), deeper(data, 200)
            assert (near.error is None) == (far.error is None), depth
            assert near.facts.all_rows() == far.facts.all_rows()


class TestArrays:
    def test_an_array_is_cut_into_the_bytes_of_its_elements(self) -> None:
        one, two = encode(run_event()), json.dumps(job_event(), indent=1).encode()
        assert split_array(b" [ " + one + b" ,\n" + two + b"]\n") == [one, two]

    @pytest.mark.parametrize(
        ("data", "parts"), [(b"[]", []), (b"[1, null ,{}]", [b"1", b"null", b"{}"])]
    )
    def test_elements_need_not_be_events(self, data: bytes, parts: list[bytes]) -> None:
        assert split_array(data) == parts

    def test_elements_with_lone_surrogates_keep_their_bytes(self) -> None:
        parts = [
            rb'{"v":"\ud800"}',
            rb'{"v":"\ud801"}',
            rb'{"v":"\uffff"}',
            rb'"\udfff"',
            b"1",
            b"1",
        ]
        assert split_array(b"[" + b", ".join(parts) + b"]") == parts

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"{}",
            b"[",
            b"[1,]",
            b"[1 2]",
            b"[]]",
            b"7",
            rb'["\ud800"',
            b"[" * 10_000,
            b"[\xff]",
        ],
    )
    def test_what_is_no_array_is_refused(self, data: bytes) -> None:
        with pytest.raises(InvalidEvent) as refused:
            split_array(data)
        assert refused.value.path == "$"


class TestIntake:
    """The checks that need a clock, and what is kept of a refusal."""

    def test_an_event_becomes_its_facts(self) -> None:
        taken = take_in(encode(run_event()), NOON + 5, DAY, "test")
        assert taken.error is None
        row: Any = taken.facts.rows["event"][0]
        assert (row.at, row.received_at, row.payload) == (NOON, NOON + 5, encode(run_event()))

    @pytest.mark.parametrize(("behind", "is_taken"), [(DAY, True), (DAY + 1, False), (-1, True)])
    def test_a_time_may_be_a_day_ahead_and_no_more(self, behind: int, is_taken: bool) -> None:
        error = take_in(encode(run_event()), NOON - behind, DAY, "test").error
        assert (error is None) == is_taken
        if error is not None:
            assert error.path == "$.eventTime"
            assert "check the sender's clock" in error.reason

    def test_edits_are_not_posted(self) -> None:
        error = take_in(encode(edit_event(set={"deleted": True})), NOON, DAY, "test").error
        assert error is not None
        assert error.path == "$.edit"

    def test_a_refusal_is_kept_with_its_reason_and_bytes(self) -> None:
        data = encode(without(run_event(), "job"))
        taken = take_in(data, NOON, DAY, "test")
        assert list(taken.facts.rows) == ["rejected", "rejected_place"]
        row: Any = taken.facts.rows["rejected"][0]
        assert taken.facts.rows["rejected_place"] == [(row.digest, "test", NOON)]
        assert (row.path, row.source, row.size) == ("$.job", "test", len(data))
        assert row.payload == data
        assert row.received_at == NOON

    def test_only_the_start_of_a_large_refusal_is_kept(self) -> None:
        data = b'"' + b"x" * 3_000_000
        row: Any = take_in(data, NOON, DAY, "test").facts.rows["rejected"][0]
        assert row.size == len(data)
        assert data.startswith(row.payload)
        assert len(row.payload) <= 1_000_000
        assert row.digest != hashlib.sha256(row.payload).digest()[:16]
