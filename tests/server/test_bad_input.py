"""Bad input: what is odd is stored as sent, what is unusable is refused and listed, never a 500."""

import gzip
import json
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import msgspec
import pytest

from headwater.model.values.json_text import readable_numbers
from testing.api import Api, error_of, escape
from testing.events.minimal import JOBS, RUN, TABLES, Json, dataset, run_event

ODD_NAMES = {
    "slashes": "/a/b//c/",
    "colons": "a:b::c",
    "url": "s3://bucket/key?version=1#part",
    "escapes": "100%/%2F%00%zz+",
    "dots": "../.",
    "spaces": " a  b ",
    "quotes": """'a' "b" `c` \\ """,
    "controls": "tab\t line\n return\r escape\x1b delete\x7f",
    "emoji": "\U0001f600\U0001f469\u200d\U0001f680",
    "scripts": "\u00e9\u0301 \u4e2d\u6587 \u0627\u0644 \ufeff \u2028",
    "not normalised": "e\u0301",
    "ends of the planes": "\ud7ff\ue000\ufffd\U0010ffff",
    "long": "x" * 2_000,
    "long in bytes": "\U0001f600" * 500,
    "long escapes": "%" * 2_000,
}


def minimal(**replaced: bytes) -> bytes:
    """A run event's bytes, written out, with parts of them replaced."""
    parts = {
        "time": b'"2024-05-01T10:00:00Z"',
        "job": b'{"namespace":"scheduler","name":"load"}',
        "run": b'{"runId":"7"}',
        "facets": b"{}",
        **replaced,
    }
    return (
        b'{"eventTime":%(time)b,"eventType":"START","run":%(run)b,"job":%(job)b,'
        b'"outputs":[{"namespace":"db","name":"totals","facets":%(facets)b}]}'
        % {key.encode(): value for key, value in parts.items()}
    )


class TestAccepted:
    """Taken in, and given back as it was sent, by both databases."""

    @pytest.mark.parametrize("name", ODD_NAMES.values(), ids=ODD_NAMES)
    def test_names_of_any_characters(self, api: Api, name: str) -> None:
        used = dataset(name, name)
        event = run_event(
            run=name, job=name, inputs=[used], outputs=[used], run_facets={name: {"v": 1}}
        )
        event["job"]["namespace"] = name
        sent = json.dumps(event).encode()
        api.store(sent)
        assert sent in api.get("/events/lineage").content
        job, found, run = api.job(name, name), api.dataset(name, name), api.run(name)
        assert (job["namespace"], job["name"]) == (name, name)
        assert job["inputs"] == job["outputs"] == [{"namespace": name, "name": name}]
        assert found["id"] == {"namespace": name, "name": name}
        assert run["id"] == name
        assert run["facets"] == {name: {"v": 1}}
        assert api.read(f"/namespaces/{escape(name)}")["name"] == name
        for kind in ("jobs", "datasets"):
            listed = api.read(f"/namespaces/{escape(name)}/{kind}")
            assert [one["name"] for one in listed[kind]] == [name]
            assert listed["totalCount"] == 1
        runs = api.read(f"/namespaces/{escape(name)}/jobs/{escape(name)}/runs")["runs"]
        assert [one["id"] for one in runs] == [name]

    @pytest.mark.parametrize(
        "value",
        [
            rb'"\u0000"',
            rb'"a\u0000b"',
            rb'"\ud800"',
            rb'"\udfff\ud800"',
            rb'{"\u0000":{"\ud800":null}}',
            b"1e999",
            b"-1e999",
            b"9" * 40,
            b"-" + b"9" * 400,
            b"0." + b"3" * 400,
            b"1E400",
            b"[" * 200 + b"]" * 200,
            b'{"a":1,"a":2}',
            b'""',
            '"\u00e9\U0001f600"'.encode(),
        ],
    )
    @pytest.mark.parametrize("name", ["anything", "schema", "documentation", "outputStatistics"])
    def test_any_json_inside_a_facet(self, api: Api, name: str, value: bytes) -> None:
        facet = b'{"description":' + value + b"}"
        sent = minimal(facets=b'{"%b":%b}' % (name.encode(), facet))
        api.store(sent)
        assert readable_numbers(sent) in api.get("/events/lineage").content
        found = api.get("/namespaces/db/datasets/totals")
        assert found.status_code == 200
        assert readable_numbers(facet) in found.content
        assert api.get("/namespaces/scheduler/jobs/load").status_code == 200
        assert api.get("/jobs/runs/7").status_code == 200

    @pytest.mark.parametrize(
        ("slot", "name"),
        [("run", "errorMessage"), ("job", "sourceCodeLocation"), ("job", "documentation")],
    )
    @pytest.mark.parametrize("value", [rb'"\u0000"', rb'"\ud800"', b"9" * 40, b"1e999", b"[]"])
    def test_odd_values_where_the_api_shows_a_facets_field(
        self, api: Api, slot: str, name: str, value: bytes
    ) -> None:
        facet = b'{"url":%b,"description":%b,"message":%b}' % (value, value, value)
        facets = b'"facets":{"%b":%b}}' % (name.encode(), facet)
        names = {"run": b'{"runId":"7",', "job": b'{"namespace":"scheduler","name":"load",'}
        sent = minimal(**{slot: names[slot] + facets})
        api.store(sent)
        assert readable_numbers(sent) in api.get("/events/lineage").content
        path = {"run": "/jobs/runs/7", "job": "/namespaces/scheduler/jobs/load"}[slot]
        answer = api.get(path)
        assert answer.status_code == 200
        assert readable_numbers(facet) in answer.content

    def test_lone_surrogates_that_differ_stay_apart(self, api: Api) -> None:
        sent = minimal(facets=rb'{"one":{"v":"\ud800"},"two":{"v":"\ud801"}}')
        api.store(sent)
        assert sent in api.get("/events/lineage").content
        assert rb'"one":{"v":"\ud800"},"two":{"v":"\ud801"}' in (
            api.get("/namespaces/db/datasets/totals").content
        )

    def test_columns_of_any_characters(self, api: Api) -> None:
        fields = (
            rb'{"a\u0000\ud800":{"inputFields":[{"namespace":"db","name":"in","field":"\u0000"}]}}'
        )
        sent = minimal(
            facets=rb'{"schema":{"fields":[{"name":"\u0000\ud800","type":"\u0000"}]},'
            rb'"columnLineage":{"fields":' + fields + b"}}"
        )
        api.store(sent)
        assert sent in api.get("/events/lineage").content
        found = api.get("/namespaces/db/datasets/totals")
        assert fields in found.content
        (column_map,) = api.column_maps()
        assert len(column_map.outputs) == 1

    def test_white_space_inside_an_event_is_kept(self, api: Api) -> None:
        sent = json.dumps(run_event(), indent=4).encode()
        api.store(b"\n\n" + sent + b"\n")
        assert sent in api.get("/events/lineage").content

    @pytest.mark.slow
    def test_an_event_larger_than_many_servers_allow(self, api: Api) -> None:
        sent = minimal(facets=b'{"x":"' + b"y" * 15_000_000 + b'"}')
        api.store(sent)
        assert sent in api.get("/events/lineage").content

    @pytest.mark.parametrize(
        "at", ["1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z"]
    )
    def test_times_long_ago(self, api: Api, at: str) -> None:
        api.store(run_event("START", at), run_event("COMPLETE", at, outputs=[dataset("totals")]))
        run = api.run(RUN)
        assert run["state"] == "COMPLETED"
        assert run["startedAt"] == run["endedAt"] == at.replace("Z", ".000000Z")
        assert api.dataset(TABLES, "totals")["lastModifiedAt"] == run["endedAt"]
        assert api.job(JOBS, "load")["outputs"] == [{"namespace": TABLES, "name": "totals"}]


def in_hours(hours: float) -> bytes:
    return msgspec.json.encode((datetime.now(UTC) + timedelta(hours=hours)).isoformat())


LONG = b'"' + b"x" * 2_001 + b'"'

REFUSED: dict[str, tuple[bytes, int, str]] = {
    "invalid JSON": (b'{"eventTime":', 400, "$"),
    "invalid JSON in a facet": (minimal(facets=b'{"x":01}'), 400, "$"),
    "two events": (minimal() + minimal(), 400, "$"),
    "no JSON at all": (b"eventTime=2024", 400, "$"),
    "empty": (b"", 400, "$"),
    "white space": (b" \r\n\t", 400, "$"),
    "a number": (b"7", 400, "$"),
    "a text": (b'"event"', 400, "$"),
    "null": (b"null", 400, "$"),
    "true": (b"true", 400, "$"),
    "invalid UTF-8": (minimal(facets=b'{"x":"\xff"}'), 400, "$"),
    "UTF-16": (minimal().decode().encode("utf-16"), 400, "$"),
    "surrogates in UTF-8": (minimal(facets=b'{"x":"\xed\xa0\x80"}'), 400, "$"),
    "10,000 levels": (minimal(facets=b'{"x":' + b"[" * 10_000 + b"]" * 10_000 + b"}"), 400, "$"),
    "10,000 levels, open": (b'{"a":' * 10_000, 400, "$"),
    "an empty object": (b"{}", 422, "$.eventTime"),
    "missing job": (b'{"eventTime":"2024-05-01T10:00:00Z","run":{"runId":"7"}}', 422, "$.job"),
    "missing dataset": (b'{"eventTime":"2024-05-01T10:00:00Z","producer":"x"}', 422, "$.job"),
    "job of a wrong type": (minimal(job=b'"load"'), 422, "$.job"),
    "job name of a wrong type": (minimal(job=b'{"namespace":"a","name":7}'), 422, "$.job.name"),
    "run id of a wrong type": (minimal(run=b'{"runId":7}'), 422, "$.run.runId"),
    "facets of a wrong type": (minimal(facets=b"[]"), 422, "$.outputs[0].facets"),
    "empty name": (minimal(job=b'{"namespace":"a","name":""}'), 422, "$.job.name"),
    "time of a wrong type": (minimal(time=b"1714557600"), 422, "$.eventTime"),
    "unusable time": (minimal(time=b'"soon"'), 422, "$.eventTime"),
    "date": (minimal(time=b'"2024-05-01"'), 422, "$.eventTime"),
    "31st of June": (minimal(time=b'"2024-06-31T10:00:00Z"'), 422, "$.eventTime"),
    "NUL in the time": (minimal(time=rb'"\u0000"'), 422, "$.eventTime"),
    "lone surrogate in the time": (minimal(time=rb'"\ud800"'), 422, "$.eventTime"),
    "unknown type": (
        minimal().replace(b'"START"', b'"DONE"'),
        422,
        "$.eventType",
    ),
    "NUL in the type": (minimal().replace(b'"START"', rb'"\u0000"'), 422, "$.eventType"),
    "lone surrogate in the type": (minimal().replace(b'"START"', rb'"\ud800"'), 422, "$.eventType"),
    "two days ahead": (minimal(time=in_hours(48)), 422, "$.eventTime"),
    "the year 9999": (minimal(time=b'"9999-12-31T23:59:59Z"'), 422, "$.eventTime"),
    "long name": (minimal(job=b'{"namespace":"a","name":%b}' % LONG), 422, "$.job.name"),
    "long run id": (minimal(run=b'{"runId":%b}' % LONG), 422, "$.run.runId"),
    "long facet key": (minimal(facets=b"{%b:1}" % LONG), 422, "$.outputs[0].facets"),
    "NUL in a name": (minimal(job=rb'{"namespace":"a\u0000","name":"b"}'), 422, "$.job.namespace"),
    "NUL in a run id": (minimal(run=rb'{"runId":"\u0000"}'), 422, "$.run.runId"),
    "NUL in a facet key": (minimal(facets=rb'{"\u0000":1}'), 422, "$.outputs[0].facets"),
    "lone surrogate in a name": (
        minimal(job=rb'{"namespace":"a","name":"\ud800"}'),
        422,
        "$.job.name",
    ),
    "lone surrogate in a run id": (minimal(run=rb'{"runId":"\udc00"}'), 422, "$.run.runId"),
    "lone surrogate in a facet key": (minimal(facets=rb'{"\ud800":1}'), 422, "$.outputs[0].facets"),
    "an edit": (
        b'{"eventTime":"2024-05-01T10:00:00Z","edit":{"actor":"a",'
        b'"entity":{"type":"job","namespace":"a","name":"b"},"set":{"deleted":true}}}',
        422,
        "$.edit",
    ),
}


class TestRefused:
    """Refused with the place and the reason, and kept as rejected."""

    @pytest.mark.parametrize(("body", "status", "path"), REFUSED.values(), ids=REFUSED)
    def test_is_refused_in_the_one_shape_and_listed(
        self, api: Api, body: bytes, status: int, path: str
    ) -> None:
        error = error_of(api.post(body), status, path)
        assert api.event_count() == 0
        (rejected,) = api.rejected()
        # No text column holds a NUL: the list shows its picture.
        assert rejected["reason"] == error["reason"].replace("\0", "\u2400")
        assert rejected["path"] == path
        assert (rejected["source"], rejected["size"]) == ("http", len(body))
        assert body.decode("utf-8", "replace").startswith(rejected["payload"])

    @pytest.mark.parametrize("body", [b"{}", b"7", b"null", b'"x"', b"[", b"[1,]", b"", b"[]]"])
    def test_a_batch_that_is_no_array_is_refused_and_listed(self, api: Api, body: bytes) -> None:
        error = error_of(api.post(body, "/api/v1/lineage/batch"), 400, "$")
        (rejected,) = api.rejected()
        assert rejected["reason"] == error["reason"]

    def test_a_time_within_a_day_is_taken(self, api: Api) -> None:
        api.store(minimal(time=in_hours(23.9)))
        error_of(api.post(minimal(time=in_hours(24.1))), 422, "$.eventTime")

    def test_refusing_the_same_twice_lists_it_once(self, api: Api) -> None:
        for _ in range(2):
            error_of(api.post(minimal(time=b'"soon"')), 422, "$.eventTime")
        assert len(api.rejected()) == 1

    def test_what_is_listed_is_newest_first(self, api: Api) -> None:
        for body in (b"1", b"2", b"3"):
            error_of(api.post(body), 400, "$")
        assert [one["payload"] for one in api.rejected()] == ["3", "2", "1"]

    @pytest.mark.parametrize(
        "content_type", ["text/plain", "application/xml", "multipart/form-data; boundary=x", "json"]
    )
    def test_a_wrong_content_type(self, api: Api, content_type: str) -> None:
        answer = api.post(run_event(), headers={"Content-Type": content_type})
        error_of(answer, 415, "Content-Type")
        assert api.event_count() == 0
        (rejected,) = api.rejected()
        assert rejected["path"] == "Content-Type"

    def test_bodies_of_a_wrong_content_type_are_kept(self, api: Api) -> None:
        for body in (b"one", b"two"):
            error_of(api.post(body, headers={"Content-Type": "text/plain"}), 415, "Content-Type")
        error_of(api.post(b""), 400, "$")
        assert [one["payload"] for one in api.rejected()] == ["", "two", "one"]

    @pytest.mark.parametrize(
        "content_type",
        [
            "application/json",
            "application/json; charset=UTF-8",
            "APPLICATION/JSON",
            "application/x+json",
        ],
    )
    def test_content_types_of_json_are_taken(self, api: Api, content_type: str) -> None:
        assert api.post(run_event(), headers={"Content-Type": content_type}).status_code == 201

    def test_a_body_without_a_content_type(self, api: Api) -> None:
        """A page of any site can make a browser send one."""
        request = api.client.build_request("POST", "/api/v1/lineage", content=minimal())
        assert "content-type" not in request.headers
        error = error_of(api.client.send(request), 415, "Content-Type")
        assert "send 'Content-Type: application/json'" in error["reason"]
        error_of(api.post(minimal(), headers={"Content-Type": ""}), 415, "Content-Type")
        assert api.event_count() == 0

    def test_what_curl_sends_by_itself(self, api: Api) -> None:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        error = error_of(api.post(minimal(), headers=form), 415, "Content-Type")
        assert "curl: -H 'Content-Type: application/json'" in error["reason"]

    def test_one_byte_over_20_mb(self, api: Api) -> None:
        limit = 20_000_000
        body = minimal()
        error_of(api.post(body + b" " * (limit + 1 - len(body))), 413, "body")
        (rejected,) = api.rejected()
        assert rejected["path"] == "body"
        assert api.event_count() == 0
        api.store(body + b" " * (limit - len(body)))

    def test_over_20_mb_without_a_content_length(self, api: Api) -> None:
        def pieces() -> Iterator[bytes]:
            yield minimal()
            for _ in range(21):
                yield b" " * 1_000_000

        headers = {"Content-Type": "application/json"}
        answer = api.client.post("/api/v1/lineage", content=pieces(), headers=headers)
        error_of(answer, 413, "body")
        assert len(api.rejected()) == 1
        assert api.event_count() == 0
        api.store(minimal())


class TestEncodings:
    def gzipped(self, body: bytes) -> dict[str, Any]:
        return {"body": gzip.compress(body), "headers": {"Content-Encoding": "gzip"}}

    def test_gzip_is_read(self, api: Api) -> None:
        assert api.post(**self.gzipped(minimal())).status_code == 201
        assert minimal() in api.get("/events/lineage").content

    def test_gzip_in_several_members_is_read(self, api: Api) -> None:
        body = minimal()
        packed = gzip.compress(body[:50]) + gzip.compress(b"") + gzip.compress(body[50:])
        assert api.post(packed, headers={"Content-Encoding": "x-gzip"}).status_code == 201
        assert minimal() in api.get("/events/lineage").content

    def test_a_refused_event_in_gzip_is_listed_unpacked(self, api: Api) -> None:
        body = minimal(time=b'"soon"')
        error_of(api.post(**self.gzipped(body)), 422, "$.eventTime")
        (rejected,) = api.rejected()
        assert rejected["payload"] == body.decode()

    @pytest.mark.parametrize("size", [0, 1, 9, 15, -1, -9])
    def test_gzip_cut_short(self, api: Api, size: int) -> None:
        packed = gzip.compress(minimal())[:size]
        error = error_of(api.post(packed, headers={"Content-Encoding": "gzip"}), 400)
        (rejected,) = api.rejected()
        assert rejected["reason"] == error["reason"]

    @pytest.mark.parametrize("body", [minimal(), zlib.compress(minimal()), b"\x1f\x8b\xff" * 10])
    def test_what_is_no_gzip(self, api: Api, body: bytes) -> None:
        error_of(api.post(body, headers={"Content-Encoding": "gzip"}), 400, "body")
        assert len(api.rejected()) == 1

    def test_gzip_with_a_wrong_checksum(self, api: Api) -> None:
        packed = bytearray(gzip.compress(minimal()))
        packed[-8] ^= 0xFF
        error_of(api.post(bytes(packed), headers={"Content-Encoding": "gzip"}), 400, "body")
        assert api.event_count() == 0

    @pytest.mark.parametrize("encoding", ["br", "deflate", "zstd", "gzip, gzip", "\u00e9"])
    def test_an_unknown_encoding(self, api: Api, encoding: str) -> None:
        headers = [
            (b"Content-Type", b"application/json"),
            (b"Content-Encoding", encoding.encode("latin-1")),
        ]
        answer = api.client.post("/api/v1/lineage", content=minimal(), headers=headers)
        error_of(answer, 415, "Content-Encoding")
        assert len(api.rejected()) == 1
        assert api.event_count() == 0

    def test_identity_is_no_encoding(self, api: Api) -> None:
        assert api.post(minimal(), headers={"Content-Encoding": "identity"}).status_code == 201

    @pytest.mark.slow
    def test_a_gzip_bomb(self, api: Api) -> None:
        bomb = gzip.compress(b" " * 50_000_000)
        assert len(bomb) < 60_000
        error_of(api.post(bomb, headers={"Content-Encoding": "gzip"}), 413, "body")
        (rejected,) = api.rejected()
        assert rejected["size"] == len(bomb)

    def test_a_gzip_bomb_of_many_members(self, api: Api) -> None:
        bomb = gzip.compress(b" " * 5_000_000) * 10
        error_of(api.post(bomb, headers={"Content-Encoding": "gzip"}), 413, "body")

    @pytest.mark.slow
    def test_just_under_the_limit_once_unpacked(self, api: Api) -> None:
        body = minimal()
        api.post(**self.gzipped(body + b" " * (20_000_000 - len(body)))).raise_for_status()
        error_of(api.post(**self.gzipped(body + b" " * (20_000_001 - len(body)))), 413, "body")

    @pytest.mark.slow
    def test_a_great_many_empty_gzip_members_take_little_time(self, sqlite_api: Api) -> None:
        """Each member must not copy what is left: that is quadratic, minutes for 20 MB."""
        packed = gzip.compress(b"") * 400_000
        assert len(packed) == 8_000_000
        # A fraction of a second, or minutes.
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        answer = sqlite_api.client.post(
            "/api/v1/lineage", content=packed, headers=headers, timeout=30
        )
        assert answer.status_code in (400, 413)


class TestArrays:
    BAD: Json = {"eventTime": "2024-05-01T10:00:00Z", "run": {"runId": RUN}}

    def test_an_array_of_good_events_is_stored(self, api: Api) -> None:
        answer = api.post([run_event("START"), run_event("COMPLETE", "2024-05-01T10:05:00Z")])
        assert (answer.status_code, answer.content) == (201, b"")
        assert api.event_count() == 2

    @pytest.mark.parametrize("path", ["/api/v1/lineage", "/api/v1/lineage/batch"])
    def test_of_an_array_with_a_bad_event_the_rest_is_stored(self, api: Api, path: str) -> None:
        answer = api.post([run_event("START"), self.BAD, run_event("COMPLETE"), 7], path)
        assert answer.status_code == 200
        assert answer.json() == {
            "status": "partial_success",
            "summary": {
                "received": 4,
                "successful": 2,
                "failed": 2,
                "retriable": 0,
                "non_retriable": 2,
            },
            "failed_events": [
                {
                    "index": 1,
                    "reason": "$.job: missing; a run event names its job",
                    "retriable": False,
                },
                {"index": 3, "reason": "$: expected `object`, got `int`", "retriable": False},
            ],
        }
        assert api.event_count() == 2
        assert api.run(RUN)["state"] == "COMPLETED"
        assert {one["payload"] for one in api.rejected()} == {
            msgspec.json.encode(self.BAD).decode(),
            "7",
        }

    @pytest.mark.parametrize("path", ["/api/v1/lineage", "/api/v1/lineage/batch"])
    def test_of_an_array_of_bad_events_nothing_is_stored(self, api: Api, path: str) -> None:
        answer = api.post([self.BAD, None], path)
        assert answer.status_code == 422
        summary = {"received": 2, "successful": 0, "failed": 2, "retriable": 0, "non_retriable": 2}
        assert answer.json()["summary"] == summary
        assert [one["index"] for one in answer.json()["failed_events"]] == [0, 1]
        assert api.event_count() == 0
        assert len(api.rejected()) == 2

    def test_an_empty_array_is_nothing(self, api: Api) -> None:
        assert api.post(b"[]").status_code == 201
        assert api.post(b" [ ] ", "/api/v1/lineage/batch").status_code == 204
        assert api.event_count() == 0
        assert api.rejected() == []

    def test_a_batch_of_good_events_is_answered_without_a_body(self, api: Api) -> None:
        answer = api.post([run_event("START"), run_event("COMPLETE")], "/api/v1/lineage/batch")
        assert (answer.status_code, answer.content) == (204, b"")
        assert api.event_count() == 2

    def test_events_of_an_array_are_kept_byte_for_byte(self, api: Api) -> None:
        loose = json.dumps(run_event(), indent=2).encode()
        odd = minimal(facets=rb'{"x": {"v" : "\ud800"}}')
        api.store(b"\n[ " + loose + b" ,\n\t" + odd + b" ]\n")
        answer = api.get("/events/lineage").content
        assert loose in answer
        assert odd in answer

    def test_a_byte_order_mark_before_an_array_does_not_count(self, api: Api) -> None:
        api.store(b"\xef\xbb\xbf" + minimal())
        api.store(b"\xef\xbb\xbf[" + minimal(run=b'{"runId":"8"}') + b"]")
        assert api.event_count() == 2

    def test_an_array_inside_an_array_is_refused(self, api: Api) -> None:
        assert api.post([[run_event()]]).status_code == 422

    def test_an_array_of_an_event_repeated_stores_it_once(self, api: Api) -> None:
        api.store([run_event()] * 50)
        assert api.event_count() == 1

    def test_an_edit_in_an_array_is_refused(self, api: Api) -> None:
        body, _, path = REFUSED["an edit"]
        answer = api.post(b"[" + body + b"]")
        assert answer.status_code == 422
        assert answer.json()["failed_events"][0]["reason"].startswith(f"{path}: ")

    def test_an_array_larger_than_20_mb_is_refused(self, api: Api) -> None:
        error_of(api.post(b"[" + b" " * 20_000_000 + b"]"), 413, "body")


class TestNeverA500:
    def test_at_any_depth_of_nesting(self, sqlite_api: Api) -> None:
        for depth in (*range(100, 900, 100), *range(900, 1010)):
            deep = b"[" * depth + b"]" * depth
            status = sqlite_api.post(minimal(facets=b'{"x":' + deep + b"}")).status_code
            assert status in (201, 400), depth

    def test_at_any_depth_of_a_schema(self, sqlite_api: Api) -> None:
        for depth in (*range(50, 400, 50), *range(400, 510, 3)):
            fields = b'{"name":"x","fields":[' * depth + b'{"name":"y"}' + b"]}" * depth
            status = sqlite_api.post(
                minimal(facets=b'{"schema":{"fields":[' + fields + b"]}}")
            ).status_code
            assert status in (201, 400), depth
            if status == 201:
                assert sqlite_api.get("/namespaces/db/datasets/totals").status_code == 200, depth

    @pytest.mark.slow
    def test_whatever_byte_is_changed(self, sqlite_api: Api) -> None:
        """Every byte of an event replaced by a few others: stored or refused, and told why."""
        body = minimal(facets=rb'{"schema":{"fields":[{"name":"\u00e9"}]},"x":1.5e3}')
        for index in range(len(body)):
            for other in (b'"', b"\\", b"\xff"):
                changed = body[:index] + other + body[index + 1 :]
                answer = sqlite_api.post(changed)
                if answer.status_code != 201:
                    assert answer.status_code in (400, 422), changed
                    assert set(answer.json()) == {"code", "message", "path", "reason"}

    def test_however_short_it_is_cut(self, sqlite_api: Api) -> None:
        body = minimal()
        for size in range(len(body)):
            error_of(sqlite_api.post(body[:size]), 400, "$")

    def test_a_sender_that_goes_away_is_no_trouble(self, sqlite_api: Api) -> None:
        def broken() -> Iterator[bytes]:
            yield minimal()[:20]
            raise ConnectionAbortedError

        with pytest.raises(ConnectionAbortedError), httpx2.Client(trust_env=False) as client:
            client.post(f"{sqlite_api.url}/api/v1/lineage", content=broken())
        sqlite_api.store(minimal())
        assert sqlite_api.event_count() == 1
        assert sqlite_api.rejected() == []
