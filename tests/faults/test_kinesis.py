"""An ingest from Kinesis through faults of all it depends on: it goes on, and nothing is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from testing import load as bench_load
from testing.services.ingest import PATIENCE_SECONDS, Ingest, run_headwater
from testing.stand_ins.kinesis import REGION, AccessKey, KinesisStandIn, serve_kinesis
from testing.wait import wait_until
from tests.faults.taken_in import check_same_rows, foreign_events, lake_events, own_states
from tests.faults.test_ingest import SOON, check_no_stacks, new_events

pytestmark = pytest.mark.integration

STREAM = "lineage"
FIRST, SECOND = "shardId-000000000000", "shardId-000000000001"


def wait_long(is_so: Callable[[], bool]) -> None:
    wait_until(is_so, seconds=PATIENCE_SECONDS)


class Scene:
    """An ingest of a stream, and what was sent to it."""

    def __init__(self, kinesis: KinesisStandIn, service: Ingest, scratch: Path) -> None:
        self.kinesis = kinesis
        self.service = service
        self.secret = scratch / "secret"
        self.sent: list[bytes] = []
        self._scratch = scratch

    def send(self, count: int) -> None:
        events = new_events(count)
        self.kinesis.put(STREAM, events)
        self.sent += events

    def wait(self) -> None:
        """Wait until everything that was sent is stored."""
        wait_long(lambda: foreign_events(self.service.store) == set(self.sent))

    def check(self) -> None:
        check_same_rows(self.service.store, self.sent, self._scratch)
        assert lake_events(self.service.data) >= set(self.sent)
        check_no_stacks(self.service.log())


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One ingest for all tests, of one stream."""
    data, scratch = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("expected")
    (scratch / "secret").write_text("secret")
    with serve_kinesis() as kinesis:
        kinesis.create_stream(STREAM, 2)
        options = (
            *("--stream", STREAM, "--region", REGION, "--endpoint-url", kinesis.url),
            *("--access-key-id", "id", "--secret-access-key", f"file:{scratch / 'secret'}"),
        )
        with Ingest.start(*options, *SOON, data=data, kind="kinesis") as service:
            yield Scene(kinesis, service, scratch)


def test_throttled_and_iterators_that_expire(scene: Scene) -> None:
    code = "ProvisionedThroughputExceededException"
    scene.kinesis.faults = {
        "GetRecords": [code, "ExpiredIteratorException", code, "InternalFailure"],
        "GetShardIterator": [code, code],
        "ListShards": ["LimitExceededException"],
    }
    scene.send(60)
    scene.wait()
    assert all(not codes for codes in scene.kinesis.faults.values())
    scene.check()


def test_resharded_while_it_runs(scene: Scene) -> None:
    scene.send(20)
    scene.kinesis.split(STREAM, FIRST)
    scene.send(30)
    scene.kinesis.merge(STREAM, SECOND, "shardId-000000000002")
    scene.send(20)
    scene.wait()
    scene.check()


def test_credentials_that_run_out_and_come_back(scene: Scene) -> None:
    scene.kinesis.keys["id"] = AccessKey("secret", has_expired=True)
    scene.send(10)
    scene.service.wait_for("the credentials have expired; renew them")
    # Others take their place, by the same reference.
    scene.kinesis.keys["id"] = AccessKey("renewed")
    scene.secret.write_text("renewed")
    scene.wait()
    scene.check()
    assert scene.service.is_running
    assert "renewed" not in scene.service.log()


def test_killed_and_started_again(scene: Scene) -> None:
    """Amid what it reads; the stream is split while it is away."""
    scene.send(200)
    wait_long(lambda: scene.kinesis.calls[-1] == "GetRecords")
    scene.service.kill_group()
    scene.kinesis.split(STREAM, "shardId-000000000003")
    scene.send(40)
    scene.service.restart()
    scene.wait()
    scene.check()


def test_stopped_it_starts_where_it_ended(scene: Scene) -> None:
    scene.service.stop()
    assert own_states(scene.service.store)[-1] == "COMPLETE"
    scene.send(5)
    before = len(scene.kinesis.calls)
    scene.service.restart()
    scene.wait()
    scene.check()
    # Of the shards that ended before nothing is read again.
    assert scene.kinesis.calls[before:].count("GetShardIterator") >= 1


def test_once_by_the_usual_chain_of_credentials(tmp_path: Path) -> None:
    with serve_kinesis() as kinesis:
        kinesis.create_stream(STREAM, 1)
        kinesis.put(STREAM, list(bench_load.events(5)))
        command = ("ingest", "kinesis", "--stream", STREAM, "--once", "--data", str(tmp_path))
        keys = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}
        place = {"AWS_ENDPOINT_URL": kinesis.url, "AWS_DEFAULT_REGION": REGION}
        store = f"sqlite:///{tmp_path / 'headwater.db'}"
        outcome = run_headwater(*command, env={**keys, **place})
        assert outcome.status == 0, outcome.err
        assert len(foreign_events(store)) == 5
