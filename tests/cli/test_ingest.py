"""`headwater ingest`: what its options mean, and what it says where they mean nothing."""

import json
import logging
import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from headwater.access import KafkaAccess
from headwater.cli.commands.ingest import ingest as commands
from headwater.cli.commands.ingest.ingest_run import IngestOptions
from headwater.cli.output.ingest_progress import screen
from headwater.errors import StoreUnavailable
from headwater.model.intake import reject
from headwater.model.values.instant import SECOND
from headwater.pipeline.driver_store import Totals
from headwater.pipeline.feeds.feed import Feed
from headwater.pipeline.feeds.files import FilesPlace
from headwater.pipeline.feeds.files_feed import FilesFeed
from headwater.pipeline.feeds.kafka import KafkaSource
from headwater.pipeline.feeds.kafka_feed import KafkaFeed
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from headwater.pipeline.ingest import Plan
from headwater.pipeline.job_patterns import JobPatterns
from headwater.pipeline.observers import IngestObserver, Log
from headwater.pipeline.tasks import Task
from headwater.store.engine import Engine, open_engine
from headwater.store.migrate import HEAD
from headwater.store.write.writer import open_writer
from testing.commands import Outcome, Run, check_one_line
from testing.events.full import encode, run_event
from testing.stores import prepare_sqlite

pytestmark = pytest.mark.usefixtures("no_settings")

KAFKA = ("ingest", "kafka", "--brokers", "host:9092")
ORDERS = (*KAFKA, "--topic", "orders")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder that commands find, with an empty store in it."""
    folder = tmp_path / "headwater-data"
    prepare_sqlite(f"sqlite:///{folder / 'headwater.db'}")
    return folder


class Call(NamedTuple):
    choices: IngestOptions
    source: Any


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """What is run, instead of being run."""
    found: list[Call] = []
    monkeypatch.setattr(commands, "run_ingest", lambda *given: found.append(Call(*given)))
    return found


def only(calls: list[Call], outcome: Outcome) -> Call:
    assert outcome == (0, "", "")
    (call,) = calls
    return call


def check_wrong_call(outcome: Outcome, *parts: str) -> None:
    """How to call it, and what was wrong, in a frame that breaks lines."""
    assert (outcome.status, outcome.out) == (2, "")
    said = " ".join(outcome.err.replace("│", " ").split())
    assert "--help" in said and "Traceback" not in said
    for part in parts:
        assert part in said


class TestHelp:
    def test_the_commands(self, run: Run) -> None:
        outcome = run("ingest", "--help")
        assert outcome.status == 0
        for command in ("kafka", "kinesis", "files", "replay"):
            assert command in outcome.out

    def test_no_command_shows_the_help(self, run: Run) -> None:
        outcome = run("ingest")
        assert outcome.status == 2
        assert "kafka" in outcome.out + outcome.err

    @pytest.mark.parametrize(
        ("command", "options"),
        [
            (
                "kafka",
                "--brokers --topic --pattern --from --group --max-events --consumer --once --every"
                " --check --include --exclude --include-regex --exclude-regex"
                " --name --metrics-port --master --conf --verbose"
                " --store --data --security-protocol --ca --certificate --key --key-password"
                " --sasl-mechanism --user --password --token-url --scope",
            ),
            (
                "kinesis",
                "--stream --from --max-events --once --every --check --include --exclude"
                " --include-regex --exclude-regex --name"
                " --metrics-port --master --conf --verbose --store --data --region --endpoint-url"
                " --profile --access-key-id --secret-access-key --session-token --role-arn"
                " --role-session-name --external-id --role-source-identity --sts-endpoint-url",
            ),
            (
                "files",
                "PLACE --once --every --check --include --exclude --include-regex"
                " --exclude-regex --name --metrics-port --master"
                " --conf --verbose --store --data",
            ),
            ("replay", "--source --output --store --data"),
        ],
    )
    def test_the_options(self, run: Run, command: str, options: str) -> None:
        outcome = run("ingest", command, "--help")
        assert outcome.status == 0
        shown = set(re.findall(r"--[a-z-]+", outcome.out)) - {"--rejected"}
        expected = set(options.split())
        assert shown - {"--help", "--no-once"} == expected - {"PLACE"}
        assert ("PLACE" in outcome.out.upper()) == ("PLACE" in expected)

    def test_defaults(self, run: Run) -> None:
        shown = run("ingest", "kafka", "--help").out
        for text in ("earliest", "5s", "50000", "local[*]", "headwater-NAME"):
            assert text in shown


class TestKafka:
    def test_as_little_as_possible(self, run: Run, calls: list[Call], tmp_path: Path) -> None:
        choices, source = only(calls, run(*ORDERS))
        assert source == KafkaSource("host:9092", ("orders",))
        assert source.group_of("mine") == "headwater-mine"
        assert (choices.name, choices.every) == ("kafka-orders", 5.0)
        assert (choices.include, choices.exclude) == ((), ())
        assert choices.metrics_port is None and not choices.verbose
        assert choices.settings.store_url.endswith("/headwater-data/headwater.db")
        assert choices.settings.spark.master == "local[*]"

    def test_all_there_is(self, run: Run, calls: list[Call]) -> None:
        outcome = run(
            *KAFKA, "--topic", "orders", "--topic", "totals", "--from", "latest",
            "--group", "watched", "--max-events", "7", "--consumer", "security.protocol=SSL",
            "--consumer", "sasl.jaas.config=a=b", "--every", "2m", "--include", "etl_*",
            "--include", "load", "--exclude", "*_test", "--name", "mine", "--metrics-port", "9000",
            "--master", "local[1]", "--conf", "spark.ui.enabled=true", "--verbose",
            "--store", "sqlite:///x.db", "--data", "here",
        )  # fmt: skip
        choices, source = only(calls, outcome)
        assert source == KafkaSource(
            "host:9092",
            ("orders", "totals"),
            start="latest",
            max_events=7,
            settings={"security.protocol": "SSL", "sasl.jaas.config": "a=b"},
            group="watched",
        )
        assert (choices.name, choices.every) == ("mine", 120.0)
        assert (choices.include, choices.exclude) == (("etl_*", "load"), ("*_test",))
        assert choices.metrics_port == 9000 and choices.verbose
        assert choices.settings.store_url == "sqlite:///x.db"
        assert choices.settings.data == Path("here")
        assert choices.settings.spark.master == "local[1]"
        assert choices.settings.spark.conf == {"spark.ui.enabled": "true"}

    def test_once(self, run: Run, calls: list[Call]) -> None:
        assert only(calls, run(*ORDERS, "--once")).choices.every is None

    def test_by_pattern(self, run: Run, calls: list[Call]) -> None:
        choices, source = only(calls, run(*KAFKA, "--pattern", "lineage[.].*"))
        assert (source.topics, source.pattern) == ((), "lineage[.].*")
        assert choices.name == "kafka-lineage-.-.-"

    def test_settings_of_spark_are_added_to_those_of_the_file(
        self, run: Run, calls: list[Call], tmp_path: Path
    ) -> None:
        (tmp_path / "headwater.toml").write_text('[spark]\ndriver_memory = "2g"\n')
        choices = only(calls, run(*ORDERS, "--master", "local[1]")).choices
        assert choices.settings.spark.master == "local[1]"
        assert choices.settings.spark.driver_memory == "2g"

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("earliest", "earliest"),
            ("latest", "latest"),
            ("2026-11-01T00:00:00Z", 1_793_491_200_000),
            ("2026-11-01T00:00:00", 1_793_491_200_000),
            ("2026-11-01", 1_793_491_200_000),
            ("2026-11-01T02:00:00.5+02:00", 1_793_491_200_500),
        ],
    )
    def test_where_to_begin(
        self, run: Run, calls: list[Call], text: str, expected: str | int
    ) -> None:
        assert only(calls, run(*ORDERS, "--from", text)).source.start == expected

    @pytest.mark.parametrize(
        ("arguments", "parts"),
        [
            (["ingest", "kafka", "--topic", "orders"], ["--brokers"]),
            (KAFKA, ["give either --topic or --pattern"]),
            ([*ORDERS, "--pattern", "x"], ["give either --topic or --pattern"]),
            ([*KAFKA, "--pattern", ""], ["give either --topic or --pattern"]),
            ([*ORDERS, "--from", "yesterday"], ["--from", "'yesterday' is neither earliest"]),
            ([*ORDERS, "--from", ""], ["--from"]),
            ([*ORDERS, "--from", "Earliest"], ["--from"]),
            ([*ORDERS, "--every", "soon"], ["--every", "'soon' is not a duration"]),
            ([*ORDERS, "--every", "0s"], ["--every"]),
            ([*ORDERS, "--every", "5"], ["--every"]),
            ([*ORDERS, "--once", "--every", "5"], ["--every"]),
            ([*ORDERS, "--consumer", "ssl"], ["--consumer", "'ssl' is not KEY=VALUE"]),
            ([*ORDERS, "--consumer", "=x"], ["--consumer", "'=x' is not KEY=VALUE"]),
            ([*ORDERS, "--consumer", "group.id=x"], ["--consumer", "group.id cannot be set"]),
            ([*ORDERS, "--consumer", "auto.offset.reset=x"], ["auto.offset.reset cannot be set"]),
            ([*ORDERS, "--conf", "spark.ui.enabled"], ["--conf", "is not KEY=VALUE"]),
            ([*ORDERS, "--max-events", "0"], ["--max-events"]),
            ([*ORDERS, "--metrics-port", "70000"], ["--metrics-port"]),
            ([*ORDERS, "--metrics-port", "x"], ["--metrics-port"]),
            ([*ORDERS, "--name", "a/b"], ["--name", "'a/b' may contain only"]),
            ([*ORDERS, "--name", ".."], ["--name"]),
            ([*ORDERS, "--name", ""], ["--name"]),
            ([*ORDERS, "orders"], ["orders"]),
        ],
    )
    def test_a_wrong_call_gets_the_usage(
        self, run: Run, calls: list[Call], arguments: list[str], parts: list[str]
    ) -> None:
        check_wrong_call(run(*arguments), *parts)
        assert calls == []

    def test_a_setting_that_is_none_of_sparks_is_one_line(
        self, run: Run, calls: list[Call]
    ) -> None:
        outcome = run(*ORDERS, "--conf", "ui.enabled=true")
        check_one_line(outcome, "spark.conf", "those start with 'spark.'")
        assert calls == []


class TestKafkaAccess:
    def test_options_and_settings(
        self, run: Run, calls: list[Call], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """An option overrides a setting, and the rest of the settings stays."""
        (tmp_path / "headwater.toml").write_text(
            '[ingest.kafka]\nsecurity_protocol = "SASL_SSL"\nuser = "bob"\n'
            'password = "env:SECRET"\nca = "other.pem"\n'
        )
        monkeypatch.setenv("HEADWATER__INGEST__KAFKA__SASL_MECHANISM", "scram-sha-512")
        source = only(calls, run(*ORDERS, "--user", "alice", "--ca", "ca.pem")).source
        assert source.access == KafkaAccess(
            security_protocol="SASL_SSL",
            user="alice",
            password="env:SECRET",
            ca="ca.pem",
            sasl_mechanism="SCRAM-SHA-512",
        )

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            ("--password letmein --user a --security-protocol SASL_SSL", "only a reference"),
            ("--user alice", "user needs password"),
            ("--user alice --security-protocol SSL", "need security_protocol SASL_SSL"),
            ("--ca ca.pem --security-protocol PLAINTEXT", "need security_protocol SSL"),
            ("--security-protocol SSL --certificate c.pem", "certificate and key belong together"),
            ("--security-protocol TLS", "SASL_SSL"),
            ("--security-protocol SASL_SSL --sasl-mechanism GSSAPI", "OAUTHBEARER"),
        ],
    )
    def test_what_cannot_be(self, run: Run, options: str, reason: str) -> None:
        outcome = run(*ORDERS, *options.split())
        check_one_line(outcome, "ingest.kafka")
        assert reason in outcome.err and "letmein" not in outcome.err


class TestKinesis:
    def test_as_little_as_possible(self, run: Run, calls: list[Call]) -> None:
        choices, source = only(calls, run("ingest", "kinesis", "--stream", "lineage"))
        assert source == KinesisSource("lineage")
        assert (choices.name, choices.every) == ("kinesis-lineage", 5.0)

    def test_all_there_is(self, run: Run, calls: list[Call]) -> None:
        arn = "arn:aws:kinesis:eu-central-1:123456789012:stream/lineage"
        outcome = run(
            "ingest", "kinesis", "--stream", arn, "--from", "LATEST", "--max-events", "7",
            "--region", "eu-central-1", "--endpoint-url", "http://localhost:4566/",
            "--access-key-id", "id", "--secret-access-key", "env:SECRET",
            "--session-token", "file:token", "--role-arn", "arn:role", "--external-id", "x",
            "--role-session-name", "lineage", "--sts-endpoint-url", "http://localhost:4566",
        )  # fmt: skip
        choices, source = only(calls, outcome)
        assert source.identifier == {"StreamARN": arn}
        assert (source.name, source.start, source.max_events) == ("lineage", "LATEST", 7)
        assert choices.name == "kinesis-lineage"
        assert source.aws.endpoint_url == "http://localhost:4566"
        assert source.aws.session_token == "file:token"

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("earliest", "TRIM_HORIZON"),
            ("latest", "LATEST"),
            ("2026-11-01T00:00:00Z", 1_793_491_200_000),
        ],
    )
    def test_where_to_begin(
        self, run: Run, calls: list[Call], text: str, expected: str | int
    ) -> None:
        source = only(calls, run("ingest", "kinesis", "--stream", "s", "--from", text)).source
        assert source.start == expected

    def test_a_secret_itself_is_refused(self, run: Run) -> None:
        options = ("--access-key-id", "id", "--secret-access-key", "letmein")
        outcome = run("ingest", "kinesis", "--stream", "s", *options)
        check_one_line(outcome, "ingest.kinesis.secret_access_key")
        assert "only a reference" in outcome.err and "letmein" not in outcome.err


class TestFiles:
    def test_a_place_where_nothing_is_is_reported_before_spark_starts(
        self, run: Run, calls: list[Call]
    ) -> None:
        outcome = run("ingest", "files", "nowhere")
        assert outcome.status == 1 and "nothing at 'nowhere'" in outcome.err
        assert calls == []

    def test_as_little_as_possible(self, run: Run, calls: list[Call], tmp_path: Path) -> None:
        Path("events").mkdir()
        choices, source = only(calls, run("ingest", "files", "events"))
        assert (source, choices.every) == (FilesPlace("events"), 5.0)
        # From wherever it is called, one place has one name.
        name = "files-" + str(tmp_path / "events").replace("/", "-")
        assert choices.name == name[:120]

    @pytest.mark.parametrize(
        "arguments",
        [[], ["a", "b"], ["a", "--every", "soon"], ["a", "--topic", "x"], ["a", "--name", "a b"]],
    )
    def test_a_wrong_call_gets_the_usage(
        self, run: Run, calls: list[Call], arguments: list[str]
    ) -> None:
        check_wrong_call(run("ingest", "files", *arguments))
        assert calls == []


class TestName:
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            (("--topic", "orders"), "kafka-orders"),
            (("--topic", "orders.v1", "--topic", "to_tals"), "kafka-orders.v1-to_tals"),
            (("--pattern", "a|b(c)*"), "kafka-a-b-c--"),
            (("--pattern", "größe"), "kafka-größe"),
        ],
    )
    def test_is_made_of_what_is_read(
        self, run: Run, calls: list[Call], source: tuple[str, ...], expected: str
    ) -> None:
        assert only(calls, run(*KAFKA, *source)).choices.name == expected

    @pytest.mark.parametrize("name", ["größe [1].json", "\udcff.json"])
    def test_of_files_has_their_folder_too(
        self, run: Run, calls: list[Call], tmp_path: Path, name: str
    ) -> None:
        file = tmp_path / name
        file.touch()
        expected = re.sub(r"[^\w.]", "-", f"files-{file}")
        assert only(calls, run("ingest", "files", str(file))).choices.name == expected

    @pytest.mark.parametrize("char", ["x", "é", "注", "\U00020000"])
    def test_is_no_longer_than_a_file_may_be_called(
        self, run: Run, calls: list[Call], char: str, tmp_path: Path
    ) -> None:
        name = only(calls, run(*KAFKA, "--pattern", char * 500)).choices.name
        assert name.startswith(f"kafka-{char}")
        (tmp_path / f"{name}.lock").touch()

    def test_a_name_of_its_own_is_as_it_is(self, run: Run, calls: list[Call]) -> None:
        name = "kafka-orders-größe"
        assert only(calls, run(*ORDERS, "--name", name)).choices.name == name


@pytest.mark.usefixtures("data")
class TestCheck:
    """Each step that can be tried without Spark."""

    def steps(self, outcome: Outcome) -> list[list[str]]:
        assert outcome.err == ""
        return [line.split(maxsplit=2) for line in outcome.out.splitlines()]

    @pytest.fixture
    def events(self, tmp_path: Path) -> Path:
        folder = tmp_path / "events"
        folder.mkdir()
        (folder / "a.json").write_bytes(encode(run_event()) + b"\n")
        return folder

    def test_files(self, run: Run, events: Path, data: Path) -> None:
        outcome = run("ingest", "files", "events", "--check")
        assert outcome.status == 0
        size = (events / "a.json").stat().st_size
        assert self.steps(outcome) == [
            ["place", "ok", f"1 files, {size:,} bytes"],
            ["events", "ok", "events/a.json:1 is an event"],
            ["store", "ok", f"sqlite:///{data}/headwater.db, revision {HEAD}"],
            ["lake", "ok", "headwater-data/lake"],
        ]

    def test_files_that_hold_something_else(self, run: Run, events: Path) -> None:
        (events / "a.json").write_text('{"eventTime": 5}\n')
        steps = self.steps(run("ingest", "files", "events", "--check"))
        assert steps[1][:2] == ["events", "ok"]
        assert "events/a.json:1 is not a valid event and would be rejected: " in steps[1][2]

    def test_a_place_that_is_not_there_and_the_rest_nevertheless(self, run: Run) -> None:
        outcome = run("ingest", "files", "evnets", "--check")
        assert outcome.status == 1
        steps = self.steps(outcome)
        assert [step[:2] for step in steps] == [
            ["place", "FAILED"],
            ["store", "ok"],
            ["lake", "ok"],
        ]
        assert "nothing at 'evnets'" in steps[0][2]

    def test_a_store_and_a_lake_that_cannot_be_written(
        self, run: Run, events: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("HEADWATER__LAKE__FOLDER", str(tmp_path / "file" / "lake"))
        store = "postgresql://ada:hunter2@127.0.0.1:1/none"
        outcome = run("ingest", "files", "events", "--check", "--store", store)
        assert outcome.status == 1
        assert [step[:2] for step in self.steps(outcome)] == [
            ["place", "ok"],
            ["events", "ok"],
            ["store", "FAILED"],
            ["lake", "FAILED"],
        ]
        assert "hunter2" not in outcome.out

    def test_without_a_lake_there_is_none_to_try(
        self, run: Run, events: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HEADWATER__LAKE__IS_ON", "false")
        steps = self.steps(run("ingest", "files", "events", "--check"))
        assert [step[0] for step in steps] == ["place", "events", "store"]

    @pytest.mark.parametrize(
        ("brokers", "reason"),
        [
            ("127.0.0.1:1", "cannot connect to 127.0.0.1:1: Connection refused; is it running?"),
            ("localhost", "'localhost' is not HOST:PORT"),
            ("localhost:kafka", "'localhost:kafka' is not HOST:PORT"),
            ("localhost:99999", "'localhost:99999' is not HOST:PORT"),
            ("127.0.0.1:1, b", "; 'b' is not HOST:PORT"),
        ],
    )
    def test_brokers_that_do_not_answer(self, run: Run, brokers: str, reason: str) -> None:
        """Told without Spark, which would take its time."""
        outcome = run("ingest", "kafka", "--brokers", brokers, "--topic", "orders", "--check")
        assert outcome.status == 1
        steps = self.steps(outcome)
        assert [step[:2] for step in steps] == [
            ["brokers", "FAILED"],
            ["store", "ok"],
            ["lake", "ok"],
        ]
        assert reason in steps[0][2]

    def test_a_name_that_nobody_knows(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        def connect(*_: object) -> None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        monkeypatch.setattr(socket, "create_connection", connect)
        outcome = run("ingest", "kafka", "--brokers", "kafak:9092", "--topic", "a", "--check")
        reason = "no address for 'kafak' (Name or service not known); is the name right?"
        assert reason in self.steps(outcome)[0][2]


@dataclass
class Made:
    """What an ingest is made of; run, it acts as a test says."""

    spark: Any
    feed: Feed
    task: Task
    engine: Engine
    folder: Path
    plan: Plan
    watcher: IngestObserver
    acts: list["Act"] = field(kw_only=True)
    is_stopping: bool = False

    def run(self) -> None:
        for act in self.acts:
            act(self)

    def stop(self) -> None:
        self.is_stopping = True


Act = Callable[[Made], None]


@pytest.mark.usefixtures("data")
class TestRun:
    """How an ingest is put together, but for Spark."""

    @pytest.fixture(autouse=True)
    def _levels(self) -> Iterator[None]:
        before = logging.getLogger("headwater").level
        yield
        logging.getLogger("headwater").setLevel(before)

    @pytest.fixture
    def acts(self, monkeypatch: pytest.MonkeyPatch) -> list[Act]:
        """What an ingest does instead of running."""
        found: list[Act] = []
        spark = "headwater.pipeline.spark.session.session"
        monkeypatch.setattr(spark, lambda *_, **__: nullcontext())
        made = "headwater.pipeline.ingest.StreamIngest"
        monkeypatch.setattr(made, lambda *given: Made(*given, acts=found))
        return found

    @pytest.fixture
    def made(self, acts: list[Act]) -> list[Made]:
        found: list[Made] = []
        acts.append(found.append)
        return found

    def test_from_kafka(self, run: Run, made: list[Made], data: Path) -> None:
        outcome = run(*ORDERS, "--include", "a*", "--exclude", "ab")
        assert outcome == (0, "", "")
        (ingest,) = made
        feed, task = ingest.feed, ingest.task
        assert isinstance(feed, KafkaFeed)
        assert (feed.place, feed.group) == ("host:9092", "headwater-kafka-orders")
        assert task.read is feed.read
        assert task.jobs == JobPatterns(("a*",), ("ab",))
        assert (task.max_ahead, task.max_bytes) == (86_400 * SECOND, 20_000_000)
        assert task.lake == data / "lake"
        assert task.store == "" and not task.is_known
        assert ingest.plan == Plan("kafka-orders", 5.0)
        assert ingest.folder == Path("headwater-data")

    def test_from_files_without_a_lake(
        self, run: Run, made: list[Made], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HEADWATER__LAKE__IS_ON", "false")
        Path("events").mkdir()
        assert run("ingest", "files", "events", "--once", "--name", "mine") == (0, "", "")
        (ingest,) = made
        assert isinstance(ingest.feed, FilesFeed) and ingest.feed.place == "events"
        assert ingest.task.lake is None
        assert ingest.plan == Plan("mine", None)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_stops_it_after_the_batch_a_second_one_at_once(
        self, run: Run, acts: list[Act], number: signal.Signals
    ) -> None:
        before = signal.getsignal(number)
        seen: list[bool] = []

        def act(ingest: Made) -> None:
            os.kill(os.getpid(), number)
            seen.append(ingest.is_stopping)
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), number)

        acts.append(act)
        outcome = run(*ORDERS)
        assert outcome.status == 0 and seen == [True]
        assert outcome.err == "stopping after this batch; press Ctrl-C again to stop at once\n"
        assert signal.getsignal(number) == before

    def test_what_it_raises_is_one_line(self, run: Run, acts: list[Act]) -> None:
        def act(ingest: Made) -> None:
            raise StoreUnavailable("the store is away")

        acts.append(act)
        check_one_line(run(*ORDERS), "the store is away")

    @pytest.mark.parametrize(
        ("store", "reason"),
        [("nonsense", "not a URL"), ("postgresql://127.0.0.1:1/none", "refused")],
    )
    def test_a_bad_store_is_one_line_before_spark_is_started(
        self, run: Run, made: list[Made], store: str, reason: str
    ) -> None:
        check_one_line(run(*ORDERS, "--store", store), reason)
        assert made == []

    def test_a_port_that_is_taken_is_one_line(self, run: Run, made: list[Made]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            outcome = run(*ORDERS, "--metrics-port", port)
        check_one_line(outcome, "--metrics-port", port, "in use")


class TestScreen:
    def test_without_a_terminal_there_are_lines(self) -> None:
        with screen("orders") as watcher:
            assert isinstance(watcher, Log)

    def test_a_terminal_has_one_line(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """With names as they are: a pattern is no colour."""
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "200")
        with screen("orders") as watcher:
            watcher.started([("file", "/data/[a-z]*[/b]")])
            watcher.stored(Totals(messages=3_000, events=2_990, rejected=7, excluded=3), 2.0)
            watcher.settled(12_345)
            watcher.alive()
            watcher.failed(StoreUnavailable("[/away]"), 0.5)
            watcher.ended(None)
        shown = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", capsys.readouterr().err)
        assert "2,990 events  1,500/s  7 rejected  3 excluded  lag 12,345" in shown
        assert "/data/[a-z]*[/b]" in shown
        assert "[/away]; trying again in 0.5 s" in shown
        assert shown.splitlines()[-1].endswith("ended")


class TestReplay:
    @pytest.fixture(autouse=True)
    def _rejected(self, data: Path) -> None:
        """Of three that were rejected one can be read by now."""
        engine = open_engine(f"sqlite:///{data / 'headwater.db'}")
        with closing(open_writer(engine)) as writer:
            for number, (body, size) in enumerate(
                [(encode(run_event()), None), (b"{", None), (b"{}", 5_000_000)]
            ):
                place = f"kafka orders/{number}@7"
                writer.write([reject(body, 0, place, "$", "an older version", size)])
        engine.dispose()

    def test_it_says_how_many(self, run: Run) -> None:
        told = "1 were too long to be stored completely: send them again\n"
        for count in (1, 0):
            outcome = run("ingest", "replay")
            assert outcome == (0, f"{count} ingested, 1 still rejected\n{told}", "")

    def test_for_programs(self, run: Run) -> None:
        outcome = run("ingest", "replay", "--output", "json")
        assert (outcome.status, outcome.err) == (0, "")
        assert json.loads(outcome.out) == {"taken_in": 1, "still_rejected": 1, "cut_short": 1}

    def test_of_one_source(self, run: Run) -> None:
        outcome = run("ingest", "replay", "--source", "kafka orders/1@")
        assert outcome == (0, "0 ingested, 1 still rejected\n", "")

    def test_it_waits_for_the_lake(self, run: Run) -> None:
        run("ingest", "replay")
        outcome = run("lake", "flush")
        assert outcome.out.startswith("1 events written to")

    def test_a_bad_store_is_one_line(self, run: Run) -> None:
        outcome = run("ingest", "replay", "--store", "postgresql://127.0.0.1:1/none")
        check_one_line(outcome, "refused")
