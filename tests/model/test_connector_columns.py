"""Columns through connectors and their transforms; the Java part is tested by the same cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from headwater.model.connect.column_state import ColumnOrigin
from headwater.model.connect.connector_columns import columns_of_sink, columns_of_source
from headwater.model.connect.connectors import row_of

CASES = json.loads(
    (Path(__file__).parents[1] / "connect" / "column_cases.json").read_text(encoding="utf-8")
)["columns"]


def path_of(text: str) -> tuple[str, ...]:
    """A path as the cases write it; empty for a value that has no fields."""
    return tuple(text.split("/")) if text else ()


def written(origin: ColumnOrigin) -> str:
    part = "" if origin.part == "value" else f"{origin.part}:"
    mark = " !" if origin.is_masked else " ~" if origin.is_changed else ""
    return part + "/".join(origin.path) + mark


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_columns_are_followed(case: dict[str, Any]) -> None:
    config, row = case["config"], row_of(case["config"])
    key, value = ([path_of(each) for each in case[part]] for part in ("key", "value"))
    if "table" in case:
        found = columns_of_source(row, config, case["table"], case["topic"], value, key)
    else:
        found = columns_of_sink(row, config, case["topic"], key, value)
    for kind, columns in (("columns", found.columns), ("key_columns", found.key_columns)):
        of = {"/".join(path): sorted(map(written, origins)) for path, origins in columns.items()}
        assert of == {path: sorted(origins) for path, origins in case.get(kind, {}).items()}
    assert [[gap.kind, gap.name] for gap in found.gaps] == case.get("gaps", [])
    assert all(gap.description.endswith(".") for gap in found.gaps)
