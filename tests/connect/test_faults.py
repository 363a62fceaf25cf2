"""A server that is away, slow or broken: records flow as without us, and lineage comes later."""

from pathlib import Path

import pytest

from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.wait import wait_until
from tests.connect.configs import file_sink
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph
from tests.faults.bad_servers import ANSWERS, bad_servers

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("way", sorted(ANSWERS))
def test_a_bad_server_holds_no_record_up(
    way: str, connect: Connect, kafka: Kafka, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    file = tmp_path / "out.txt"
    with bad_servers([way]) as (url,):
        connect.create(name, file_sink(file, name, **{"transforms.openlineage.url": url}))
        kafka.produce(name, (b"%d" % number for number in range(1_000)))
        wait_until(lambda: len(_lines(file)) == 1_000, lambda: f"{len(_lines(file))} lines")
        assert connect.state(name) == ("RUNNING", ["RUNNING"])
        connect.delete(name)


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def test_what_happened_while_the_server_was_away_is_reported_when_it_is_back(
    kafka: Kafka, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    file = tmp_path / "out.txt"
    with Headwater.start() as server:
        server.stop()
        settings = {**SETTINGS, "headwater.url": server.url}
        with Connect.start(kafka, f"group-{name}", settings) as worker:
            worker.create(name, file_sink(file, name))
            kafka.produce(name, [b"a", b"b"])
            wait_until(lambda: _lines(file) == ["a", "b"], lambda: "no lines")
            worker.pause(name)
            worker.wait_for(name, "PAUSED", ["PAUSED"])
            server.restart()
            graph = Graph(server.url, f"kafka-connect://group-{name}")
            graph.wait_for_told(name, "OTHER paused")
            assert graph.told(name) == ["START started", "RUNNING records", "OTHER paused"]
