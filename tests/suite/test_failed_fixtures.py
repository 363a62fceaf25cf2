"""A service that cannot start: one error, its cause at the end, and a run that fails."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

# Each starts a run of pytest of its own.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

PLUGGED_IN = """
import pytest
from testing.services.process import Process
from tests.suite.failed_fixtures import FailedFixtures


def pytest_configure(config):
    config.pluginmanager.register(FailedFixtures())
"""

CONFTEST = f"""{PLUGGED_IN}

class Broken(Process):
    name = "broken"

    def command(self):
        return ["sh", "-c", "echo the port is taken; exit 3"]

    def is_ready(self):
        return False


@pytest.fixture(scope="session")
def broken():
    with Broken() as service:
        service.launch()
        yield service


@pytest.fixture(scope="session")
def on_top(broken):
    return broken


@pytest.fixture(scope="session", params=["good", "bad"])
def store(request):
    if request.param == "bad":
        request.getfixturevalue("broken")
    return request.param


@pytest.fixture
def own(on_top):
    return on_top


@pytest.fixture
def of_one_test():
    raise ValueError("mine alone")


@pytest.fixture(scope="session")
def absent():
    pytest.skip("not on this machine")
"""

TALKATIVE = """
@pytest.fixture(scope="session")
def broken():
    raise OSError("a\\n" * 999)
"""

TESTS = """
import pytest

@pytest.mark.parametrize("number", range(20))
def test_directly(broken, number): pass
def test_on_top(own): pass
def test_by_a_parameter(store): pass
def test_without(): pass
def test_wrong(): assert 1 == 2
@pytest.mark.parametrize("number", range(2))
def test_of_its_own(of_one_test, number): pass
@pytest.mark.parametrize("number", range(2))
def test_absent(absent, number): pass
"""


def run(folder: Path, *options: str, **env: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-ra", *options],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {ROOT} {ROOT / 'src'}\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TESTS)
    skipped = "import pytest; pytest.skip('not here', allow_module_level=True)"
    (tmp_path / "test_skipped.py").write_text(skipped)
    return tmp_path


@pytest.mark.parametrize("workers", [0, 2])
def test_one_error_and_the_cause_at_the_end(suite: Path, workers: int) -> None:
    status, out = run(suite, "-n", str(workers))
    assert status == 1
    # Of the failed service once, of the fixture that a test has for itself each time.
    assert len(re.findall(r"^_+ ERROR at setup of test_(?!of_its_own)", out, re.M)) == 1
    assert len(re.findall(r"^ERROR ", out, re.M)) == 3
    *_, end = out.partition("= ::broken failed =")
    told = [line for line in end.splitlines()[1:] if line]
    assert told[:3] == [
        "StartFailed: broken ended with status 3; the end of its log:",
        "the port is taken",
        "22 tests could not run for want of ::broken.",
    ]
    counts = "1 failed, 2 passed, 3 skipped, 3 errors, 21 not run"
    assert counts in told[3] and len(told) == 4


def test_the_first_failure_ends_a_run_that_asks_for_it(suite: Path) -> None:
    status, out = run(suite, "-x")
    assert status == 1
    assert "1 test could not run for want of ::broken." in out


def test_a_long_cause_loses_its_middle(suite: Path) -> None:
    (suite / "conftest.py").write_text(PLUGGED_IN + TALKATIVE)
    (suite / "test_it.py").write_text("def test_one(broken): pass\ndef test_two(broken): pass")
    _, out = run(suite)
    *_, end = out.partition("= ::broken failed =")
    assert end.splitlines()[1:7] == ["OSError: a", "a", "a", "a", "a", "..."]
    assert end.count("\na") == 44


def test_this_suite_has_it(tmp_path: Path) -> None:
    """As on a machine where nobody has gathered Kafka's jars."""
    tests = ["tests/testing/test_kafka.py", "-k", "read_back or appear or loopback"]
    status, out = run(ROOT, *tests, XDG_CACHE_HOME=str(tmp_path))
    assert status == 1
    assert (
        "StartFailed: the jars of kafka are missing; run scripts/install-services\n3 tests" in out
    )
    assert "1 error, 2 not run" in out
