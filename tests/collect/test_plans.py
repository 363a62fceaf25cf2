"""Sections `[collect.NAME]`: which collectors they are, and what is wrong with them."""

from typing import Any

import pytest

from headwater.collect.connect import ConnectSettings
from headwater.collect.plans import choose_plans, read_plans
from headwater.errors import BadConfig, NotFound

CONNECT = {"url": "http://connect:8083", "group": "shop", "bootstrap": "kafka:9092"}


def test_by_its_name_or_its_type() -> None:
    plans = read_plans(
        {
            "connect": CONNECT,
            "other": {"type": "connect", "every": "30s", "max_pass": "2m", **CONNECT},
        }
    )
    assert [(plan.name, plan.type, plan.every, plan.max_pass) for plan in plans] == [
        ("connect", "connect", 60.0, 300.0),
        ("other", "connect", 30.0, 120.0),
    ]
    assert plans[0].settings == ConnectSettings.model_validate(CONNECT)


@pytest.mark.parametrize(
    ("section", "key", "reason"),
    [
        ({"type": "conect"}, "collect.x.type", "no collector 'conect'; there are confluent, con"),
        ({"type": "connect", **CONNECT, "gruop": "x"}, "collect.x.gruop", "did you mean 'group'?"),
        ({"type": "connect", **CONNECT, "evry": "1m"}, "collect.x.evry", "did you mean 'every'?"),
        ({"type": "connect", **CONNECT, "group": None}, "collect.x.group", "valid string"),
        ({"type": "connect", **CONNECT, "every": "often"}, "collect.x.every", "not a duration"),
        ({"type": "connect", **CONNECT, "password": "x"}, "collect.x.password", "env:VARIABLE"),
        ({"type": "connect", **CONNECT, "zzz": 1}, "collect.x.zzz", "no such setting; there are"),
    ],
)
def test_mistakes(section: dict[str, Any], key: str, reason: str) -> None:
    with pytest.raises(BadConfig) as found:
        read_plans({"x": section})
    assert found.value.key == key
    assert reason in found.value.reason


def test_those_that_are_chosen() -> None:
    plans = read_plans({"connect": CONNECT, "off": {"type": "connect", "is_on": False, **CONNECT}})
    assert [plan.name for plan in choose_plans(plans, ())] == ["connect"]
    assert [plan.name for plan in choose_plans(plans, ["off"])] == ["off"]
    with pytest.raises(NotFound, match="'on'"):
        choose_plans(plans, ["on"])
