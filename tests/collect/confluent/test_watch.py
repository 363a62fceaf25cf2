"""Watching: a look before each extraction, a cooldown after each change."""

from headwater.collect.confluent import ConfluentCollector, ConfluentSettings
from headwater.collect.confluent.watch import Watch, WatchState
from testing.stand_ins.confluent import OpenCloud
from testing.wait import wait_until


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_change_is_extracted_when_no_other_follows() -> None:
    clock = Clock()
    watch = Watch(ConfluentSettings(cooldown="30s", refresh="1h"), clock)
    assert (watch.state, watch.must_look) == (WatchState.STOPPED, False)
    watch.begin()
    watch.end("a")
    assert watch.must_look
    seen = []
    for time, fingerprint in ((0, "a"), (1, "b"), (20, "c"), (45, "c"), (50, "c")):
        clock.now = time
        seen.append((watch.look(fingerprint), watch.state))
    assert seen == [
        (False, WatchState.WATCHING),
        (False, WatchState.COOLDOWN),
        (False, WatchState.COOLDOWN),
        (False, WatchState.COOLDOWN),
        (True, WatchState.EXTRACTING),
    ]


def test_what_did_not_answer_is_read_again_after_the_cooldown() -> None:
    clock = Clock()
    watch = Watch(ConfluentSettings(cooldown="30s"), clock)
    watch.end("a", is_whole=False)
    assert watch.state is WatchState.COOLDOWN
    assert not watch.look("a")
    clock.now = 30
    assert watch.look("a")


def test_an_extraction_is_due_after_the_refresh_time() -> None:
    clock = Clock()
    watch = Watch(ConfluentSettings(refresh="1h"), clock)
    watch.end("a")
    clock.now = 3_600
    assert not watch.must_look


def test_after_one_that_did_not_end_the_next_begins_at_once() -> None:
    watch = Watch(ConfluentSettings(), Clock())
    watch.end("a")
    watch.stop()
    assert (watch.state, watch.must_look) == (WatchState.STOPPED, False)


def collect(collector: ConfluentCollector) -> list[str]:
    found = list(collector.collect())
    collector.acknowledge(found)
    return [each.source for each in found]


def test_a_look_reads_no_groups_and_sends_nothing(opened: OpenCloud) -> None:
    collector = ConfluentCollector(opened.settings(cooldown="1s"), "http://server")
    sent = collect(collector)
    opened.cloud.requests.clear()
    assert collect(collector) == []
    assert collector.skipped == len(sent)
    assert not any("consumer-groups" in each for each in opened.cloud.requests)
    assert collector.watch_state is WatchState.WATCHING
    cluster = opened.estate.environments["env-abc"].clusters["lkc-123"]
    cluster.connectors["delta-sink"].state = "PAUSED"
    found: list[str] = []

    def is_sent() -> bool:
        found.extend(collect(collector))
        return bool(found)

    wait_until(is_sent)
    assert found == ["confluent://env-abc/lkc-123/delta-sink"]
    assert collector.watch_state is WatchState.WATCHING


def test_the_cooldown_holds_a_change_back(opened: OpenCloud) -> None:
    collector = ConfluentCollector(opened.settings(cooldown="1h"), "http://server")
    collect(collector)
    cluster = opened.estate.environments["env-abc"].clusters["lkc-123"]
    cluster.add_topic("returns")
    assert collect(collector) == []
    assert collector.watch_state is WatchState.COOLDOWN
