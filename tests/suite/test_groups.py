"""Groups of tests: what shares a service stays together, and every name is one of a test."""

from pathlib import Path

import pytest

from tests.suite.groups import FIRST, SHARED, find_group

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("test", "group"),
    [
        ("tests/spark/test_hive.py::test_a_view", "tests/spark"),
        ("tests/spark/oracle/test_oracle.py::test_it[a/b]", "tests/spark"),
        ("tests/store/test_bulk.py::TestAll::test_it", "tests/store/test_bulk.py"),
        ("tests/pipelines.py::test_it", "tests/pipelines.py"),
    ],
)
def test_a_folder_with_a_service_of_its_own_is_one_group(test: str, group: str) -> None:
    assert find_group(test) == group


def test_every_name_is_of_tests_that_are_there() -> None:
    assert [name for name in (*SHARED, *FIRST) if not (ROOT / name).exists()] == []
    tests = (name if name.endswith(".py") else f"{name}/test_one.py" for name in FIRST)
    assert tuple(map(find_group, tests)) == FIRST
