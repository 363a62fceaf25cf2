"""Third-party SQL cases with expected tables and columns, and how answers are scored."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from headwater.sql import analyze
from headwater.sql.render.batch import script_answer

CASES = Path(__file__).parents[2] / "shared/data/sql/cases.jsonl"

Json = dict[str, Any]
Pair = tuple[Any, ...]


class Score(NamedTuple):
    """Precision, recall and F1 over all pairs, and the share of cases without a difference."""

    precision: float
    recall: float
    f1: float
    exact: float
    cases: int


def read_cases(path: Path = CASES) -> list[Json]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def answer(case: Json) -> Json:
    names = (case.get("default_db"), case.get("default_schema"))
    current = [each or "" for each in names] if any(names) else []
    statements = analyze(case["sql"], case["dialect"] or None, case["schemas"], current=current)
    return script_answer(statements)


def _name(text: str | None) -> str:
    return (text or "").lower().replace('"', "").replace("`", "").replace("[", "").replace("]", "")


def expected_tables(case: Json) -> set[Pair] | None:
    if case["expected_tables_in"] is None:
        return None
    found = {("in", _name(each)) for each in case["expected_tables_in"]}
    return found | {("out", _name(each)) for each in case["expected_tables_out"]}


def found_tables(found: Json) -> set[Pair]:
    tables: set[Pair] = {("in", _name(each)) for each in found["inputs"]}
    return tables | {("out", _name(each)) for each in found["outputs"]}


def _pairs(columns: Iterable[Json]) -> Iterator[Pair]:
    """A pair for each source, by the column alone where no table is named."""
    for each in columns:
        for table, column in each["in"]:
            yield _name(each["out"][1]), _name(table), _name(column)


def expected_columns(case: Json) -> set[Pair] | None:
    columns = case["expected_column_lineage"]
    return None if columns is None else set(_pairs(columns))


def found_columns(case: Json, found: Json) -> set[Pair]:
    """Of a case that states some columns only, those alone are compared."""
    pairs = set(_pairs(found["columns"]))
    if "partial_columns" in case["features"]:
        stated = {_name(each["out"][1]) for each in case["expected_column_lineage"]}
        pairs = {pair for pair in pairs if pair[0] in stated}
    return pairs


def score(compared: Iterable[tuple[set[Pair], set[Pair]]]) -> Score:
    """The score of (expected, found) of each case."""
    right = found_count = expected_count = exact = cases = 0
    for expected, found in compared:
        right += len(expected & found)
        found_count += len(found)
        expected_count += len(expected)
        exact += expected == found
        cases += 1
    precision = right / found_count if found_count else 1.0
    recall = right / expected_count if expected_count else 1.0
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return Score(precision, recall, f1, exact / cases if cases else 1.0, cases)


def compared_tables(cases: Iterable[Json]) -> Iterator[tuple[Json, set[Pair], set[Pair]]]:
    for case in cases:
        expected = expected_tables(case)
        if expected is not None and case["unambiguous_tables"]:
            yield case, expected, found_tables(answer(case))


def compared_columns(cases: Iterable[Json]) -> Iterator[tuple[Json, set[Pair], set[Pair]]]:
    for case in cases:
        expected = expected_columns(case)
        if expected is not None and case["unambiguous_columns"]:
            yield case, expected, found_columns(case, answer(case))
