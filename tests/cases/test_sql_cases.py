"""SQL lineage as others expect it. Their cases are not part of this repository."""

import pytest

from testing.sql_cases import CASES, compared_columns, compared_tables, read_cases, score

if not CASES.is_file():
    pytest.skip(f"no SQL cases at {CASES}", allow_module_level=True)


def test_tables_of_unambiguous_cases() -> None:
    found = score((expected, found) for _, expected, found in compared_tables(read_cases()))
    assert found.cases > 200
    assert found.f1 >= 0.99


def test_columns_of_unambiguous_cases() -> None:
    found = score((expected, found) for _, expected, found in compared_columns(read_cases()))
    assert found.cases > 100
    assert found.f1 >= 0.98
    assert found.exact >= 0.97
