"""What connectors read and write; the Java part is tested by the same cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from headwater.model.connect.connector_runs import connector_run_id, shown
from headwater.model.connect.connector_secrets import displayed, find_secrets, without_secrets
from headwater.model.connect.connectors import describe

CASES = json.loads(
    (Path(__file__).parents[1] / "connect" / "connector_cases.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES["connectors"], ids=lambda case: case["case"])
def test_a_connector_is_described(case: dict[str, Any]) -> None:
    found = describe(case["config"], case.get("seen", []), rows=case.get("rows", []))
    assert found.role == case["role"]
    assert found.guessed == case.get("guessed", False)
    assert sorted(found.topics) == sorted(case["topics"])
    externals = [[*each.name, sorted(each.topics), *(each.other or ())] for each in found.externals]
    expected = [[space, name, sorted(of), *other] for space, name, of, *other in case["externals"]]
    assert sorted(externals) == sorted(expected)
    guessed = [each.name.name for each in found.externals if each.guessed]
    assert sorted(guessed) == sorted(case.get("guessed_names", []))
    gaps = [[gap.kind, gap.name] for gap in found.gaps]
    assert sorted(gaps) == sorted(case.get("gaps", []))
    assert all(gap.description.endswith(".") for gap in found.gaps)


@pytest.mark.parametrize("case", CASES["secrets"], ids=lambda case: case["key"])
def test_secrets_are_not_shown(case: dict[str, str]) -> None:
    assert shown({case["key"]: case["value"]}) == {case["key"]: case["shown"]}


@pytest.mark.parametrize("case", CASES["displays"], ids=lambda case: case["case"])
def test_a_configuration_is_displayed_without_secrets(case: dict[str, Any]) -> None:
    assert displayed(case["config"], case["types"]) == case["displayed"]


@pytest.mark.parametrize("case", CASES["traces"], ids=lambda case: case["case"])
def test_traces_have_no_secret_of_the_configuration(case: dict[str, Any]) -> None:
    assert (
        without_secrets(case["text"], find_secrets(case["config"], case["types"])) == case["clean"]
    )


@pytest.mark.parametrize("case", CASES["runs"], ids=lambda case: case["case"])
def test_a_run_has_the_same_id_for_all_who_see_it(case: dict[str, Any]) -> None:
    names = (case["kafka_cluster"], case["connect_cluster"], case["connector"])
    assert str(connector_run_id(*names, case["config"])) == case["id"]
    assert str(connector_run_id(*names, shown(case["config"]))) == case["id"]


def test_the_worker_says_what_a_class_is_that_does_not_say_it_itself() -> None:
    config = {"connector.class": "com.example.Weather", "name": "weather", "topics": "a"}
    assert describe(config).role == "sink"
    assert describe(config, role="source").role == "source"
