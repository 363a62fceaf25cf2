"""Times: every form producers write, and nothing else."""

from datetime import UTC, datetime

import pytest

from headwater.model.values.instant import (
    DAY,
    SECOND,
    format_instant,
    now,
    parse_instant,
    parse_instant_or_date,
)

NOON = 1_714_564_800 * SECOND
LAST = parse_instant("9999-12-31T23:59:59.999999Z")


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("2024-05-01T12:00:00Z", NOON),
        ("2024-05-01T12:00:00z", NOON),
        ("2024-05-01T12:00:00", NOON),
        ("2024-05-01 12:00:00", NOON),
        ("2024-05-01T12:00Z", NOON),
        ("2024-05-01T12:00", NOON),
        ("2024-05-01T12:00:00+00:00", NOON),
        ("2024-05-01T12:00:00-00:00", NOON),
        ("2024-05-01T14:00:00+02:00", NOON),
        ("2024-05-01T14:00:00+0200", NOON),
        ("2024-05-01T14:00:00+02", NOON),
        ("2024-05-01T06:30:00-05:30", NOON),
        ("2024-05-02T02:00:00+14:00", NOON),
        ("2024-05-01T12:00:00.5Z", NOON + 500_000),
        ("2024-05-01T12:00:00.25Z", NOON + 250_000),
        ("2024-05-01T12:00:00.125Z", NOON + 125_000),
        ("2024-05-01T12:00:00,125Z", NOON + 125_000),
        ("2024-05-01T12:00:00.000001Z", NOON + 1),
        ("2024-05-01T12:00:00.123456789Z", NOON + 123_456),
        ("2024-05-01T12:00:00.123456999", NOON + 123_456),
        ("2024-05-01T14:00:00.123456789+02:00", NOON + 123_456),
        ("2024-05-01T12:00:00.0000000000000000001Z", NOON),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("0001-01-01T00:00:00Z", -62_135_596_800 * SECOND),
    ],
)
def test_reads_every_form_of_a_time(text: str, micros: int) -> None:
    assert parse_instant(text) == micros
    assert parse_instant_or_date(text) == micros


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2024-05-01",
        "20240501T120000Z",
        "2024-W18-3T12:00:00Z",
        "2024-122T12:00:00Z",
        "2024-05-01T12",
        "2024-05-01T12:00:00.Z",
        "2024-05-01T12:00:00 Z",
        "2024-05-01T12:00:00Z ",
        " 2024-05-01T12:00:00Z",
        "2024-05-01T12:00:00Z\n",
        "2024-05-01T12:00:00 UTC",
        "2024-05-01T12:00:00[Europe/Berlin]",
        "2024-05-01T12:00:00+2",
        "2024-05-01T24:30:00Z",
        "2024-05-01T12:60:00Z",
        "2024-05-01T12:00:61Z",
        "2024-02-30T12:00:00Z",
        "2024-13-01T12:00:00Z",
        "0000-01-01T00:00:00Z",
        "12024-05-01T12:00:00Z",
        "-2024-05-01T12:00:00Z",
        "24-05-01T12:00:00Z",
        "2024-05-01T12:00:00+24:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "٢٠٢٤-٠٥-٠١T١٢:٠٠:٠٠Z",
        "1714564800",
        "2024-05-01T12:00:00\0",
        "x" * 10_000,
    ],
)
def test_refuses_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_instant(text)
    assert len(str(refused.value)) < 200


def test_a_bare_date_is_a_nominal_time_only() -> None:
    assert parse_instant_or_date("2024-05-01") == NOON - DAY // 2
    with pytest.raises(ValueError, match="2024-05-01"):
        parse_instant("2024-05-01")


@pytest.mark.parametrize(
    "text", ["2024-W18-3", "20240501", "2024-02-30", "01/05/2024", "2024-5-1 "]
)
def test_other_forms_of_a_date_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_instant_or_date(text)


@pytest.mark.parametrize("micros", [0, 1, -1, NOON, NOON + 123_456, -62_135_596_800 * SECOND, LAST])
def test_what_is_written_reads_back(micros: int) -> None:
    assert parse_instant(format_instant(micros)) == micros


def test_writes_as_marquez_does() -> None:
    assert format_instant(NOON) == "2024-05-01T12:00:00.000000Z"
    assert format_instant(NOON + 201_361) == "2024-05-01T12:00:00.201361Z"
    assert format_instant(-62_135_596_800 * SECOND) == "0001-01-01T00:00:00.000000Z"


def test_now_is_now() -> None:
    assert abs(now() - datetime.now(UTC).timestamp() * SECOND) < 60 * SECOND
