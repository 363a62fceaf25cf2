"""`headwater discover` and `headwater acknowledge`: what is printed, and how they fail."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.collect.kafka.reports import ClusterTopic, Denied
from headwater.collect.kafka.translate import ClusterIdentity, translate_gaps, translate_topic
from headwater.model.values.instant import now
from testing.api import Api, open_api
from testing.commands import Run, check_one_line

pytestmark = pytest.mark.usefixtures("no_settings")

CLUSTER = ClusterIdentity("abc", "kafka://broker:9092")
NODE = "dataset:kafka://broker:9092:shadow"


@pytest.fixture(scope="module")
def shared_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path_factory.mktemp('discover') / 'store.db'}") as api:
        yield api


@pytest.fixture
def api(shared_api: Api, monkeypatch: pytest.MonkeyPatch) -> Api:
    shared_api.empty()
    monkeypatch.setenv("HEADWATER_URL", shared_api.url)
    return shared_api


def add_topic(api: Api, name: str = "shadow") -> None:
    found = translate_topic(CLUSTER, ClusterTopic(name, 1, 1), (), {}, None, now())
    assert found is not None
    api.store(found.event)


def test_without_a_cluster_it_says_what_to_do(api: Api, run: Run) -> None:
    outcome = run("discover")
    assert (outcome.status, outcome.err) == (0, "")
    assert "no cluster was collected: give --bootstrap" in outcome.out


def test_findings_are_listed_with_what_was_not_told(api: Api, run: Run) -> None:
    add_topic(api)
    api.store(translate_gaps(CLUSTER, [Denied("access rules", "not allowed")], now()).event)
    outcome = run("discover")
    assert outcome.status == 1
    assert "unknownTopic" in outcome.out and "shadow" in outcome.out
    assert "access rules: The cluster did not tell: not allowed" in outcome.out
    assert "1 findings, 0 acknowledged" not in outcome.out
    assert "1 finding, 0 acknowledged; in kafka://broker:9092 (1 topic, 0 groups)" in outcome.out


def test_a_cluster_that_nobody_collected_is_an_error_with_near_ones(api: Api, run: Run) -> None:
    add_topic(api)
    outcome = run("discover", "--namespace", "kafka://brocker:9092")
    assert (outcome.status, outcome.out) == (1, "")
    assert "did you mean kafka://broker:9092?" in outcome.err
    assert run("discover", "--namespace", "kafka://broker:9092").status == 1


def test_it_is_acknowledged_and_taken_back(api: Api, run: Run) -> None:
    add_topic(api)
    known = run("acknowledge", NODE, "unknownTopic", "--reason", "ours", "--for", "30d")
    assert (known.status, known.err) == (0, "")
    assert run("discover").status == 0
    shown = run("discover", "--acknowledged", "-o", "json")
    (finding,) = json.loads(shown.out)["findings"]
    assert finding["acknowledged"]["reason"] == "ours" and finding["acknowledged"]["until"]
    assert run("discover", "--acknowledged").status == 0
    assert run("acknowledge", NODE, "unknownTopic", "--remove").status == 0
    assert run("discover").status == 1


def test_all_pages_are_read(api: Api, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.cli.commands.lineage.discover.MOST_FINDINGS", 2)
    for number in range(5):
        add_topic(api, f"topic-{number}")
    outcome = run("discover", "-o", "json")
    assert len(json.loads(outcome.out)["findings"]) == 5


def test_what_cannot_be(api: Api, run: Run) -> None:
    for options, part in (
        (("discover", "--webhook", "https://hooks.example/secret"), "only a reference"),
        (("discover", "--watch", "--every", "soon"), "--every"),
        (("discover", "nobody"), "not found"),
        (("discover", "--kind", "nothing"), "kind"),
        (("acknowledge", NODE, "unknownTopic"), "--reason"),
        (("acknowledge", NODE, "unknownTopic", "--reason", "x", "--for", "long"), "--for"),
        (("acknowledge", "nobody", "unknownTopic", "--reason", "x"), "nobody"),
    ):
        outcome = run(*options)
        assert outcome.status in (1, 2) and part in outcome.err, (options, outcome)
        assert "Traceback" not in outcome.err and "hooks.example" not in outcome.err
    add_topic(api)
    check_one_line(run("acknowledge", NODE, "bored", "--reason", "x"), "not one of")


def test_a_webhook_without_its_variable(api: Api, run: Run) -> None:
    add_topic(api)
    outcome = run("discover", "--webhook", "env:NO_SUCH_HOOK")
    assert outcome.status == 1 and "NO_SUCH_HOOK" in outcome.err


def test_a_broker_that_is_not_there(api: Api, run: Run, tmp_path: Path) -> None:
    section = '[collect.main]\ntype = "kafka"\nbootstrap = "127.0.0.1:1"\ntimeout = "1s"\n'
    Path("headwater.toml").write_text(section + f'state = "{tmp_path}"\n')
    check_one_line(run("discover", "main"), "127.0.0.1:1")
