"""The loop of an ingest: what it waits for, what it gives up, and how far the store says it is."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self, cast

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from sqlalchemy import QueuePool

from headwater.errors import (
    BadConfig,
    Busy,
    HeadwaterError,
    LakeUnavailable,
    SourceChanged,
    SourceUnavailable,
    SparkUnavailable,
    StoreUnavailable,
)
from headwater.pipeline import ingest as module
from headwater.pipeline.driver_store import Totals
from headwater.pipeline.feeds.feed import Ending, Feed, Moves, Positions
from headwater.pipeline.ingest import Plan, StreamIngest
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.tasks import Message, Task
from headwater.store.engine import open_engine
from headwater.store.positions import move_position, read_positions
from headwater.store.write.writer import open_writer
from testing.wait import wait_until
from tests.pipeline.frames import Frame, as_frame, make_task, numbered, wait_for
from tests.pipeline.lakes import payloads
from tests.pipeline.test_observers import Noting
from tests.store.samples import dataset_facts
from tests.store.stores import Store, open_store

TakeIn = Callable[[DataFrame, int], None]

PLACE = "host:9092"
PARTITION = "orders/0"
AWAY = StoreUnavailable("the store is away")
FULL = LakeUnavailable("the disk is full")
SILENT = SourceUnavailable(PLACE, "no answer")
ANEW = SourceChanged(PLACE, "topic 'orders' was deleted and created again")
BROKEN = SparkUnavailable("an executor was lost")


class Topic(Feed):
    """A feed of one partition; Spark's word for an offset is the offset."""

    place = PLACE
    ends_by: Ending = "trigger"

    def __init__(self, frame: "StreamFrame") -> None:
        self.frame = frame
        self.begin = 3
        self.opened: list[tuple[dict[str, tuple[int, str]], bool]] = []
        self.failures: Iterator[HeadwaterError] = iter(())
        self.when_opened: Callable[[], None] = lambda: None
        self.when_checked: Callable[[], None] = lambda: None
        self.committed: list[str | None] = []
        self.is_closed = False

    @property
    def read(self) -> Callable[[Any], Iterator[Message]]:
        return iter

    def open(self, spark: SparkSession, positions: Positions, *, is_once: bool) -> DataFrame:
        reported = {name: (known.value, known.incarnation) for name, known in positions.items()}
        self.opened.append((reported, is_once))
        self.when_opened()
        if error := next(self.failures, None):
            raise error
        return cast(DataFrame, self.frame)

    def check(self) -> None:
        self.when_checked()

    def began(self) -> Moves:
        return {PARTITION: (self.begin, "first")}

    def moved(self, end: str | None) -> Moves:
        assert end is not None
        return {PARTITION: (int(end), "first")}

    def commit(self, end: str | None) -> None:
        self.committed.append(end)

    def waiting(self) -> int | None:
        return None

    def lag(self, progress: Mapping[str, Any]) -> int | None:
        return int(progress["latestOffset"]) - int(progress["endOffset"])

    def datasets(self) -> list[tuple[str, str]]:
        return [(f"kafka://{PLACE}", "orders")]

    def close(self) -> None:
        self.is_closed = True


class StreamFrame:
    """A frame of Spark's that makes a stream of what is taken in from it, batch by batch.

    What it learns of the stream is noted; `start` is what the stream is started by.
    """

    def __init__(self, start: Callable[[TakeIn], "Query"]) -> None:
        self._start = start
        self._take_in: TakeIn | None = None
        self.checkpoints: list[str] = []
        self.triggers: list[dict[str, Any]] = []

    @property
    def writeStream(self) -> Self:
        return self

    def foreachBatch(self, take_in: TakeIn) -> Self:
        self._take_in = take_in
        return self

    def option(self, key: str, value: str) -> Self:
        assert key == "checkpointLocation"
        self.checkpoints.append(value)
        return self

    def trigger(self, **trigger: Any) -> Self:
        self.triggers.append(trigger)
        return self

    def start(self) -> "Query":
        assert self._take_in is not None
        return self._start(self._take_in)


class Query:
    """A stream of Spark's that does one step after another, each time it is waited for."""

    def __init__(self, take_in: TakeIn, scene: "Scene", *steps: Callable[["Query"], None]) -> None:
        self.scene = scene
        self.steps = list(steps)
        self._take_in = take_in
        self.lastProgress: Any = None
        self.isActive = True
        self.is_stopped = False
        self._batches = 0

    def awaitTermination(self, timeout: float) -> bool:
        assert not self.is_stopped
        if not self.steps:
            self.isActive = False
            return True
        self.steps.pop(0)(self)
        return False

    def stop(self) -> None:
        self.isActive = False
        self.is_stopped = True

    def batch(self, end: int, *messages: Message) -> None:
        """Take a batch in; what that raises is but a text to Spark."""
        number = self._batches
        self._batches += 1
        try:
            self._take_in(as_frame(Frame(messages)), number)
        except Exception as error:
            self.isActive = False
            raise StreamingQueryException(f"[STREAM_FAILED] Query terminated: {error}") from None
        self.lastProgress = {
            "batchId": number,
            "durationMs": {"addBatch": 1},
            "sources": [{"endOffset": str(end), "latestOffset": "100"}],
        }


# Of a stream whose source had nothing to give.
IDLE: Any = {"batchId": 0, "durationMs": {}, "sources": [{"endOffset": None}]}

Step = Callable[[Query], None]


def batch(end: int) -> Step:
    return lambda query: query.batch(end, *numbered(end))


def failing(error: Exception) -> Step:
    """A batch that fails, wherever it does."""

    def step(query: Query) -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(query.scene.feed, "when_checked", raising(error))
            query.batch(99)

    return step


def dying(text: str) -> Step:
    """A stream that fails by itself."""

    def step(query: Query) -> None:
        query.isActive = False
        raise StreamingQueryException(text)

    return step


def raising(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def idle(query: Query) -> None:
    """Nothing comes."""


def stopping(query: Query) -> None:
    query.scene.patience.set()


class Patience(threading.Event):
    """Waits for no time at all, but notes for how long it would have."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout)
        return self.is_set()


class Scene:
    """An ingest into a store, whose streams do what a test says."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.frame = StreamFrame(self.start)
        self.feed = Topic(self.frame)
        self.notes = Noting()
        self.patience = Patience()
        self.streams: list[tuple[Step, ...]] = []
        self.queries: list[Query] = []
        self.kind: type[Query] = Query

    def make(self, every: float | None = 5.0, name: str = "orders", **rest: Any) -> StreamIngest:
        task: Task = rest.pop("task", None) or make_task()
        stopping: threading.Event = rest.pop("stopping", self.patience)
        plan = Plan(name, every, **rest)
        spark = cast(SparkSession, None)
        feed: Feed = self.feed
        engine = self.store.engine
        folder, notes = self.folder, self.notes
        return StreamIngest(spark, feed, task, engine, folder, plan, notes, stopping)

    def start(self, take_in: TakeIn) -> Query:
        steps = self.streams.pop(0) if self.streams else (stopping,)
        self.queries.append(self.kind(take_in, self, *steps))
        return self.queries[-1]

    def run(self, *streams: tuple[Step, ...], **rest: Any) -> None:
        """Run streams one after another, each begun anew; after the last it is stopped."""
        self.streams = list(streams)
        self.patience.clear()
        self.make(**rest).run()

    @property
    def position(self) -> int | None:
        return self.positions().get("orders")

    def positions(self) -> dict[str, int]:
        """How far each ingest is, by its name."""
        found = {}
        with self.store.engine.connect() as connection:
            for name in ("orders", "other"):
                if position := read_positions(connection, f"ingest {name}").get(PARTITION):
                    found[name] = position.value
        return found

    @property
    def connections(self) -> int:
        """How many connections to the store are in use."""
        return cast(QueuePool, self.store.engine.pool).checkedout()

    def events(self) -> int:
        return len(self.store.rows()["event"])

    def reported(self, what: str) -> list[tuple[Any, ...]]:
        return [tuple(rest) for kind, *rest in self.notes.reported if kind == what]


@pytest.fixture
def scene(sqlite_url: str, tmp_path: Path) -> Iterator[Scene]:
    with open_store(sqlite_url) as store:
        yield Scene(store, tmp_path / "data")


class TestBatches:
    def test_are_stored_and_reported(self, scene: Scene) -> None:
        scene.run((batch(5), idle, batch(9)), every=None)
        assert scene.events() == 2
        size = len(numbered(5)[0].data or b"")
        stored = [totals for totals, _ in scene.reported("stored")]
        assert stored == [Totals(messages=1, events=1, bytes=size)] * 2
        assert scene.reported("started") == [([(f"kafka://{PLACE}", "orders")],)]
        assert scene.reported("settled") == [(95,), (91,)]
        assert scene.reported("failed") == []
        assert scene.reported("ended") == [(None,)]

    def test_it_is_reported_to_be_alive(self, scene: Scene) -> None:
        scene.run((idle, batch(5), idle), every=None)
        assert len(scene.reported("alive")) == 3

    def test_in_the_end_all_is_closed(self, scene: Scene) -> None:
        scene.run((batch(5),), every=None)
        assert scene.feed.is_closed
        assert all(query.is_stopped for query in scene.queries)
        assert scene.connections == 0


class TestPositions:
    def test_the_beginning_is_noted_before_a_batch(self, scene: Scene) -> None:
        """Whoever begins with the latest goes on from there, also if it fails at once."""
        seen: list[int | None] = []
        scene.feed.when_checked = lambda: seen.append(scene.position)
        scene.run((batch(5),), every=None)
        assert seen == [3]

    def test_they_move_once_a_batch_is_done(self, scene: Scene) -> None:
        seen: list[int | None] = []
        scene.feed.when_checked = lambda: seen.append(scene.position)
        scene.run((batch(5), idle, batch(9), idle), every=None)
        assert seen == [3, 5]
        assert scene.position == 9

    def test_a_batch_that_failed_moves_none(self, scene: Scene) -> None:
        scene.run((failing(AWAY),), (failing(AWAY),))
        assert scene.position == 3

    def test_what_was_done_before_a_failure_counts(self, scene: Scene) -> None:
        """Or it would be done again, each time, and a failure after it be never the last."""

        def step(query: Query) -> None:
            query.batch(5, *numbered(5))
            failing(BROKEN)(query)

        scene.run((step,))
        assert scene.position == 5
        assert scene.feed.committed == ["5"]

    def test_the_next_goes_on_from_there(self, scene: Scene) -> None:
        scene.run((batch(5),), every=None)
        scene.run((batch(9),), (idle,))
        assert scene.feed.opened == [({}, True), ({PARTITION: (5, "first")}, False)]

    def test_so_does_one_that_begins_again(self, scene: Scene) -> None:
        scene.run((batch(5), idle, failing(AWAY)), (batch(9), stopping))
        assert [reported for reported, _ in scene.feed.opened] == [{}, {PARTITION: (5, "first")}]
        assert scene.position == 9

    def test_each_ingest_has_its_own(self, scene: Scene) -> None:
        scene.run((batch(5),), every=None)
        scene.run((batch(7),), every=None, name="other")
        assert scene.positions() == {"orders": 5, "other": 7}

    def test_others_are_reported_once_for_each_batch(self, scene: Scene) -> None:
        scene.run((batch(5), idle, idle, batch(9), idle), every=None)
        assert scene.feed.committed == ["5", "9"]

    @pytest.mark.parametrize("nothing", [None, {"sources": [{"endOffset": "None"}]}])
    def test_without_a_batch_there_is_nothing_to_tell(self, scene: Scene, nothing: Any) -> None:
        """pyspark makes a text of an offset that is not there."""

        def step(query: Query) -> None:
            query.lastProgress = nothing

        scene.run((step, idle), every=None)
        assert scene.position == 3
        assert scene.feed.committed == []

    def test_the_last_batch_is_reported_when_the_stream_has_ended(self, scene: Scene) -> None:
        def step(query: Query) -> None:
            query.batch(5, *numbered(5))
            query.isActive = False

        scene.run((step,), every=None)
        assert scene.position == 5

    def test_a_store_that_does_not_take_them_is_waited_for(
        self, scene: Scene, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        failures = iter([AWAY])

        def fail_once(connection: Any, source: str, partition: str, value: int, *rest: Any) -> None:
            if value == 5 and (error := next(failures, None)):
                raise error
            move_position(connection, source, partition, value, *rest)

        monkeypatch.setattr(module, "move_position", fail_once)
        scene.run((batch(5), batch(9)), (batch(5), stopping))
        assert scene.reported("failed") == [(AWAY, 1.0)]
        assert all(query.is_stopped for query in scene.queries)
        assert scene.position == 5


class TestFailures:
    def failures(self, scene: Scene) -> list[HeadwaterError]:
        return [error for error, _ in scene.reported("failed")]

    @pytest.mark.parametrize("error", [AWAY, FULL, SILENT])
    def test_once_what_may_pass_is_tried_six_times(
        self, scene: Scene, error: HeadwaterError
    ) -> None:
        with pytest.raises(type(error)) as raised:
            scene.run(*[(failing(error),)] * 10, every=None)
        assert raised.value is error
        assert scene.patience.waits == [1, 2, 4, 8, 16]
        assert scene.reported("failed") == [(error, wait) for wait in (1, 2, 4, 8, 16)]
        assert scene.reported("ended") == [(error,)]
        assert scene.feed.is_closed and len(scene.queries) == 6
        assert all(query.is_stopped for query in scene.queries)

    @pytest.mark.parametrize("error", [AWAY, FULL, SILENT])
    def test_a_stream_waits_for_ever(self, scene: Scene, error: HeadwaterError) -> None:
        scene.run(*[(failing(error),)] * 50)
        assert scene.patience.waits[:8] == [1, 2, 4, 8, 16, 30, 30, 30]
        assert len(scene.patience.waits) == 50
        assert scene.reported("ended") == [(None,)]

    @pytest.mark.parametrize("every", [None, 5.0])
    def test_what_nobody_knows_is_tried_five_times(self, scene: Scene, every: float | None) -> None:
        with pytest.raises(SparkUnavailable) as raised:
            scene.run(*[(failing(BROKEN),)] * 10, every=every)
        assert raised.value is BROKEN
        assert scene.patience.waits == [1, 2, 4, 8]

    @pytest.mark.parametrize("every", [None, 5.0])
    def test_a_source_that_changed_is_begun_anew_at_once(
        self, scene: Scene, every: float | None
    ) -> None:
        """However often, and though other failures came between."""
        scene.run(*[(failing(ANEW),)] * 20, (failing(AWAY),), (failing(ANEW),), (stopping,))
        assert scene.patience.waits == [*[0] * 20, 1, 0]
        assert self.failures(scene) == [*[ANEW] * 20, AWAY, ANEW]

    def test_a_setting_that_cannot_be_used_is_reported_at_once(self, scene: Scene) -> None:
        wrong = BadConfig("path", "nothing at 'evnets'")
        scene.feed.failures = iter([wrong])
        with pytest.raises(BadConfig) as raised:
            scene.run()
        assert raised.value is wrong
        assert scene.patience.waits == []

    def test_a_batch_between_them_begins_the_count_anew(self, scene: Scene) -> None:
        once_more = [(failing(BROKEN),)] * 3
        scene.run(*once_more, (batch(5), failing(BROKEN)), *once_more, (stopping,))
        assert scene.patience.waits == [1, 2, 4, 1, 2, 4, 8]

    def test_that_follow_a_batch_each_time_have_an_end(self, scene: Scene) -> None:
        """The batch is done once: it is not what fails."""

        def step(query: Query) -> None:
            if scene.position == 3:
                query.batch(5, *numbered(5))
            failing(BROKEN)(query)

        with pytest.raises(SparkUnavailable):
            scene.run(*[(step,)] * 20)
        assert scene.patience.waits == [1, 2, 4, 8]
        assert len(scene.reported("stored")) == 1

    def test_before_there_is_a_stream(self, scene: Scene) -> None:
        scene.feed.failures = iter([SILENT, SILENT])
        scene.run((batch(5), stopping))
        assert scene.patience.waits == [1, 2]
        assert len(scene.queries) == len(scene.reported("started")) == 1

    def test_a_store_that_does_not_tell_positions_is_waited_for(self, scene: Scene) -> None:
        engine = open_engine("postgresql://127.0.0.1:1/none")
        scene.store = cast(Store, SimpleNamespace(engine=engine))
        with pytest.raises(StoreUnavailable, match="the store does not answer.*refused"):
            scene.run(every=None)
        assert scene.patience.waits == [1, 2, 4, 8, 16]
        assert scene.feed.opened == []
        engine.dispose()

    def test_of_others_are_not_kept_from_whoever_called(self, scene: Scene) -> None:
        def step(query: Query) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt) as raised:
            scene.run((step,))
        assert scene.reported("ended") == [(raised.value,)]
        assert scene.queries[0].is_stopped and scene.feed.is_closed

    def test_a_watcher_that_fails_leaves_no_stream_behind(
        self, scene: Scene, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scene.notes, "started", lambda inputs: raising(RuntimeError())())
        with pytest.raises(RuntimeError):
            scene.run((batch(5),))
        assert scene.queries[0].is_stopped


class TestWhy:
    """Spark makes a text of what went wrong; it is reported as what it was."""

    def why(self, scene: Scene, step: Step) -> HeadwaterError:
        """What is reported of a stream that did one step."""
        scene.run((step,), (stopping,))
        ((error, _),) = scene.reported("failed")
        assert isinstance(error, HeadwaterError)
        return error

    @pytest.mark.parametrize("error", [AWAY, FULL, SILENT, ANEW, BROKEN])
    def test_in_a_batch(self, scene: Scene, error: HeadwaterError) -> None:
        assert self.why(scene, failing(error)) is error

    def test_in_a_task(self, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Lake, "add", lambda self, events: raising(FULL)())
        task = make_task(lake=scene.folder / "lake")
        scene.run((batch(5),), (stopping,), task=task)
        ((error, _),) = scene.reported("failed")
        assert type(error) is LakeUnavailable and error.message == FULL.message

    def test_of_spark_in_a_batch(self, scene: Scene) -> None:
        error = self.why(scene, failing(RuntimeError("an executor was lost\n\tat java.lang")))
        assert type(error) is SparkUnavailable
        assert error.message == "an executor was lost"

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("org.apache.kafka.common.errors.TimeoutException: no answer", None),
            ("no\n\tat x\nCaused by: org.apache.kafka.common.KafkaException: a\n\tat y", "no"),
            ("org.apache.spark.sql.kafka010.KafkaIllegalStateException: gone", None),
            (
                "org.apache.spark.sql.kafka010.KafkaExceptions$Error: some data may be lost.\n"
                "Reason: The topic was deleted.\nmore",
                "The topic was deleted",
            ),
        ],
    )
    @pytest.mark.parametrize("is_in_batch", [True, False])
    def test_of_kafka(self, scene: Scene, text: str, reason: str | None, is_in_batch: bool) -> None:
        step = failing(RuntimeError(text)) if is_in_batch else dying(text)
        error = self.why(scene, step)
        assert type(error) is SourceUnavailable
        assert error.source == PLACE
        assert error.reason == (reason or text)

    def test_a_topic_that_only_sounds_like_it_is_none_of_its_errors(self, scene: Scene) -> None:
        error = self.why(scene, dying("no file org.apache.kafka.json"))
        assert type(error) is SparkUnavailable

    def test_of_spark_by_itself(self, scene: Scene) -> None:
        error = self.why(scene, dying("out of memory\nand more"))
        assert type(error) is SparkUnavailable and error.message == "out of memory"

    def test_of_a_machine_that_is_too_busy(self, scene: Scene) -> None:
        """Spark gives a source in Python ten seconds to start; it may do so another time."""
        error = self.why(scene, dying("Python worker failed to connect back.\n\tat x"))
        assert type(error) is SourceUnavailable
        assert "this machine is too busy" in error.reason

    def test_not_why_an_earlier_one_failed(self, scene: Scene) -> None:
        scene.run((failing(AWAY),), (dying("out of memory"),), (stopping,))
        assert [error.message for error, _ in scene.reported("failed")] == [
            "the store is away",
            "out of memory",
        ]


class TestTurns:
    def test_sources_in_python_start_one_after_another(
        self, scene: Scene, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "TURN_SECONDS", 60.0)
        scene.feed.is_in_python = True
        both = [threading.Thread(target=scene.make(name=name).run) for name in ("orders", "other")]
        both[0].start()
        wait_until(lambda: len(scene.queries) == 1)
        both[1].start()
        wait_until(lambda: len(scene.feed.opened) == 2)
        assert len(scene.queries) == 1
        scene.queries[0].lastProgress = IDLE
        wait_until(lambda: len(scene.queries) == 2)
        scene.queries[1].lastProgress = IDLE
        for thread in both:
            thread.join()

    def test_one_that_does_not_start_does_not_keep_others_from_it(
        self, scene: Scene, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "TURN_SECONDS", 0.01)
        scene.feed.is_in_python = True
        scene.run((stopping,))
        assert len(scene.queries) == 1


class UnderWay:
    """A batch that goes on, while the ingest is stopped, for as long as a test wants."""

    def __init__(self, scene: Scene) -> None:
        self._feed = scene.feed
        self._is_begun = threading.Event()
        self._may_end = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, query: Query) -> None:
        self._feed.when_checked = self._wait
        self._thread = threading.Thread(target=query.batch, args=(9, *numbered(9)))
        self._thread.start()
        wait_for(self._is_begun)
        stopping(query)

    def _wait(self) -> None:
        self._is_begun.set()
        wait_for(self._may_end)

    def end(self) -> None:
        self._may_end.set()
        assert self._thread is not None
        self._thread.join()


class TestStop:
    def test_before_it_began(self, scene: Scene) -> None:
        ingest = scene.make()
        ingest.stop()
        ingest.run()
        assert scene.feed.opened == [] and scene.feed.is_closed
        assert scene.reported("ended") == [(None,)]

    def test_while_it_waits(self, scene: Scene) -> None:
        """At once, however long it would have waited."""
        ingest = scene.make(stopping=threading.Event())
        scene.feed.failures = iter([SILENT] * 10)
        opened = iter(range(10))
        scene.feed.when_opened = lambda: ingest.stop() if next(opened) else None
        threading.Timer(0.05, ingest.stop).start()
        ingest.run()
        assert len(scene.feed.opened) == 1
        assert scene.reported("ended") == [(None,)]

    @pytest.mark.parametrize("before", [(), (batch(5),), (batch(5), idle)])
    def test_a_batch_under_way_ends(
        self, scene: Scene, monkeypatch: pytest.MonkeyPatch, before: tuple[Step, ...]
    ) -> None:
        under_way = UnderWay(scene)
        looks = iter([lambda: None, under_way.end])
        # Other threads sleep as well, such as those of a Spark that other tests have started.
        monkeypatch.setattr(
            module,
            "time",
            SimpleNamespace(sleep=lambda seconds: next(looks)(), monotonic=time.monotonic),
        )
        scene.run((*before, under_way.begin, idle))
        assert scene.position == 9
        assert scene.events() == len(numbered(9)) + bool(before)
        assert scene.queries[0].is_stopped
        assert scene.reported("failed") == [] and scene.reported("ended") == [(None,)]

    def test_but_not_for_ever(self, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "STOP_SECONDS", 0.15)
        under_way = UnderWay(scene)
        scene.run((batch(5), under_way.begin))
        assert scene.queries[0].is_stopped
        assert scene.position == 5
        under_way.end()
        assert scene.connections == 0

    def test_one_that_would_begin_does_not(self, scene: Scene) -> None:
        seen: list[None] = []
        scene.feed.when_checked = lambda: seen.append(None)

        def step(query: Query) -> None:
            stopping(query)
            query.batch(9, *numbered(9))

        scene.run((batch(5), step))
        assert len(seen) == 1 and scene.events() == 1
        assert scene.reported("failed") == []
        assert scene.reported("ended") == [(None,)]
        assert scene.position == 5

    def test_what_fails_then_is_nobodys_concern(self, scene: Scene) -> None:
        def step(query: Query) -> None:
            stopping(query)
            raise StreamingQueryException("interrupted")

        scene.run((step,))
        assert scene.reported("failed") == [] and scene.reported("ended") == [(None,)]


class TestAlone:
    def test_a_second_of_its_name_is_refused(self, scene: Scene) -> None:
        other = Scene(scene.store, scene.folder)

        def begin_another() -> None:
            with pytest.raises(Busy, match="an ingest named 'orders'.*--name"):
                other.run((batch(5),))

        scene.feed.when_opened = begin_another
        scene.run((batch(5),), every=None)
        assert scene.position == 5
        assert other.feed.opened == [] and other.notes.reported == []

    def test_one_of_another_name_is_not(self, scene: Scene) -> None:
        other = scene.make(every=None, name="other")

        def begin_another() -> None:
            scene.feed.when_opened = lambda: None
            other.run()

        scene.feed.when_opened = begin_another
        scene.run((batch(7),), (batch(5),), every=None)
        assert scene.positions() == {"orders": 5, "other": 7}

    def test_nor_is_one_after_it(self, scene: Scene) -> None:
        with pytest.raises(SparkUnavailable):
            scene.run(*[(failing(BROKEN),)] * 10)
        scene.run((batch(5),), every=None)
        assert scene.position == 5


class TestLake:
    @pytest.fixture
    def lake(self, scene: Scene) -> Lake:
        """A lake that an event of another way waits for."""
        writer = open_writer(scene.store.engine, notes_for_lake=True)
        writer.write([dataset_facts("a")])
        writer.close()
        return Lake(scene.folder / "lake")

    def test_what_came_by_other_ways_is_carried_on(self, scene: Scene, lake: Lake) -> None:
        scene.run((batch(5),), every=None, task=make_task(lake=lake.folder))
        assert len(payloads(lake)) == 2

    def test_now_and_then(self, scene: Scene, lake: Lake) -> None:
        seen: list[int] = []

        def look(query: Query) -> None:
            seen.append(len(payloads(lake)))

        steps = (idle, look, stopping)
        scene.run(steps, task=make_task(lake=lake.folder), flush_every=0.0)
        assert seen == [1]

    def test_without_one_it_waits(self, scene: Scene, lake: Lake) -> None:
        scene.run((idle,), every=None)
        assert not lake.folder.exists()

    def test_one_that_cannot_be_written_is_tried_again(
        self,
        scene: Scene,
        lake: Lake,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        caplog.set_level(logging.WARNING, module.__name__)
        monkeypatch.setattr(Lake, "add", lambda self, events: raising(FULL)())
        scene.run((idle,), every=None, task=make_task(lake=lake.folder))
        assert "writing to the lake will be retried: the disk is full" in caplog.messages
        assert scene.reported("failed") == []


class TestStream:
    @pytest.mark.parametrize(
        ("every", "ends_by", "expected"),
        [
            (None, "trigger", {"availableNow": True}),
            (None, "idle", {"processingTime": "0 seconds"}),
            (None, "reached", {"processingTime": "0 seconds"}),
            (5.0, "trigger", {"processingTime": "5.0 seconds"}),
            (5.0, "idle", {"processingTime": "5.0 seconds"}),
        ],
    )
    def test_how_often_it_looks(
        self, scene: Scene, every: float | None, ends_by: Ending, expected: dict[str, Any]
    ) -> None:
        scene.feed.ends_by = ends_by
        scene.kind = Endless if ends_by == "idle" and not every else Query
        scene.run((batch(5), stopping), every=every)
        assert scene.frame.triggers == [expected]

    def test_it_ends_by_what_its_feed_reached(
        self, scene: Scene, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Positions are then those that the tasks reported, moved as the batch is stored."""
        scene.feed.ends_by = "reached"
        through = iter([False, True])
        monkeypatch.setattr(scene.feed, "is_through", lambda: next(through))
        monkeypatch.setattr(scene.feed, "stored", lambda reached: {PARTITION: (8, "first")})
        monkeypatch.setattr(scene.feed, "moved", lambda end: {})
        scene.run((batch(5), batch(6), batch(7)), every=None)
        assert scene.position == 8
        assert len(scene.reported("stored")) == 2

    def test_it_has_a_clean_place_to_note(self, scene: Scene) -> None:
        """What an earlier one noted would be in the way: the store knows better."""
        folder = scene.folder / "ingest" / "orders"
        (folder / "checkpoint" / "offsets").mkdir(parents=True)
        scene.run((failing(AWAY),), (stopping,))
        first, second = scene.frame.checkpoints
        assert first != second
        (left,) = folder.iterdir()
        assert left.as_uri() == second
        assert list(left.iterdir()) == []

    def test_one_whose_source_has_no_end_is_ended_once_all_is_taken_in(self, scene: Scene) -> None:
        scene.feed.ends_by = "idle"
        scene.kind = Endless
        scene.run(every=None)
        assert scene.position == 5 and scene.events() == 1
        assert scene.queries[0].is_stopped

    def test_and_fails_as_itself(self, scene: Scene) -> None:
        scene.feed.ends_by = "idle"
        scene.feed.when_checked = raising(BROKEN)
        scene.kind = Endless
        with pytest.raises(SparkUnavailable) as raised:
            scene.run(every=None)
        assert raised.value is BROKEN


class Endless(Query):
    """A stream that goes on until it is stopped; all there is is one batch."""

    def __init__(self, take_in: TakeIn, scene: Scene, *steps: Step) -> None:
        super().__init__(take_in, scene)
        self._ended = threading.Event()
        self._failure: Exception | None = None

    def awaitTermination(self, timeout: float) -> bool:
        is_over = self._ended.wait(timeout)
        if self._failure is not None:
            raise self._failure
        return is_over

    def processAllAvailable(self) -> None:
        try:
            self.batch(5, *numbered(5))
        except StreamingQueryException as error:
            self._failure = error
            self._ended.set()
            raise

    def stop(self) -> None:
        super().stop()
        self._ended.set()
