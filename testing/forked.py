"""Commands as forks of a process that has loaded what they need, which takes Python two seconds.

`python -m testing.forked` reads a request a line (arguments, folder, environment, files for the
output) and writes two lines about each: the id of its process, and how it ended.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer
from typing import Any

ROOT = Path(__file__).parents[1]


class Forker:
    """The process that forks; one command at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "testing.forked"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        atexit.register(self.close)

    def run(self, program: Path, arguments: tuple[str, ...], outputs: Path, seconds: float) -> int:
        """Run a command to its end, or for so long; its output is in files `out` and `err`."""
        environment, folder = dict(os.environ), str(Path.cwd())
        request = [[str(program), *arguments], folder, environment, str(outputs)]
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        watch = Timer(seconds, os.kill, (self._read(), signal.SIGKILL))
        watch.start()
        try:
            return self._read()
        finally:
            watch.cancel()

    def _read(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def fork_for_requests() -> None:
    """Fork for each line; a fork returns, as the program that it is to be."""
    # Ctrl-C is for the commands, and for whoever started this.
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    while line := sys.stdin.buffer.readline():
        if (child := os.fork()) == 0:
            signal.signal(signal.SIGINT, interrupt)
            _become(*json.loads(line))
            return
        os.write(1, b"%d\n" % child)
        _, status = os.waitpid(child, 0)
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(argv: list[str], folder: str, environment: dict[str, str], outputs: str) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv[:] = argv
    # A help names the program by it.
    sys.modules["__main__"].__package__ = ""
    # As Python does at its start.
    paths = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [path for path in paths if path not in sys.path]
    for number, file in enumerate((os.devnull, f"{outputs}/out", f"{outputs}/err")):
        opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = _text(1, "strict")
    sys.stderr = _text(2, "backslashreplace")


def _text(number: int, errors: str) -> Any:
    return open(number, "w", encoding="utf-8", errors=errors, closefd=False)


def load() -> None:
    """Load what most commands do; what starts threads would not outlive a fork."""
    import headwater.cli.main
    import headwater.store.migrate
    import headwater.store.write.writer  # noqa: F401


if __name__ == "__main__":
    load()
    fork_for_requests()
    from headwater.cli.start import run

    run()
