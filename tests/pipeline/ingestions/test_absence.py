"""Marking what was not seen for a time: by an edit, which a later event or a person undoes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.model.event import Entity, decode_event
from headwater.model.project import project
from headwater.model.values.instant import DAY, format_instant, now
from headwater.pipeline.ingestions.absence import mark_unseen
from headwater.pipeline.ingestions.reading import AbsenceRule
from headwater.pipeline.job_patterns import NameExpressions
from headwater.pipeline.tasks import find_seen
from headwater.store.engine import Engine, open_engine
from headwater.store.ingestions import add_members
from headwater.store.query.paging import Page
from headwater.store.read.edits import EditFilter, list_edits
from headwater.store.read.visibility.deletions import is_shown_now
from headwater.store.write.writer import Writer, open_writer
from testing.events.full import encode, run_event
from testing.stores import prepare_sqlite

RULE = AbsenceRule(30 * DAY / 1_000_000)
TODAY = now()


class Source:
    """An ingestion's store, with what came through it and what did not."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self.engine, self.writer = engine, writer

    def send(self, job: str, days_ago: float, is_member: bool = True) -> None:
        dataset = [{"namespace": "db", "name": f"of_{job}"}]
        event = run_event(job={"namespace": "etl", "name": job}, outputs=dataset, inputs=[])
        event["eventTime"] = format_instant(TODAY - int(days_ago * DAY))
        facts = project(decode_event(encode(event)), TODAY)
        self.writer.write([facts])
        if is_member:
            with self.engine.begin() as connection:
                add_members(connection, "shop", find_seen(facts))

    def mark(self, rule: AbsenceRule = RULE) -> int:
        return mark_unseen(self.engine, self.writer, "shop", rule)

    def is_shown(self, name: str, kind: Any = "job") -> bool:
        entity = Entity(kind, name, "etl" if kind == "job" else "db")
        with self.engine.connect() as connection:
            return is_shown_now(connection, entity)

    def restore(self, name: str) -> None:
        edit = {"actor": "ada", "entity": {"type": "job", "namespace": "etl", "name": name}}
        edit |= {"set": {"deleted": False}, "unset": []}
        text = encode({"eventTime": format_instant(TODAY), "edit": edit})
        self.writer.write([project(decode_event(text), TODAY)])


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    engine = open_engine(prepare_sqlite(f"sqlite:///{tmp_path / 'store.db'}"))
    writer = open_writer(engine)
    yield Source(engine, writer)
    writer.close()
    engine.dispose()


def test_what_was_not_seen_is_marked_and_comes_back(source: Source) -> None:
    source.send("old", 40)
    source.send("new", 1)
    assert source.mark() == 2
    assert not source.is_shown("old") and not source.is_shown("of_old", "dataset")
    assert source.is_shown("new") and source.is_shown("of_new", "dataset")
    assert source.mark() == 0
    source.send("old", 0.5)
    assert source.is_shown("old") and source.is_shown("of_old", "dataset")


def test_the_log_of_edits_has_who_and_when(source: Source) -> None:
    source.send("old", 40)
    source.send("new", 1)
    source.mark()
    with source.engine.connect() as connection:
        kept, _ = list_edits(connection, Page(10, 0), EditFilter())
    assert {each.edit.actor for each in kept} == {"ingestion shop"}
    assert {each.at for each in kept} == {TODAY - 10 * DAY}


def test_what_a_person_restores_stays(source: Source) -> None:
    source.send("old", 40)
    source.send("new", 1)
    source.mark()
    source.restore("old")
    assert source.is_shown("old")
    assert source.mark() == 0 and source.is_shown("old")


def test_what_other_ways_bring_is_seen_as_well(source: Source) -> None:
    source.send("old", 40)
    source.send("new", 1)
    source.send("old", 2, is_member=False)
    source.send("others", 99, is_member=False)
    assert source.mark() == 0 and source.is_shown("others")


def test_a_source_that_gives_nothing_any_more_marks_nothing(source: Source) -> None:
    source.send("one", 99)
    source.send("other", 98)
    assert source.mark() == 0


def test_names_that_are_never_marked(source: Source) -> None:
    source.send("core_orders", 40)
    source.send("old", 40)
    source.send("new", 1)
    excluded = NameExpressions((), ("core_", "db-of_"))
    assert source.mark(AbsenceRule(RULE.after, excluded)) == 1
    assert source.is_shown("core_orders") and source.is_shown("of_old", "dataset")
    assert not source.is_shown("old")
