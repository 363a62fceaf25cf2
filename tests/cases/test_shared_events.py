"""Events that others made or recorded: all are taken in, kept as they are, and merge in any order.

They are not part of this repository; where they are not at hand this is one skip.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from headwater.model.facts import Facts
from headwater.model.intake import take_in
from headwater.model.merge import CATALOG, Merged
from headwater.model.values.instant import DAY, now
from testing.api import escape, open_api

DATA = Path(__file__).parents[3] / "shared" / "data"

if not DATA.is_dir():
    pytest.skip(f"no shared events at {DATA}", allow_module_level=True)


class Sample(NamedTuple):
    """An event's bytes, and where they are from."""

    source: str
    data: bytes


def read_samples() -> Iterator[Sample]:
    for file in sorted((DATA / "events").rglob("*.json")):
        yield Sample(str(file.relative_to(DATA)), file.read_bytes())
    for file in sorted((DATA / "recorded").glob("*/*.ndjson")):
        for number, line in enumerate(file.read_bytes().splitlines(), start=1):
            if line.strip():
                yield Sample(f"{file.relative_to(DATA)}:{number}", line)


SAMPLES = list(read_samples())


def facts_of(sample: Sample) -> Facts:
    taken = take_in(sample.data, now(), DAY, sample.source)
    assert taken.error is None, f"{sample.source}: {taken.error}"
    return taken.facts


def rows_of(order: list[dict[str, Any]]) -> dict[str, Any]:
    merged = Merged()
    for rows in order:
        merged.add(rows)
    return {name: merged.sorted_rows(name) for name in CATALOG}


def test_there_are_events_of_every_origin() -> None:
    origins = {sample.source.split("/")[1] for sample in SAMPLES}
    assert origins >= {"dbt_ol", "marquez", "dbt", "flink", "spark"}
    assert len(SAMPLES) > 200


def test_every_event_is_taken_in_and_kept_byte_for_byte() -> None:
    for sample in SAMPLES:
        row: Any = facts_of(sample).rows["event"][0]
        assert row.payload == sample.data.strip(), sample.source


def test_the_order_of_arrival_does_not_change_the_rows() -> None:
    facts = [facts_of(sample).all_rows() for sample in SAMPLES]
    for rows in facts:
        # The one value that says when an event came.
        rows["event"] = [row._replace(received_at=0) for row in rows["event"]]  # type: ignore[attr-defined]
    expected = rows_of(facts)
    assert rows_of(facts[::-1]) == expected
    chance = random.Random(3)
    for _ in range(5):
        shuffled = [*facts, *chance.sample(facts, len(facts) // 2)]
        chance.shuffle(shuffled)
        assert rows_of(shuffled) == expected


@pytest.mark.slow
def test_a_server_takes_all_and_gives_back_the_same_bytes(tmp_path: Path) -> None:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        for sample in SAMPLES:
            answer = api.post(sample.data)
            assert answer.status_code == 201, f"{sample.source}: {answer.text}"
        assert api.rejected() == []
        distinct = {sample.data.strip() for sample in SAMPLES}
        assert api.event_count() == len(distinct)
        returned = api.get("/events/lineage", limit=10_000).content
        for sample in SAMPLES:
            assert sample.data.strip() in returned, sample.source


@pytest.mark.slow
def test_a_server_shows_every_job_dataset_and_run_of_them(tmp_path: Path) -> None:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        for start in range(0, len(SAMPLES), 50):
            batch = (sample.data for sample in SAMPLES[start : start + 50])
            api.store(b"[" + b",".join(batch) + b"]")
        for job in api.rows("job"):
            assert api.job(job.namespace, job.name)["name"] == job.name
        for dataset in api.rows("dataset"):
            assert api.dataset(dataset.namespace, dataset.name)["name"] == dataset.name
        for namespace in api.read("/namespaces", limit=10_000)["namespaces"]:
            assert api.read(f"/namespaces/{escape(namespace['name'])}") == namespace
