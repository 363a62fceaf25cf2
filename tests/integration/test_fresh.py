"""`scripts/fresh`: what a command sees of the machine, and what is left when it has ended."""

import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from scripts.fresh_home import NotPossible, hide_caches

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
ACCOUNT = Path(pwd.getpwuid(os.getuid()).pw_dir)
SECONDS = 60

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clone of this one with the scripts as they are now, and something beside it."""
    copy = tmp_path / "repository"
    subprocess.run(["git", "clone", "--quiet", ROOT, copy], check=True)
    shutil.copytree(ROOT / "scripts", copy / "scripts", dirs_exist_ok=True)
    (copy / "not-committed").touch()
    (tmp_path / "shared" / "data").mkdir(parents=True)
    return copy


@pytest.fixture
def start(repository: Path, tmp_path: Path) -> Start:
    """Start a shell in a new machine whose folder is in `temporary`."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    def start(script: str, *options: str, **env: str) -> subprocess.Popen[str]:
        command = [str(repository / "scripts" / "fresh"), *options, "sh", "-c", script]
        return subprocess.Popen(
            command,
            env={**os.environ, "TMPDIR": str(temporary), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    return start


def finish(running: subprocess.Popen[str], status: int = 0) -> str:
    output, _ = running.communicate(timeout=SECONDS)
    assert running.returncode == status, output
    return output


def said(output: str) -> list[str]:
    """What the command printed, between the lines of the script."""
    _, _, rest = output.partition("fresh: sh -c")
    return [line for line in rest.splitlines()[1:] if not line.startswith("fresh: ")]


def test_a_command_gets_the_last_commit_and_what_is_beside(start: Start) -> None:
    output = finish(start("'ls'; git status --short; ls ..; ls ../shared"))
    assert "not included: what is not committed" in output
    names = said(output)
    assert "Makefile" in names
    assert not {"not-committed", ".venv"} & set(names)
    assert names[-1] == "data"


def test_the_machine_is_reported_first_and_the_end_last(start: Start) -> None:
    lines = finish(start("exit 7"), status=7).splitlines()
    assert lines[0] == "This machine:"
    told = [line.split()[0] for line in lines[1:11]]
    programs = ["python", "java", "javac", "maven", "node", "postgres", "chromium"]
    assert told == ["system", "size", "user", *programs]
    assert lines[-1].startswith("fresh: status 7 after ")


def test_homes_are_empty_but_for_settings(start: Start, tmp_path: Path) -> None:
    old = tmp_path / "old"
    (old / ".cache").mkdir(parents=True)
    (old / ".npmrc").touch()
    (tmp_path / "config" / "pip").mkdir(parents=True)
    (tmp_path / "config" / "pip" / "pip.conf").touch()
    show = 'cd "$HOME"; find . -type f; env | grep -c "^XDG_.*_HOME\\|^SPARK_\\|^HEADWATER_"'
    given = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_CACHE_HOME": str(old / ".cache")}
    more = {"SPARK_HOME": "/nowhere", "HEADWATER_SPARK_URL": "http://nowhere"}
    output = finish(start(f"{show}; :", HOME=str(old), **given, **more))
    found = [name for name in said(output) if not name.startswith("./.m2/")]
    assert sorted(found) == ["./.config/pip/pip.conf", "./.npmrc", "0"]


@pytest.mark.skipif(os.geteuid() != 0, reason="an overlay takes root")
def test_the_accounts_home_has_no_caches_and_is_not_written_to(start: Start) -> None:
    name = f".headwater-{os.getpid()}"
    output = finish(
        start(f"cd '{ACCOUNT}'; ls -d .m2 .ivy2.5.2 .cache; mkdir -p {name}; ls -d {name}")
    )
    assert "not hidden" not in output
    assert said(output)[-1] == name
    assert not {".m2", ".ivy2.5.2", ".cache"} & set(said(output))
    assert not (ACCOUNT / name).exists()


def test_python_works_whatever_the_home(start: Start) -> None:
    output = finish(start('"$PYTHON" -c "import sys, venv; print(sys.prefix == sys.base_prefix)"'))
    assert said(output) == ["True"]


def test_where_caches_cannot_be_hidden_it_is_stated(tmp_path: Path) -> None:
    with pytest.raises(NotPossible):
        hide_caches(tmp_path, tmp_path / "in it")


def test_nothing_is_left(start: Start, tmp_path: Path) -> None:
    finish(start("true"))
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_folder_is_kept_if_requested(start: Start, tmp_path: Path) -> None:
    output = finish(start("touch made", "--keep"))
    (folder,) = (tmp_path / "temporary").iterdir()
    assert f"fresh: kept: {folder}" in output
    assert (folder / "headwater" / "made").exists()


def test_a_signal_ends_the_command_in_order_and_all_it_started(
    start: Start, tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    script = (
        "trap 'echo ended in order; exit 9' TERM; "
        f"setsid sh -c 'echo $$ > {file}; exec sleep 1000' & sleep 1000 & wait"
    )
    running = start(script)
    deadline = time.monotonic() + SECONDS
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    running.send_signal(signal.SIGTERM)
    assert said(finish(running, status=9)) == ["ended in order"]
    assert not is_alive(int(file.read_text()))
    assert list((tmp_path / "temporary").iterdir()) == []


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
