"""The orders of the live scene: the same for the same day, with what is wrong in real ones."""

import json
from collections import Counter
from datetime import date
from pathlib import Path

from headwater.demo.live.orders import write_day

DAY = date(2026, 3, 14)


def lines_of(files: list[Path]) -> list[str]:
    return [line for file in files for line in file.read_text().splitlines()]


def test_a_day_is_the_same_whenever_it_is_written(tmp_path: Path) -> None:
    first, second = write_day(tmp_path / "a", DAY), write_day(tmp_path / "b", DAY)
    assert [file.name for file in first] == [f"2026-03-14-{number}.json" for number in range(4)]
    assert lines_of(first) == lines_of(second)
    assert lines_of(first) != lines_of(write_day(tmp_path / "c", date(2026, 3, 15)))


def test_some_are_sent_twice_some_are_broken_some_are_cut(tmp_path: Path) -> None:
    lines = lines_of(write_day(tmp_path, DAY))
    whole = [json.loads(line) for line in lines if line.endswith("}")]
    assert 0 < len(lines) - len(whole) < len(lines) / 50
    times = Counter(order["order_id"] for order in whole if order["order_id"])
    assert set(times.values()) == {1, 2}
    assert any(order["order_id"] is None for order in whole)
    assert {"n/a", "-1.00"} <= {order["price"] for order in whole}
    assert "yesterday" in {order["bid_time"] for order in whole}


def test_orders_are_of_their_day(tmp_path: Path) -> None:
    for line in lines_of(write_day(tmp_path, DAY)):
        if line.endswith("}"):
            assert json.loads(line)["bid_time"].startswith(("2026-03-14T", "yesterday"))
