"""Runs a command as a new machine would, for `scripts/fresh`; Python's own library is enough."""

import argparse
import os
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from scripts.fresh_home import NotPossible, hide_caches, make_home, say

ROOT = Path(__file__).resolve().parent.parent

ABOUT = """\
Run a command as on a new machine: it fails if it needs something that earlier runs left behind.

  scripts/fresh make test                      what CI runs
  scripts/fresh make demo
  scripts/fresh bash -c 'make demo ONCE=1 && make test TESTS=tests/pipeline/test_session.py'
  scripts/fresh bash                           for inspection; `exit` ends it

The command gets
  - a clone of the last commit in a new folder, with nothing built and no .venv; what is not
    committed is not in it; ../shared, where there is one, is beside the clone
  - an empty HOME, no XDG folders, none of Headwater's, Spark's or Python's variables
  - as root, an account's home without caches (~/.m2, ~/.ivy2, ~/.cache and such) as well: Java
    takes the home from the account, not from HOME. That is an overlay in a mount namespace, so
    toolchains in the home keep working, and nothing is written to the home itself
  - the settings for package registries, unchanged: those of Maven, npm, pip and git

Programs of the machine (Java, PostgreSQL) are unchanged; their versions are printed first. It
takes some 4 GB in TMPDIR, and all of it is removed at the end, also after Ctrl-C and SIGTERM.
The exit status is the command's."""

# Of the environment, what leads to caches, to another Python or Spark, or to a make above this one.
DROPPED = re.compile(
    r"XDG_(CACHE|CONFIG|DATA|STATE)_HOME|(PIP|UV|npm_config)_cache(_dir)?|VIRTUAL_ENV(_PROMPT)?"
    r"|PYTHON(PATH|HOME|STARTUP|USERBASE)|(HEADWATER|OPENLINEAGE|SPARK|PYSPARK|PYTEST)_.*"
    r"|MAKEFLAGS|MAKELEVEL|MAKEFILES|MAKEOVERRIDES|MFLAGS|GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX)",
    re.IGNORECASE,
)
# For tests to end their services in order, and for what a command left behind.
STOP_SECONDS = 60
LEFT_SECONDS = 5


class Run:
    """The command in a group of processes of its own, which gets the signals that come here."""

    def __init__(self) -> None:
        self.stopped: int | None = None
        self._group: int | None = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # Who starts this with a signal ignored means it: nohup, or a shell's background job.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._stop)
        signal.signal(signal.SIGALRM, lambda *_: self._send(signal.SIGKILL))

    def run(self, command: list[str], env: dict[str, str], cwd: Path) -> int:
        self.check()
        try:
            child = subprocess.Popen(command, env=env, cwd=cwd, start_new_session=True)
        except OSError as error:
            say(f"cannot run {command[0]}: {error.strerror}")
            return 127
        self._group = child.pid
        if self.stopped is not None:
            self._stop(self.stopped)
        status = child.wait()
        self._end_others(env["HOME"])
        return status if status >= 0 else 128 - status

    def check(self) -> None:
        """End here if that was asked for while there was no command to pass it on to."""
        if self.stopped is not None:
            raise SystemExit(128 + self.stopped)

    def _stop(self, number: int, _: FrameType | None = None) -> None:
        self.stopped = number
        if self._group is not None:
            self._send(number)
            signal.alarm(STOP_SECONDS)

    def _send(self, number: int) -> None:
        assert self._group is not None
        with suppress(ProcessLookupError):
            os.killpg(self._group, number)

    def _end_others(self, home: str) -> None:
        """End what the command started and did not wait for itself."""
        if self.stopped is not None:
            # These have got the signal, and may have services of their own to end in order.
            wait(
                lambda: any(is_in(each, self._group) for each in find_processes(home)), STOP_SECONDS
            )
        signal.alarm(0)
        kill(find_processes(home), signal.SIGTERM)
        wait(lambda: bool(find_processes(home)), LEFT_SECONDS)
        kill(find_processes(home), signal.SIGKILL)


def wait(is_going_on: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while is_going_on() and time.monotonic() < deadline:
        time.sleep(0.1)


def is_in(process: int, group: int | None) -> bool:
    with suppress(ProcessLookupError):
        return os.getpgid(process) == group
    return False


def find_processes(home: str) -> list[int]:
    """Those that have this home: services that tests start are in groups of their own."""
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"HOME={home}".encode() in file.read_bytes().split(b"\0"):
                found.append(int(file.parent.name))
    return found


def kill(processes: list[int], number: int) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def clone(folder: Path) -> Path:
    """Have the last commit in `folder`, beside what is beside this repository."""
    copy = folder / "headwater"
    commit = git("rev-parse", "HEAD")
    git("clone", "--quiet", "--no-checkout", ".", str(copy))
    git("-C", str(copy), "checkout", "--quiet", "--detach", commit)
    if changes := len(git("status", "--porcelain").splitlines()):
        say(f"not included: what is not committed ({changes} files)")
    say(f"commit {commit[:10]}, cloned into {copy}")
    shared = ROOT.parent / "shared"
    if shared.exists():
        (folder / "shared").symlink_to(shared)
    return copy


def git(*arguments: str) -> str:
    # In a hook, variables of git's would lead to another repository.
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, env=clean_variables(), capture_output=True, text=True
    )
    if done.returncode != 0:
        raise NotPossible(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def clean_variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not DROPPED.fullmatch(name)}


def make_environment(home: Path) -> dict[str, str]:
    env = clean_variables()
    env["HOME"] = str(home)
    # A shim or an environment's Python may not work without the old home.
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    env["PYTHON"] = str(base) if base.exists() else sys.executable
    if active := os.environ.get("VIRTUAL_ENV"):
        parts = env.get("PATH", "").split(os.pathsep)
        env["PATH"] = os.pathsep.join(part for part in parts if part != str(Path(active, "bin")))
    return env


def prepare(folder: Path) -> tuple[Path, dict[str, str], list[str]]:
    """The clone, the environment, and what to put before the command."""
    account = Path(pwd.getpwuid(os.getuid()).pw_dir)
    copy = clone(folder)
    home = make_home(folder, account)
    env = make_environment(home)
    try:
        return copy, env, hide_caches(account, folder)
    except NotPossible as reason:
        say(f"not hidden: caches in {account}, which Spark looks into; {reason}")
    env["MAVEN_OPTS"] = f"{env.get('MAVEN_OPTS', '')} -Duser.home={home}".strip()
    return copy, env, []


@contextmanager
def temporary_folder(is_kept: bool) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="headwater-fresh-")).resolve()
    # Services run as users of their own, PostgreSQL's for one.
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if is_kept:
            say(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
            if folder.exists():
                say(f"not all could be removed: {folder}")


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def main() -> NoReturn:
    parser = argparse.ArgumentParser(
        "scripts/fresh", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", action="store_true", help="keep the folder, and print its path")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what to run, in the clone")
    chosen = parser.parse_args()
    if not chosen.command:
        parser.error("which command? For example: scripts/fresh make test")
    run = Run()
    subprocess.run([ROOT / "scripts" / "describe-machine"])
    with temporary_folder(chosen.keep) as folder:
        try:
            copy, env, words = prepare(folder)
        except NotPossible as error:
            run.check()
            say(str(error))
            raise SystemExit(1) from None
        say(shlex.join(chosen.command))
        begin = time.monotonic()
        status = run.run([*words, *chosen.command], env, copy)
        say(f"status {status} after {duration(time.monotonic() - begin)}")
    raise SystemExit(status)


if __name__ == "__main__":
    main()
