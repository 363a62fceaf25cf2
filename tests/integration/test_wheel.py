"""The wheel, as users get it: made without Node and Maven, installed where there is nothing."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest

from testing.commands import Outcome, check_one_line
from testing.services.connect import PLUGIN
from testing.services.process import Process
from tests.integration.archives import (
    ENVIRONMENT,
    copy_sources,
    link_few_tools,
    place_built_jar,
    run,
)

pytestmark = pytest.mark.integration

# What a new environment has of its own, up to Python 3.11.
OWN = {"pip", "setuptools"}


class Wheels(NamedTuple):
    package: Path
    autoload: Path


class Environment:
    """A Python environment of its own, with nothing in it."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "bin"
        run(sys.executable, "-m", "venv", folder)

    def install(self, *what: str | Path) -> None:
        run(self.programs / "pip", "install", "--quiet", *what)

    def installed(self) -> set[str]:
        """The distributions that are there, but for those of every environment."""
        listed = run(self.programs / "pip", "list", "--format", "json")
        return {each["name"] for each in json.loads(listed)} - OWN

    def python(self, code: str, **variables: str) -> str:
        return run(self.programs / "python", "-c", code, env=variables)

    def headwater(self, *arguments: str, cwd: Path) -> Outcome:
        command = [str(self.programs / "headwater"), *arguments]
        done = subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)
        return Outcome(done.returncode, done.stdout, done.stderr)


class Installed(Process):
    """The program of an environment, serving."""

    name = "installed"

    def __init__(self, environment: Environment) -> None:
        super().__init__()
        self._environment = environment
        self.url = ""

    def command(self) -> Sequence[str]:
        return [str(self._environment.programs / "headwater"), "serve", "--port", "0"]

    def environment(self) -> dict[str, str]:
        return ENVIRONMENT

    def is_ready(self) -> bool:
        _, found, rest = self.log().partition("listens on ")
        self.url = rest.split()[0] if found else ""
        return bool(self.url)

    def start(self) -> None:
        self.launch()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    sources = copy_sources(tmp_path_factory.mktemp("sources"))
    place_built_jar(sources)
    tools = link_few_tools(tmp_path_factory.mktemp("tools"))
    assert shutil.which("node", path=str(tools)) is None
    folder = tmp_path_factory.mktemp("wheels")
    for project in (sources, sources / "autoload"):
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, project,
            env={"PATH": str(tools)})  # fmt: skip
    (package,) = folder.glob("headwater-*.whl")
    (autoload,) = folder.glob("headwater_spark_autoload-*.whl")
    return Wheels(package, autoload)


def test_without_extras_it_brings_one_library(wheels: Wheels, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment")
    environment.install(wheels.package)
    assert environment.installed() == {"headwater", "msgspec"}
    environment.python("import headwater.emit.sender, headwater.model.event, headwater.spark")
    serve = environment.headwater("serve", cwd=tmp_path)
    check_one_line(serve, "is not installed; pip install 'headwater[server]'")
    loaded = "import sys; print('headwater.spark.autoload' in sys.modules)"
    assert environment.python(loaded, HEADWATER_SPARK_URL="http://127.0.0.1:1") == "False\n"
    # What the extra `spark` adds, where PySpark is there already.
    environment.install(wheels.autoload)
    assert environment.installed() == {"headwater", "headwater-spark-autoload", "msgspec"}
    assert environment.python(loaded, HEADWATER_SPARK_URL="http://127.0.0.1:1") == "True\n"
    assert environment.python(loaded) == "False\n"


def test_a_server_has_the_web_ui_and_names_the_other_extras(wheels: Wheels, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment")
    environment.install(f"{wheels.package}[server]")
    assert not {"psycopg", "pyarrow", "pyspark"} & environment.installed()
    # The jar that the workers of `tests/connect` load.
    plugins = tmp_path / "plugins"
    written = environment.headwater("connect-plugin", "--to", str(plugins), cwd=tmp_path)
    assert (written.status, (plugins / PLUGIN.name).read_bytes()) == (0, PLUGIN.read_bytes())
    service = Installed(environment)
    with service:
        service.start()
        page = httpx2.get(service.url, trust_env=False)
        assert page.status_code == 200
        (script,) = [part for part in page.text.split('"') if part.endswith(".js")][:1]
        assert httpx2.get(f"{service.url}{script}", trust_env=False).status_code == 200
        assert "no lake is written: that takes pip install 'headwater[lake]'" in service.log()
    for command, extras in (
        ("db upgrade --store postgresql://127.0.0.1:1/none", "postgres"),
        ("lake stats", "lake"),
        ("ingest files events.ndjson", "lake,spark"),
    ):
        outcome = environment.headwater(*command.split(), cwd=tmp_path)
        check_one_line(outcome, f"is not installed; pip install 'headwater[{extras}]'")
