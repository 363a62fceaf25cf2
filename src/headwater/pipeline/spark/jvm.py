"""The JVM that Spark runs in: started for one session, quiet, and ended with it."""

import logging
import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from socketserver import BaseServer
from typing import Any

from headwater.errors import SparkUnavailable

log = logging.getLogger(__name__)

_LINES_KEPT = 400
_END_SECONDS = 20

# A record of Spark's log; what follows it, most of it Java's stacks, is for those who look closely.
_ERROR = re.compile(r"^[\d/]+ [\d:]+ (?:ERROR|FATAL) (.+)")
_NO_VM = "Error occurred during initialization of VM"
# In the order in which the first of them tells most.
_REASONS = (
    re.compile(r"^Exception in thread \"main\" (?:[\w.$]+: )?(.+)"),
    re.compile(r"^Error: (?!A JNI error|Could not create the Java)(.+)"),
    re.compile(r"(java\.lang\.OutOfMemoryError.*)"),
    re.compile(r"^(Invalid maximum heap size.*)"),
)


class JvmOutput(threading.Thread):
    """Reads what a JVM and its Python workers write.

    While it starts that is chatter, kept to say why it did not start; errors at work are logged, a
    line each. Those that matter are raised as well.
    """

    def __init__(self, verbose: bool) -> None:
        super().__init__(name="headwater-spark-output", daemon=True)
        read, self.write = os.pipe()
        self._stream = os.fdopen(read, errors="replace")
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self._verbose = verbose
        self.passes_on = False

    def run(self) -> None:
        with self._stream:
            for line in self._stream:
                text = line.rstrip()
                self._lines.append(text)
                if self._verbose:
                    print(text, file=sys.stderr)
                elif self.passes_on and (found := _ERROR.match(text)):
                    log.info("Spark: %s", found[1])

    def close_own_end(self) -> None:
        """Leave the JVM as the only writer, so that its end is seen."""
        os.close(self.write)

    def lines(self) -> list[str]:
        return list(self._lines)


class Jvm:
    """A running JVM; `gateway` is what pyspark speaks to it through."""

    def __init__(self, conf: Mapping[str, str], folder: Path, verbose: bool) -> None:
        """Start it in a folder of its own: Spark 4.0 makes `artifacts` wherever it is started.

        The settings can be read in the machine's list of processes.
        """
        from pyspark import SparkConf, java_gateway

        _hush()
        self.output = JvmOutput(verbose)
        self.output.start()
        streams = {"stdout": self.output.write, "stderr": self.output.write, "cwd": str(folder)}
        settings = SparkConf(loadDefaults=False).setAll(list(conf.items()))
        launch: Any = java_gateway.launch_gateway
        try:
            self.gateway: Any = launch(settings, streams)
        except Exception as error:
            raise SparkUnavailable(f"Spark does not start: {self._why(error)}") from error
        finally:
            self.output.close_own_end()
        self._resolve_paths_from(Path.cwd())

    def _resolve_paths_from(self, folder: Path) -> None:
        """Have relative paths of tables and checkpoints mean what they mean to this process."""
        jvm = self.gateway.jvm
        jvm.java.lang.System.setProperty("user.dir", str(folder))
        hadoop = jvm.org.apache.hadoop
        # One has been made already, and is what everybody gets.
        files = hadoop.fs.FileSystem.get(jvm.java.net.URI("file:///"), hadoop.conf.Configuration())
        files.setWorkingDirectory(hadoop.fs.Path(str(folder)))

    @property
    def process(self) -> subprocess.Popen[bytes]:
        process: subprocess.Popen[bytes] = self.gateway.proc
        return process

    def has_ended(self, within: float = 0) -> bool:
        """Whether it has ended, or does so within some seconds."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(within)
        return self.process.poll() is not None

    @property
    def last_words(self) -> str:
        self.output.join(1)
        return (
            find_reason(self.output.lines()) or f"its JVM ended with status {self.process.poll()}"
        )

    def close(self) -> None:
        """End it, at once if it does not by itself."""
        with suppress(Exception):
            self.gateway.shutdown()
        # It ends when this closes, as it does when this process ends.
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _why(self, error: Exception) -> str:
        # It has ended, so the rest of what it wrote is about to be read.
        self.output.join(1)
        lines = self.output.lines()
        return find_reason(lines) or next(filter(str.strip, reversed(lines)), str(error))


def _hush() -> None:
    """Keep pyspark and py4j from logging stacks: of Ctrl-C, and of errors that they also raise."""
    from pyspark import accumulators
    from pyspark.logger import PySparkLogger

    # It prints the stack of a connection that ends with the JVM.
    for each in vars(accumulators).values():
        if isinstance(each, type) and issubclass(each, BaseServer):
            setattr(each, "handle_error", _ignore_connection)  # noqa: B010
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    # Some it logs as if they were nobody's.
    logging.getLogger().addFilter(_is_not_of_py4j)
    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)


def _ignore_connection(server: object, request: object, address: object) -> None:
    """Whoever used the JVM learns of its end by itself."""


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts


def find_reason(lines: Sequence[str]) -> str:
    """The sentence that tells most of what a JVM wrote before it gave up; empty if none does."""
    if _NO_VM in lines[:-1]:
        return lines[lines.index(_NO_VM) + 1]
    for pattern in _REASONS:
        for line in lines:
            if found := pattern.search(line):
                return found[1]
    return ""


def find_cause(error: BaseException) -> str:
    """What was wrong first, in one line and without Java's stack; the JVM must still be there."""
    cause = getattr(error, "java_exception", None)
    if cause is None:
        return _find_line(str(error))
    while (deeper := cause.getCause()) is not None:
        cause = deeper
    return _find_line(str(cause.getMessage() or cause.toString()))


def _find_line(text: str) -> str:
    """The first line; or, where Python's stack is in the text, the one that ends it."""
    lines = text.partition("\n\tat ")[0].splitlines()
    written = [line.strip() for line in lines if line.strip()]
    return written[-1 if "Traceback (most recent call last)" in text else 0] if written else ""
