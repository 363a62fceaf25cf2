"""YAML texts as values with their lines, and what is refused."""

import pytest

from headwater.declared.yaml_lines import MAX_VALUES, BrokenFile, Document, read_documents


def read(text: str, **variables: str) -> Document:
    (document,) = read_documents(text, variables)
    return document


def test_each_value_has_its_line() -> None:
    document = read("a: 1\nb:\n  - x\n  - {c: y,\n     d: z}\n")
    assert document.value == {"a": 1, "b": ["x", {"c": "y", "d": "z"}]}
    assert [document.line_of(path) for path in ((), ("a",), ("b",), ("b", 1), ("b", 1, "d"))] == [
        1,
        1,
        2,
        4,
        5,
    ]
    # The nearest part around what is not there.
    assert document.line_of(("b", 1, "d", "e", 4)) == 5
    assert document.problems == []


def test_several_documents() -> None:
    found = read_documents("a: 1\n---\nb: 2\n--- # nothing\n", {})
    assert [document.value for document in found] == [{"a": 1}, {"b": 2}, None]


def test_a_key_that_stands_twice_is_a_problem() -> None:
    document = read("a: 1\nb: 2\na: 3\n")
    assert document.value == {"a": 1, "b": 2}
    assert document.problems == [(3, "the key 'a' stands here again, after line 1")]


@pytest.mark.parametrize("text", ["? [a]\n: 1", "b: &b {x: 1}\na: {<<: *b}"])
def test_keys_are_texts(text: str) -> None:
    assert "a key is a text" in read(text).problems[0].message


def test_dates_stay_texts() -> None:
    found = read("a: 2026-01-31\nb: 2026-01-31T10:00:00Z\nc: 2026-13-45").value
    assert found == {"a": "2026-01-31", "b": "2026-01-31T10:00:00Z", "c": "2026-13-45"}


def test_variables() -> None:
    document = read("a: ${HOME_OF_A}/x\nb: ${NONE:-kafka}\nc: ${NONE}\n", HOME_OF_A="s3://b")
    assert document.value == {"a": "s3://b/x", "b": "kafka", "c": ""}
    assert document.problems == [
        (3, "the variable NONE is not set; ${NONE:-...} has a default"),
    ]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdef", "bcdefg", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (BOMB, 1, f"more than {MAX_VALUES:,} values"),
        ("a: &a\n  b: *a\n", 2, "contains itself"),
        ("a: [1\nb: 2\n", 2, "is no YAML"),
        ("a:\n\tb: 1\n", 2, "is no YAML"),
        ("[" * 60 + "]" * 60, 1, "nested too deep"),
        ("[" * 400_000, 1, "nested too deep"),
        ("{a: " * 100_000, 1, "nested too deep"),
        ("- " * 200_000, 1, "nested too deep"),
        ("a: \0", 1, "is no YAML"),
        ("a: *nobody", 1, "is no YAML"),
        ("x" * 500_001, 1, "more than 500,000 characters"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, line: int, words: str) -> None:
    with pytest.raises(BrokenFile) as refused:
        read_documents(text, {})
    assert words in refused.value.problem.message
    assert refused.value.problem.line == line or "more than" in words


@pytest.mark.parametrize("text", ["!!python/object/apply:os.system [x]", "a: !custom x", "a: .inf"])
def test_tags_make_no_objects(text: str) -> None:
    document = read(text)
    assert document.problems or isinstance(document.value, (dict, list))
