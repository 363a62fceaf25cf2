"""The mechanism for catalogs: what is compared, how a difference is shown, and the commands."""

import json
from collections.abc import Iterator

import pytest

from headwater.model.values import ids
from headwater.publish.catalog import CatalogItem, CatalogSettings, Skipped
from headwater.publish.catalog.compare import Action, encode_body, find_changes
from headwater.publish.catalog.diff import diff_lines
from headwater.store.engine import Engine
from headwater.store.published import ItemKey, PublishedItem
from testing.commands import Outcome, run_program
from testing.stand_ins.google_lineage import GoogleLineageStandIn
from testing.stand_ins.recording import serve_written

TOKEN = "google-very-secret"


def item(key: str, subject: str = "ns/a", **body: object) -> CatalogItem:
    return CatalogItem("table", key, subject, body)


def known(*items: CatalogItem) -> dict[ItemKey, PublishedItem]:
    return {
        each.id: PublishedItem(each.id, each.subject, ids.digest(encode_body(each)), "", 1)
        for each in items
    }


def actions(
    items: list[CatalogItem | Skipped], before: list[CatalogItem], **settings: object
) -> list[tuple[Action, str]]:
    chosen = CatalogSettings.model_validate(settings)
    changes = find_changes(items, known(*before), chosen, ("table",))
    return [(change.action, change.key.key) for change in changes]


def test_only_differences_are_changes() -> None:
    same, other = item("same", x=1), item("other", x=1)
    found = actions([same, item("other", x=2), item("new")], [same, other, item("gone")])
    assert found == [
        (Action.KEEP, "same"), (Action.UPDATE, "other"),
        (Action.CREATE, "new"), (Action.LEAVE, "gone"),
    ]  # fmt: skip
    assert actions([], [item("gone")], prune=True) == [(Action.REMOVE, "gone")]


def test_the_order_of_fields_is_no_difference() -> None:
    one, other = (
        CatalogItem("t", "k", "s", {"a": 1, "b": 2}),
        CatalogItem("t", "k", "s", {"b": 2, "a": 1}),
    )
    assert encode_body(one) == encode_body(other)


def test_two_of_one_place() -> None:
    assert actions([item("one", x=1), item("one", x=2)], []) == [
        (Action.CREATE, "one"), (Action.SKIP, "one"),
    ]  # fmt: skip


def test_what_is_left_out_is_named() -> None:
    settings = CatalogSettings()
    (change,) = find_changes([Skipped("job a/b", "a/b", "why")], {}, settings, ("table",))
    assert (change.what, change.reason) == ("job a/b", "why")


def test_patterns() -> None:
    a, b = item("a", "kafka://b:9/orders"), item("b", "kafka://b:9/customers")
    assert actions([a, b], [], include=["orders"]) == [(Action.CREATE, "a")]
    assert actions([a, b], [], include=["kafka://b:9/*"], exclude=["ord*"]) == [
        (Action.CREATE, "b")
    ]
    # What is left out is not removed either.
    assert actions([], [a, b], include=["customers"], prune=True) == [(Action.REMOVE, "b")]


def test_what_lasts_only_so_long_is_renewed() -> None:
    one = item("one", x=1)
    changes = find_changes([one], known(one), CatalogSettings(), ("table",), renewed_before=2)
    assert [change.action for change in changes] == [Action.UPDATE]


def test_a_diff_is_readable() -> None:
    old = {"columns": [{"a": 1}, {"b": 2}], "comment": "x", "same": {"deep": True}}
    new = {"columns": [{"b": 2}, {"c": 3}], "comment": "y", "same": {"deep": True}}
    assert diff_lines(old, new) == (
        '+ columns[{"c":3}]', '- columns[{"a":1}]', "- comment: x", "+ comment: y",
    ) or diff_lines(old, new) == (
        '- columns[{"a":1}]', '+ columns[{"c":3}]', "- comment: x", "+ comment: y",
    )  # fmt: skip
    many = diff_lines(None, {"list": [str(number) for number in range(100)]})
    assert len(many) == 41 and "60 more" in many[-1]


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleLineageStandIn]:
    monkeypatch.setenv("GOOGLE_TOKEN", TOKEN)
    with serve_written(GoogleLineageStandIn(TOKEN)) as stand_in:
        yield stand_in


def publish(google: GoogleLineageStandIn, store: Engine, *more: str) -> Outcome:
    url = store.url.render_as_string(hide_password=False)
    options = ("--project", "acme", "--url", google.url, "--token", "env:GOOGLE_TOKEN")
    return run_program("publish", "google-lineage", *options, "--name", "g", "--store", url, *more)


def test_the_commands(google: GoogleLineageStandIn, shop: Engine) -> None:
    url = shop.url.render_as_string(hide_password=False)
    dry = publish(google, shop, "--dry-run").out
    assert "create event scheduler/enrich" in dry and dry.endswith("5 to create\n")
    assert google.writes == []
    done = publish(google, shop)
    assert (done.status, done.err) == (0, "")
    assert done.out == "5 created, 0 updated, 0 removed, 0 unchanged, 0 skipped, 0 failed\n"
    (row,) = json.loads(run_program("publish", "status", "--store", url, "-o", "json").out)
    assert (row["target"], row["sent"], row["refused"]) == ("g", 5, 0)
    assert "keeps 5 items" in run_program("publish", "remove", "g", "--store", url).out


def test_a_failure_is_a_line(
    google: GoogleLineageStandIn, shop: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_TOKEN", "another-secret")
    done = publish(google, shop)
    assert done.status == 1 and "401" in done.err and "another-secret" not in done.err + done.out
    assert "Traceback" not in done.err
