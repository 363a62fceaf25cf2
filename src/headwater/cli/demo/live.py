"""The live scene, run in a separate process while the server receives its events."""

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any
from urllib.parse import quote

from rich.console import Console

from headwater.cli.api.client import Client
from headwater.config import environment_with
from headwater.demo.live.place import DAYS, FAILED, NAMESPACE, PLAYED, STREAM, SUMMARY, Place
from headwater.errors import HeadwaterError, SparkUnavailable
from headwater.model.values.instant import format_instant, now

Shape = dict[str, Any]

_LOG = "spark.log"
# How long the last of Spark's words may take, and Spark itself to end.
_RECEIVED_SECONDS = 60.0
_END_SECONDS = 20.0
_LOOK_SECONDS = 0.5


class LiveScene:
    """Runs the scene once; `stop` ends it from any thread."""

    def __init__(self, place: Place, url: str) -> None:
        self._place = place
        self._url = url
        self._began = format_instant(now())
        self._is_stopped = threading.Event()
        self._child: subprocess.Popen[str] | None = None

    def run(self, client: Client) -> None:
        """Run it, and wait until the server has all of it; raises where it does not work."""
        shutil.rmtree(self._place.folder, ignore_errors=True)
        self._place.folder.mkdir(parents=True, exist_ok=True)
        with (self._place.folder / _LOG).open("w") as log:
            child = self._child = self._start(log)
            try:
                self._follow(child, client)
            finally:
                _end(child)

    def stop(self) -> None:
        self._is_stopped.set()
        if self._child is not None:
            _end(self._child)

    def _start(self, log: IO[str]) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "headwater.demo.live", str(self._place.folder), self._url]
        # Of its own group: Ctrl-C is for us, who then end it with all that it started.
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            # All it speaks to is on this machine, where no proxy reaches.
            env=environment_with(no_proxy="*"),
            start_new_session=True,
        )

    def _follow(self, child: subprocess.Popen[str], client: Client) -> None:
        steps = _lines(child)
        with _moving_line() as (say, move):
            while (step := self._next(steps, lambda: move(self._describe(client)))) != PLAYED:
                if step is None:
                    log = self._place.folder / _LOG
                    raise SparkUnavailable(f"its process ended; see {log}")
                if step.startswith(FAILED):
                    raise SparkUnavailable(step.removeprefix(FAILED))
                say(f"{step[:1].upper()}{step[1:]}")
            self._wait_until_received(client, move)

    def _next(self, steps: "queue.Queue[str | None]", look: Callable[[], None]) -> str | None:
        while not self._is_stopped.is_set():
            try:
                return steps.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                look()
        return None

    def _wait_until_received(self, client: Client, move: Callable[[str], None]) -> None:
        """Spark reports its jobs shortly after they end."""
        give_up = time.monotonic() + _RECEIVED_SECONDS
        while not self._is_received(client):
            if time.monotonic() > give_up:
                raise HeadwaterError(
                    "Spark ran, but the server did not receive the events of all its jobs"
                )
            if self._is_stopped.wait(_LOOK_SECONDS):
                return
            move(self._describe(client))

    def _is_received(self, client: Client) -> bool:
        """Whether all runs of the stream and all jobs upstream of the summary have ended."""
        states = [run["state"] for run in self._runs(client)]
        if states != ["COMPLETED"] * DAYS:
            return False
        jobs = jobs_behind(_found(client, "/api/v1/lineage", nodeId=summary_id(self._place)))
        return STREAM in (job["name"] for job in jobs) and all(
            (job["latestRun"] or {}).get("state") == "COMPLETED" for job in jobs
        )

    def _runs(self, client: Client) -> list[Shape]:
        """The stream's runs of this time, as the server has them."""
        return [run for run in read_runs(client, STREAM) if run["createdAt"] >= self._began]

    def _describe(self, client: Client) -> str:
        runs = self._runs(client)
        if not runs:
            return ""
        rows = sum(rows_of(run, "input") or 0 for run in runs)
        return f"{STREAM}: {rows:,} rows read, run {len(runs)} of {DAYS} {runs[0]['state']}"


def summary_id(place: Place) -> str:
    return f"dataset:file:{place.warehouse / SUMMARY}"


def jobs_behind(answer: Shape) -> list[Shape]:
    """The jobs in an answer of `/lineage` that read something: not those that made a table."""
    nodes = answer.get("graph", ())
    return [node["data"] for node in nodes if node["type"] == "JOB" and node["inEdges"]]


def read_runs(client: Client, job: str) -> list[Shape]:
    """The newest runs of a job of the scene, as many as the stream has."""
    path = f"/api/v1/namespaces/{NAMESPACE}/jobs/{quote(job, safe='')}/runs"
    return list(_found(client, path, limit=DAYS).get("runs", ()))


def rows_of(run: Shape, direction: str) -> int | None:
    """How many rows a run read or wrote, over all datasets with counts."""
    counted = [
        each["facets"][f"{direction}Statistics"].get("rowCount")
        for each in run[f"{direction}DatasetVersions"]
        if f"{direction}Statistics" in each["facets"]
    ]
    known = [rows for rows in counted if rows is not None]
    return sum(known) if known else None


def _found(client: Client, path: str, **parameters: Any) -> Shape:
    """What a path answers; nothing of what is not known yet."""
    answer = client.send("GET", path, params=parameters)
    return dict(answer.json()) if answer.status_code == 200 else {}


def _lines(child: subprocess.Popen[str]) -> "queue.Queue[str | None]":
    """The output of a process, line by line and then None, in a queue."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert child.stdout is not None
        for line in child.stdout:
            lines.put(line.strip())
        lines.put(None)

    threading.Thread(target=read, name="demo-steps", daemon=True).start()
    return lines


def _end(child: subprocess.Popen[str]) -> None:
    """Have the process end, and everything it started."""
    assert child.stdin is not None
    with suppress(OSError):
        child.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        child.wait(_END_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


@contextmanager
def _moving_line() -> Iterator[tuple[Callable[[str], None], Callable[[str], None]]]:
    """How to print a line, and how to change the status line below; a pipe has no status line."""
    console = Console(highlight=False, markup=False, emoji=False)

    def say(text: str) -> None:
        console.print(text, soft_wrap=True)

    if not console.is_terminal:
        yield say, lambda text: None
        return
    with console.status("") as status:
        yield say, status.update
