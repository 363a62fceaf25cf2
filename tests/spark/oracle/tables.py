"""The tables that the programs read: few rows, and no column name twice."""

import copy
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

Row = dict[str, Any]
# Steps from a row to one of its values: names, places in arrays, keys of maps.
Place = tuple[Any, ...]


class Table(NamedTuple):
    """A table with its columns and rows."""

    schema: str
    rows: list[Row]


class Change(NamedTuple):
    """A table in which one value of one row is another."""

    table: str
    column: str
    rows: list[Row]


def _order(id: int, customer: str, country: str, price: float, quantity: int, at: str) -> Row:
    return {
        "id": id,
        "customer": customer,
        "country": country,
        "price": price,
        "quantity": quantity,
        "at": f"2026-01-05T{at}:00Z",
    }


def _cart(cart: int, city: str, lines: list[Row], extra: dict[str, str], text: Row) -> Row:
    return {
        "cart": cart,
        "owner": {"name": f"owner {cart}", "address": {"city": city, "zip": f"z{cart}"}},
        "lines": lines,
        "tags": [f"t{cart}", "all"],
        "extra": extra,
        "text": json.dumps(text),
    }


TABLES = {
    "orders": Table(
        "id int, customer string, country string, price double, quantity int, at timestamp",
        [
            _order(1, "c1", "DE", 2.5, 4, "10:00"),
            _order(2, "c2", "FR", 1.5, 2, "10:01"),
            _order(3, "c1", "DE", 9.0, 1, "10:02"),
            _order(4, "c3", "DE", 4.0, 3, "10:30"),
        ],
    ),
    "customers": Table(
        "key string, name string, tier int",
        [
            {"key": "c1", "name": "Ada", "tier": 1},
            {"key": "c2", "name": "Bo", "tier": 2},
            {"key": "c4", "name": "Cy", "tier": 2},
        ],
    ),
    "clicks": Table(
        "visitor string, page string, moment timestamp",
        [
            {"visitor": "c1", "page": "start", "moment": "2026-01-05T10:00:00Z"},
            {"visitor": "c1", "page": "order", "moment": "2026-01-05T10:01:00Z"},
            {"visitor": "c2", "page": "start", "moment": "2026-01-05T10:30:00Z"},
        ],
    ),
    "carts": Table(
        "cart int, owner struct<name: string, address: struct<city: string, zip: string>>, "
        "lines array<struct<sku: string, count: int>>, tags array<string>, "
        "extra map<string, string>, text string",
        [
            _cart(
                1,
                "Bonn",
                [{"sku": "x", "count": 2}, {"sku": "y", "count": 5}],
                {"k": "v1"},
                {"a": 1, "b": {"c": "deep"}, "items": [{"sku": "s", "n": 3}]},
            ),
            _cart(
                2,
                "Lyon",
                [{"sku": "z", "count": 1}],
                {"k": "v2", "m": "w2"},
                {"a": 2, "b": {"c": "low"}, "items": []},
            ),
        ],
    ),
}


def changes(table: str) -> Iterator[Change]:
    """The table again and again, each time with one value of its first row changed."""
    rows = TABLES[table].rows
    for place, column in _places(rows[0], (), ""):
        changed = copy.deepcopy(rows)
        _change(changed[0], place)
        yield Change(table, column, changed)


def _places(value: Any, place: Place, path: str) -> Iterator[tuple[Place, str]]:
    """The places of the plain values in a value, with the paths of their columns."""
    if place and place[-1] == "extra":
        yield (*place, "k"), "extra.value"
        yield place, "extra.key"
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _places(inner, (*place, name), f"{path}.{name}".lstrip("."))
    elif isinstance(value, list):
        yield from _places(value[0], (*place, 0), f"{path}[]" if _has_parts(value) else path)
    elif path == "text":
        # Each value inside a message is a value of its own.
        for inner, _ in _places(json.loads(value), (), ""):
            yield (*place, *inner), path
    else:
        yield place, path


def _has_parts(values: list[Any]) -> bool:
    return isinstance(values[0], dict)


def _change(row: Any, place: Place) -> None:
    step, *rest = place
    value = row[step]
    if step == "text":
        message = json.loads(value)
        _change(message, tuple(rest))
        row[step] = json.dumps(message)
    elif step == "extra" and not rest:
        row[step] = {"other" if key == "k" else key: each for key, each in value.items()}
    elif rest:
        _change(value, tuple(rest))
    else:
        row[step] = _another(value)


def _another(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("-05T", "-06T") if value.endswith("Z") else f"{value}!"
    return value + 3
