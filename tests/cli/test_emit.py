"""`headwater emit`: what it reads, what it tells of each event, and how it goes on."""

import gzip
import io
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from headwater.config import IntakeSettings, Settings
from testing.api import Api, open_api, serve
from testing.commands import Outcome, Run, check_one_line
from testing.events.minimal import run_event

pytestmark = pytest.mark.usefixtures("no_settings")

BAD = {"eventTime": "2024-05-01T10:00:00Z"}
REASON = "$.job: missing; an event names a run and its job, a job, or a dataset"


@pytest.fixture(scope="module")
def shared_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path_factory.mktemp('emit') / 'headwater.db'}") as api:
        yield api


@pytest.fixture
def api(shared_api: Api, monkeypatch: pytest.MonkeyPatch) -> Api:
    """A server with an empty store, which `emit` finds by its variable."""
    shared_api.empty()
    monkeypatch.setenv("HEADWATER_URL", shared_api.url)
    return shared_api


def some(count: int) -> list[dict[str, Any]]:
    return [run_event(job=f"job-{number}") for number in range(count)]


def lines(*events: object) -> bytes:
    """One event a line; bytes stand for themselves."""
    parts = (event if isinstance(event, bytes) else msgspec.json.encode(event) for event in events)
    return b"".join(part + b"\n" for part in parts)


def write(name: str, data: bytes) -> str:
    Path(name).write_bytes(data)
    return name


def bring(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Make bytes the standard input."""
    reader = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
    monkeypatch.setattr(sys, "stdin", reader)


FORMS = {
    "one event": msgspec.json.encode(run_event()),
    "one event over many lines": json.dumps(run_event(), indent=2).encode(),
    "a byte order mark": b"\xef\xbb\xbf" + lines(run_event()),
    "blank lines": b"\n\r\n" + lines(run_event(), b"", b"  "),
    "an array": msgspec.json.encode([run_event()]),
    "an array over many lines": b"\n " + json.dumps([run_event()], indent=2).encode(),
    "a line": lines(run_event()),
    "a line without its end": lines(run_event()).rstrip(),
    "half a surrogate pair": lines(run_event(x="@")).replace(b"@", rb"\ud800"),
}


class TestReading:
    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("is_packed", [False, True])
    def test_every_form_of_one_event(self, run: Run, api: Api, form: str, is_packed: bool) -> None:
        data = gzip.compress(FORMS[form]) if is_packed else FORMS[form]
        assert run("emit", write("events", data)) == (0, "1 stored, 0 refused\n", "")
        assert api.event_count() == 1

    @pytest.mark.parametrize("is_packed", [False, True])
    def test_standard_input(
        self, run: Run, api: Api, monkeypatch: pytest.MonkeyPatch, is_packed: bool
    ) -> None:
        data = lines(*some(3), b"{")
        bring(monkeypatch, gzip.compress(data) if is_packed else data)
        outcome = run("emit", "-")
        assert outcome[:2] == (1, "3 stored, 1 refused\n")
        assert outcome.err.startswith("stdin:4: invalid JSON: ")

    def test_many_in_parts(self, run: Run, api: Api) -> None:
        files = [
            write("a.ndjson", lines(*some(250))),
            write("b.json", msgspec.json.encode([run_event(job=f"b-{i}") for i in range(101)])),
        ]
        assert run("emit", *files).out == "351 stored, 0 refused\n"
        assert api.event_count() == 351

    @pytest.mark.parametrize("data", [b"", b"\n \n", b"[]"])
    def test_nothing_is_nothing(self, run: Run, api: Api, data: bytes) -> None:
        assert run("emit", write("events", data)) == (0, "0 stored, 0 refused\n", "")

    def test_no_such_file_is_reported_before_anything_is_sent(self, run: Run, api: Api) -> None:
        outcome = run("emit", write("events", lines(run_event())), "nowhere.json")
        assert outcome.status == 2
        assert "nowhere.json" in outcome.err
        assert api.event_count() == 0


class TestRefused:
    def test_each_is_reported_with_its_line(self, run: Run, api: Api) -> None:
        data = lines(run_event(), b"{not json", b"", BAD, b"\xff", b"1,2", run_event(job="other"))
        outcome = run("emit", write("events.ndjson", data))
        assert outcome[:2] == (1, "2 stored, 4 refused\n")
        told = outcome.err.splitlines()
        assert told[0].startswith("events.ndjson:2: invalid JSON: ")
        assert told[1:] == [
            f"events.ndjson:4: {REASON}",
            "events.ndjson:5: not UTF-8 at byte 0",
            "events.ndjson:6: invalid JSON: more than one value",
        ]
        # What is no JSON was sent nowhere.
        assert len(api.rejected()) == 1

    def test_each_is_reported_with_its_index(self, run: Run, api: Api) -> None:
        write("events.json", msgspec.json.encode([run_event(), 1, BAD]))
        outcome = run("emit", "events.json")
        assert outcome[:2] == (1, "1 stored, 2 refused\n")
        assert outcome.err.splitlines() == [
            "events.json[1]: $: expected `object`, got `int`",
            f"events.json[2]: {REASON}",
        ]

    def test_all_of_them(self, run: Run, api: Api) -> None:
        outcome = run("emit", write("events", lines(BAD, {**BAD, "x": 1})))
        assert outcome[:2] == (1, "0 stored, 2 refused\n")

    @pytest.mark.parametrize("data", [b'[{"a": 1},', b"[nonsense]"])
    def test_a_broken_array_is_one(self, run: Run, api: Api, data: bytes) -> None:
        outcome = run("emit", write("events.json", data))
        assert outcome[:2] == (1, "0 stored, 1 refused\n")
        assert outcome.err.startswith("events.json: invalid JSON: ")

    def test_a_bad_first_line_is_only_that_line(self, run: Run, api: Api) -> None:
        outcome = run("emit", write("events", lines(b"{bad", run_event())))
        assert outcome[:2] == (1, "1 stored, 1 refused\n")
        assert outcome.err.startswith("events:1: ")

    def test_a_packed_file_that_breaks_off(self, run: Run, api: Api) -> None:
        packed = gzip.compress(lines(run_event(), *some(5_000)))
        outcome = run("emit", write("events.gz", packed[: len(packed) // 2]))
        assert outcome.status == 1
        assert "cannot be read further" in outcome.err.splitlines()[-1]
        assert api.event_count() > 100

    def test_as_json(self, run: Run, api: Api) -> None:
        outcome = run("emit", "-o", "json", write("events", lines(run_event(), BAD)))
        assert (outcome.status, outcome.err) == (1, "")
        assert json.loads(outcome.out) == {
            "stored": 1,
            "refused": 1,
            "skipped": 0,
            "stopped": None,
            "failures": [{"file": "events", "line": 2, "index": None, "reason": REASON}],
        }

    def test_a_server_with_a_lower_limit_gets_less_at_once(self, run: Run, tmp_path: Path) -> None:
        settings = Settings(
            store=f"sqlite:///{tmp_path / 'headwater.db'}",
            intake=IntakeSettings(max_body_bytes=1_000),
        )
        long = run_event(job="long", producer="x" * 1_000)
        write("events", lines(*some(9), long))
        with serve(settings) as url:
            outcome = run("emit", "events", "--server", url)
        assert outcome[:2] == (1, "9 stored, 1 refused\n")
        assert outcome.err.startswith("events:10: ")
        assert "1,000 bytes" in outcome.err


class TestServerFailures:
    def test_no_server_is_one_line(self, run: Run) -> None:
        write("events", lines(run_event()))
        outcome = run("emit", "events", "--server", "http://127.0.0.1:1")
        check_one_line(outcome, "http://127.0.0.1:1", "refused", "headwater serve", "--server")

    def test_no_server_as_json(self, run: Run) -> None:
        write("events", lines(run_event()))
        outcome = run("emit", "events", "--server", "http://127.0.0.1:1", "-o", "json")
        assert outcome.status == 1
        assert "no answer" in json.loads(outcome.out)["stopped"]

    def test_an_error_midway_says_how_far_it_got(self, run: Run) -> None:
        write("events", lines(*some(250)))
        with scripted(204, 500) as server:
            outcome = run("emit", "events", "--server", server.url)
        assert outcome.status == 1
        assert outcome.out.startswith("100 stored, 0 refused; stopped: ")
        assert "answered 500" in outcome.err

    def test_not_now_is_tried_again(self, run: Run) -> None:
        write("events", lines(run_event()))
        with scripted(503, 429, 204) as server:
            assert run("emit", "events", "--server", server.url).out == "1 stored, 0 refused\n"
        assert len(server.bodies) == 3


class TestResume:
    def test_it_goes_on_where_it_stopped(self, run: Run, api: Api) -> None:
        write("events", lines(*some(120), b"bad", *some(250)[121:]))
        with scripted(204, 500) as server:
            # Reached under the same name on the second try, so that it is the same server.
            assert run("emit", "events", "--resume", "--server", server.url).status == 1
            server.answers[:] = [204]
            outcome = run("emit", "events", "--resume", "--server", server.url)
        assert outcome[:2] == (1, "149 stored, 1 refused, 100 already sent\n")
        assert outcome.err.startswith("events:121: ")
        sent = [len(msgspec.json.decode(body)) for body in server.bodies]
        assert sent == [100, 99, 99, 50]

    def test_after_the_end_only_what_is_new_is_sent(self, run: Run, api: Api) -> None:
        write("events", lines(*some(3)))
        assert run("emit", "events", "--resume").out == "3 stored, 0 refused\n"
        done = "0 stored, 0 refused, 3 already sent\n"
        assert run("emit", "events", "--resume") == (0, done, "")
        write("events", lines(*some(5)))
        more = "2 stored, 0 refused, 3 already sent\n"
        assert run("emit", "events", "--resume") == (0, more, "")
        assert api.event_count() == 5

    @pytest.mark.parametrize("is_packed", [False, True])
    def test_a_line_still_being_written_is_read_again(
        self, run: Run, api: Api, is_packed: bool
    ) -> None:
        whole = lines(*some(3))
        data = gzip.compress(whole) if is_packed else whole
        write("events", data[:-20])
        assert run("emit", "events", "--resume").status == 1
        write("events", data)
        outcome = run("emit", "events", "--resume")
        assert (outcome.status, outcome.err) == (0, "")
        assert api.event_count() == 3

    def test_another_file_of_that_name_is_sent_from_its_start(self, run: Run, api: Api) -> None:
        write("events", lines(*some(3)))
        run("emit", "events", "--resume")
        write("events", lines(run_event(job="new"), *some(3)))
        assert run("emit", "events", "--resume").out == "4 stored, 0 refused\n"

    def test_another_server_gets_everything(self, run: Run, api: Api) -> None:
        write("events", lines(*some(3)))
        with scripted(204) as server:
            run("emit", "events", "--resume", "--server", server.url)
        assert run("emit", "events", "--resume").out == "3 stored, 0 refused\n"

    def test_a_note_that_cannot_be_read_is_none(self, run: Run, api: Api) -> None:
        write("events", lines(*some(3)))
        write("events.emitted", b"nonsense")
        assert run("emit", "events", "--resume").out == "3 stored, 0 refused\n"

    def test_without_it_everything_is_sent_and_nothing_kept(self, run: Run, api: Api) -> None:
        write("events", lines(*some(3)))
        for _ in range(2):
            assert run("emit", "events").out == "3 stored, 0 refused\n"
        assert not Path("events.emitted").exists()
        assert api.event_count() == 3

    def test_standard_input_cannot_be_resumed(self, run: Run) -> None:
        outcome = run("emit", "-", "--resume")
        assert outcome.status == 2
        assert "--resume" in outcome.err

    @pytest.mark.slow
    def test_a_pipe_of_the_shell(self, api: Api) -> None:
        write("events", lines(*some(3)))
        program = Path(sys.executable).with_name("headwater")
        command = ["bash", "-c", f"{program} emit <(cat events)"]
        ended = subprocess.run(command, capture_output=True, timeout=120)
        assert (ended.returncode, ended.stdout) == (0, b"3 stored, 0 refused\n")

    def test_ctrl_c_says_how_far_it_got(self) -> None:
        write("events", lines(*some(250)))
        with scripted(204, 204, "hold") as server:
            outcome = interrupt(server, "emit", "events", "--resume", "--server", server.url)
            assert outcome.status == 130
            assert outcome.out.startswith("200 stored, 0 refused; stopped: interrupted")
            assert outcome.err == ""
        assert json.loads(Path("events.emitted").read_bytes())["answered"] == 200


class ScriptedServer(ThreadingHTTPServer):
    """Answers by a list of statuses, then by its last; "hold" answers when the test ends."""

    def __init__(self, answers: list[int | str]) -> None:
        super().__init__(("127.0.0.1", 0), ScriptedAnswers)
        self.answers = answers
        self.bodies: list[bytes] = []
        self.is_held = threading.Event()
        self.is_over = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class ScriptedAnswers(BaseHTTPRequestHandler):
    server: ScriptedServer

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer == "hold":
            self.server.is_held.set()
            self.server.is_over.wait()
            return
        self.send_response(int(answer))
        self.send_header("Retry-After", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Tests say enough."""


@contextmanager
def scripted(*answers: int | str) -> Iterator[ScriptedServer]:
    with ScriptedServer(list(answers)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.is_over.set()
            server.shutdown()
            thread.join()


def interrupt(server: ScriptedServer, *arguments: str) -> Outcome:
    """Run the installed program, and press Ctrl-C once the server holds a request."""
    program = Path(sys.executable).with_name("headwater")
    with subprocess.Popen(
        [program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert server.is_held.wait(120)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    return Outcome(process.returncode, out, err)
