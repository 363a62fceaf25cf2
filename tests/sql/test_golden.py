"""The golden cases: `make golden` writes what is found now, and the difference is reviewed."""

import pytest

from testing.sql_golden import GoldenCase, found_lineage, read_golden

CASES = read_golden()
SUBTYPES: tuple[str, ...] = ("IDENTITY", "TRANSFORMATION", "AGGREGATION", "masked")
SUBTYPES += ("JOIN", "GROUP_BY", "FILTER", "SORT", "WINDOW", "CONDITIONAL")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}: {case.title}")
def test_lineage_is_as_reviewed(case: GoldenCase) -> None:
    assert "\n".join(found_lineage(case)) == "\n".join(case.expected)


def test_there_are_enough_cases_of_each_subtype() -> None:
    assert len(CASES) >= 150
    lines = [line for case in CASES for line in case.expected]
    for subtype in SUBTYPES:
        assert sum(subtype in line for line in lines) >= 10, subtype


def test_titles_are_unique_in_a_file() -> None:
    titles = [(case.file, case.title) for case in CASES]
    assert len(set(titles)) == len(titles)
