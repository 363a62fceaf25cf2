"""Events of Airflow's provider as they were recorded, in any order and twice: one family of jobs.

`shop.ndjson` is what Airflow 3.1.8 with its OpenLineage provider 2.20.3 sent of the DAG in
`testing/services/airflow/shop.py.txt`; only paths of the machine were changed.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from testing.api import Api, open_api
from tests.airflow.family import check_family, check_lineage

EVENTS = Path(__file__).with_name("shop.ndjson").read_bytes().splitlines()


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        yield api


def test_in_the_order_in_which_they_were_sent(api: Api) -> None:
    api.store(*EVENTS)
    check_family(api)
    check_lineage(api)


@pytest.mark.parametrize("seed", range(3))
def test_in_any_order_and_twice(api: Api, seed: int) -> None:
    order = EVENTS * 2
    Random(seed).shuffle(order)
    api.store(*order)
    check_family(api)
    check_lineage(api)


def test_before_the_run_of_the_dag_has_ended_its_tasks_have_their_parent(api: Api) -> None:
    """Airflow may tell of the run of the DAG itself only when it ends."""
    tasks = [event for event in EVENTS if b'"name": "shop.' in event]
    api.store(*tasks)
    assert api.job("airflow", "shop.clean")["parentJobName"] == "shop"
    assert api.job("airflow", "shop")["latestRun"]["state"] == "NEW"
