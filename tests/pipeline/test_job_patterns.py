"""Which jobs are wanted, by patterns as a shell has them."""

import pickle

import pytest

from headwater.pipeline.job_patterns import JobPatterns

NAMES = ("etl_load", "etl_load_test", "ETL_LOAD", "load", "")


def accepted(
    *names: str, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> list[str]:
    patterns = JobPatterns(include, exclude)
    return [name for name in names if patterns.accept(name)]


def test_all_where_nothing_is_stated() -> None:
    assert accepted(*NAMES) == list(NAMES)


def test_those_that_fit_one_of_several() -> None:
    assert accepted(*NAMES, include=("etl_*", "load")) == ["etl_load", "etl_load_test", "load"]


def test_none_that_fits_one_of_several() -> None:
    assert accepted(*NAMES, exclude=("etl_*", "load")) == ["ETL_LOAD", ""]


def test_to_exclude_outranks() -> None:
    assert accepted(*NAMES, include=("etl_*",), exclude=("*_test",)) == ["etl_load"]
    assert accepted(*NAMES, include=("load",), exclude=("load",)) == []


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("load", "load", True),
        ("load", "load_orders", False),
        ("load", "preload", False),
        ("load", "load\n", False),
        ("*", "", True),
        ("*", "two\nlines", True),
        ("", "", True),
        ("", "load", False),
        ("l?ad", "load", True),
        ("l?ad", "lad", False),
        ("[a-l]oad", "load", True),
        ("[!l]oad", "load", False),
        ("[", "[", True),
        ("a.b", "a.b", True),
        ("a.b", "axb", False),
        ("a|b", "a", False),
        ("a|b", "a|b", True),
        ("(?i)load", "LOAD", False),
        ("\\d", "5", False),
        ("*.größe", "db.größe", True),
        ("*/*.task", "dag/group/step.task", True),
    ],
)
def test_a_pattern_fits_all_of_a_name(pattern: str, name: str, fits: bool) -> None:
    assert JobPatterns(include=(pattern,)).accept(name) is fits
    assert JobPatterns(exclude=(pattern,)).accept(name) is not fits
    # Beside another, none borrows from its neighbour.
    assert JobPatterns(include=("none", pattern, "nobody")).accept(name) is fits


def test_they_are_sent_to_executors_used_or_not() -> None:
    patterns = JobPatterns(("a*",), ("ab",))
    for _ in range(2):
        again = pickle.loads(pickle.dumps(patterns))
        assert again == patterns
        assert [again.accept(name) for name in ("a", "ab", "b")] == [True, False, False]
        patterns.accept("a")
