"""`make demo` and `make test` on a machine that has seen neither, in every order.

What runs is the last commit. The tests are a few, in which Spark starts by itself and with the
connector of Kafka, which is fetched by Maven's name: all the rest is set up as for the whole.
"""

import os
import pwd
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.integration,
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="to hide caches and the network takes root"),
]

ROOT = Path(__file__).parents[2]
SECONDS = 60 * 60

SOME = "tests/pipeline/test_session.py tests/spark/test_kafka_streams.py"
DEMO = "make demo ONCE=1 PORT=0"
TEST = f"make test TESTS='{SOME}'"
# Otherwise it shows what it has kept, without Spark.
FORGET = "rm -r .headwater-demo"
OFFLINE = 'unshare --net -- "$PYTHON" tests/integration/without_network.py'
# The name is one that Spark's connector for Kafka needs; a build that only looked at it, and chose
# another version, leaves just this.
POM = ".m2/repository/org/slf4j/slf4j-api/2.0.16/slf4j-api-2.0.16.pom"

# Not where make prints the line that would say it.
LACKING = re.compile(
    r"^(?!.*\becho ).*(is skipped|going on without|cannot be built here|is no Java here)"
)


def run_fresh(log: Path, *steps: str) -> str:
    """Take the steps on one new machine; the output of all."""
    command = [str(ROOT / "scripts" / "fresh"), "bash", "-exc", "\n".join(steps)]
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        ) as running,
    ):
        try:
            status = running.wait(SECONDS)
        except BaseException:
            # It ends what it started, and removes what it made.
            running.terminate()
            raise
    output = log.read_text(errors="replace")
    assert status == 0, output[-10_000:]
    return output


def check(output: str, demos: int, tests: int) -> None:
    """All were run whole: a demo goes on without what it cannot have, and says so."""
    assert output.count("Open http://") == demos, output
    assert [line for line in output.splitlines() if LACKING.search(line)] == []
    closing = re.findall(r"^=+ (\d+ passed.*) in .*=+$", output, re.MULTILINE)
    assert len(closing) == tests, output
    assert [line for line in closing if re.search("failed|error|skipped", line)] == []


def test_demo_then_test_then_both_again_without_network(tmp_path: Path) -> None:
    offline = [FORGET, f"{OFFLINE} {DEMO}", f"{OFFLINE} {TEST}"]
    output = run_fresh(tmp_path / "log", DEMO, TEST, DEMO, *offline)
    check(output, demos=3, tests=2)


def test_test_then_demo_then_both_again(tmp_path: Path) -> None:
    output = run_fresh(tmp_path / "log", TEST, DEMO, TEST, FORGET, DEMO)
    check(output, demos=2, tests=2)


def test_a_maven_cache_with_poms_and_no_jars(tmp_path: Path) -> None:
    pom = Path(pwd.getpwuid(os.getuid()).pw_dir, POM)
    text = (
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.slf4j</groupId>"
        "<artifactId>slf4j-api</artifactId><version>2.0.16</version></project>"
    )
    plant = [f"mkdir -p '{pom.parent}'", f"echo '{text}' > '{pom}'"]
    output = run_fresh(tmp_path / "log", *plant, DEMO, TEST)
    check(output, demos=1, tests=1)
