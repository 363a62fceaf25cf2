"""Ids: hashes of names, the same everywhere, and one for every name."""

import subprocess
import sys
from uuid import UUID

import pytest

from headwater.model.values.ids import (
    NO_CONTENT,
    access_id,
    author_id,
    dataset_id,
    digest,
    is_uuid,
    job_id,
    namespace_id,
    run_key,
    run_name,
)

RUN = "01890000-0000-7000-8000-00000000000a"


def test_ids_are_sixteen_bytes() -> None:
    ids = [
        digest(b""),
        namespace_id("a"),
        dataset_id("a", "b"),
        job_id("a", "b"),
        run_key("a", "b", "c"),
        run_key("a", "b", RUN),
        author_id("a"),
        access_id(digest(b"a"), digest(b"b"), 1),
        NO_CONTENT,
    ]
    assert {len(found) for found in ids} == {16}
    assert len(set(ids)) == len(ids)


def test_names_are_not_run_together() -> None:
    assert dataset_id("a", "b") != dataset_id("ab", "")
    assert dataset_id("a.b", "c") != dataset_id("a", "b.c")
    assert run_key("a", "b", "cd") != run_key("a", "bc", "d")


def test_another_process_makes_the_same_ids() -> None:
    script = "from headwater.model.values.ids import *; print(dataset_id('a', 'b').hex())"
    other = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert other.strip() == dataset_id("a", "b").hex()


def test_any_text_has_an_id() -> None:
    assert dataset_id("\U0001f600", "\u00e9" * 1000) != dataset_id("\U0001f600", "\u00e9" * 999)


@pytest.mark.parametrize("text", [RUN, RUN.upper(), "00000000-0000-0000-0000-000000000000"])
def test_a_uuid_is_its_own_key_whatever_its_job(text: str) -> None:
    assert is_uuid(text)
    assert run_key("a", "b", text) == run_key("c", "d", text) == UUID(text).bytes
    assert run_name(run_key("a", "b", text), None) == text.lower()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        RUN.replace("-", ""),
        f"{{{RUN}}}",
        f"urn:uuid:{RUN}",
        f"{RUN}\n",
        RUN[:-1],
        RUN[:-1] + "g",
        "\u0660" * 8 + RUN[8:],
    ],
)
def test_any_other_run_id_belongs_to_its_job(text: str) -> None:
    assert not is_uuid(text)
    assert run_key("a", "b", text) != run_key("a", "c", text)
    assert run_name(run_key("a", "b", text), text) == text


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "https://github.com/OpenLineage/OpenLineage/tree/1.23.0/integration/spark",
            "https://github.com/OpenLineage/OpenLineage/tree/1.40.1/integration/spark",
        ),
        (
            "https://github.com/OpenLineage/OpenLineage/tree/1.9.1/client/python",
            "https://github.com/OpenLineage/OpenLineage/tree/1.10.0-SNAPSHOT/client/python",
        ),
        ("https://github.com/apache/airflow/v2.8.1", "https://github.com/apache/airflow/v3.0.0rc1"),
        ("headwater/1.0.0", "headwater/1.0.1+local"),
        ("headwater@1.0", "headwater"),
        ("producer:2.1", "producer:2.2"),
    ],
)
def test_an_author_is_the_same_in_every_release(older: str, newer: str) -> None:
    assert author_id(older) == author_id(newer)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a", "https://b"),
        ("", "https://a"),
        ("https://a/1.0/spark", "https://a/1.0/flink"),
        ("https://host1", "https://host2"),
        ("team-1", "team-2"),
    ],
)
def test_different_authors_differ(one: str, other: str) -> None:
    assert author_id(one) != author_id(other)


def test_reading_and_writing_are_two_accesses() -> None:
    run, dataset = digest(b"run"), digest(b"dataset")
    assert access_id(run, dataset, 1) != access_id(run, dataset, 2)
