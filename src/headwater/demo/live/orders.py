"""Orders of a shop as files, with what is wrong in real ones; the same for the same day."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

_FILES = 4
_ORDERS = 250
# Of a hundred orders, so many are sent twice, cannot be used, or end in the middle.
_TWICE_IN_100 = 4
_BROKEN_IN_100 = 3
_CUT_IN_100 = 1


class Item(NamedTuple):
    supplier: str
    name: str
    price: float


_ITEMS = (
    Item("Alder & Sons", "oak stool", 89.0),
    Item("Alder & Sons", "pine shelf", 54.5),
    Item("Brightwater", "glass carafe", 24.9),
    Item("Brightwater", "tumbler, set of six", 31.0),
    Item("Cardinal Textiles", "linen napkin", 7.8),
    Item("Cardinal Textiles", "wool throw", 119.0),
    Item("Dovetail", "bread knife", 42.0),
    Item("Dovetail", "cutting board", 36.4),
)
_NAMES = ("ada", "boris", "chen", "dalia", "emeka", "freya", "goran", "hana", "ines", "jamal")
_HOSTS = ("example.com", "example.net", "example.org")
# What the checkout has been seen to send in place of a number, a price or a time.
_FAULTS = (("order_id", None), ("price", "n/a"), ("price", "-1.00"), ("bid_time", "yesterday"))


def write_day(folder: Path, day: date) -> list[Path]:
    """Write the orders of a day, an order a line; gives the files."""
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(day.toordinal())
    files = []
    for number in range(_FILES):
        first = day.toordinal() * 10_000 + number * _ORDERS
        lines = [
            line
            for order_id in range(first, first + _ORDERS)
            for line in _lines(random, order_id, _time(random, day, number))
        ]
        file = folder / f"{day}-{number}.json"
        file.write_text("".join(f"{line}\n" for line in lines))
        files.append(file)
    return files


def _lines(random: Random, order_id: int, time: datetime) -> list[str]:
    """An order as the checkout sends it: mostly one line."""
    item = random.choice(_ITEMS)
    order = {
        "order_id": str(order_id),
        "item": random.choice(("", " ")) + item.name,
        "price": f"{item.price * random.uniform(0.8, 1.1):.2f}",
        "supplier": item.supplier + random.choice(("", "", " ")),
        "bid_time": time.isoformat(),
        "email": _email(random),
    }
    chance = random.randrange(100)
    if chance < _BROKEN_IN_100:
        name, value = random.choice(_FAULTS)
        return [json.dumps({**order, name: value})]
    line = json.dumps(order)
    if chance < _BROKEN_IN_100 + _CUT_IN_100:
        return [line[: len(line) // 2]]
    return [line] * (2 if chance >= 100 - _TWICE_IN_100 else 1)


def _email(random: Random) -> str:
    """An address; people do not write theirs the same way twice."""
    name = random.choice(_NAMES)
    written = random.choice((name, name, name.title(), name.upper()))
    return f"{written}{random.randrange(40)}@{random.choice(_HOSTS)}"


def _time(random: Random, day: date, number: int) -> datetime:
    """A time in that part of the day which a file is of."""
    part = timedelta(days=1) / _FILES
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return midnight + number * part + timedelta(seconds=random.randrange(int(part.total_seconds())))
