"""The plugin for Kafka Connect in wheels and source archives: there where it can be, or missed."""

import os
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from testing.services.connect import PLUGIN
from tests.integration.archives import copy_sources, link_few_tools, place_built_jar, run_both

pytestmark = pytest.mark.integration

IN_WHEEL = "headwater/connect_plugin/headwater-connect.jar"


@pytest.fixture
def with_ui(tmp_path: Path) -> Path:
    """A copy of the sources, with a web UI that needs no Node to be built."""
    sources = copy_sources(tmp_path / "sources")
    page = sources / "src" / "headwater" / "server" / "web" / "built" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<!doctype html>")
    return sources


@pytest.fixture
def few_tools(tmp_path: Path) -> Path:
    folder = tmp_path / "tools"
    folder.mkdir()
    return link_few_tools(folder)


def pack(target: str, sources: Path, path: Path) -> tuple[Path, str]:
    """Build an archive with what is installed here; returns it, and what the build printed."""
    command = (sys.executable, "-m", "hatchling", "build", "-t", target)
    done = run_both(*command, cwd=sources, env={"PATH": str(path)})
    (archive,) = (sources / "dist").iterdir()
    return archive, done.stdout + done.stderr


def test_a_source_archive_brings_the_plugin_along(
    with_ui: Path, few_tools: Path, tmp_path: Path
) -> None:
    place_built_jar(with_ui)
    archive, _ = pack("sdist", with_ui, few_tools)
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert not (unpacked / "connect" / "target").exists()
    wheel, printed = pack("wheel", unpacked, few_tools)
    assert zipfile.Path(wheel, IN_WHEEL).read_bytes() == PLUGIN.read_bytes()
    assert "Kafka Connect" not in printed


@pytest.mark.parametrize("maven", [None, "#!/bin/sh\nexit 3\n"], ids=["absent", "failing"])
def test_a_wheel_without_the_plugin_says_so(
    with_ui: Path, few_tools: Path, maven: str | None
) -> None:
    if maven:
        (few_tools / "mvn").write_text(maven)
        (few_tools / "mvn").chmod(0o755)
    wheel, printed = pack("wheel", with_ui, few_tools)
    assert not zipfile.Path(wheel, IN_WHEEL).exists()
    reason = f"failed in {with_ui}/connect with 3" if maven else "there is no Maven (mvn) here"
    assert f"{reason}: this archive is built without the plugin for Kafka Connect" in printed
    assert "make connect" in printed


def test_maven_builds_the_plugin_where_it_is_missing(with_ui: Path) -> None:
    wheel, _ = pack("wheel", with_ui, Path(os.environ["PATH"]))
    with zipfile.ZipFile(wheel) as packed, packed.open(IN_WHEEL) as jar:
        classes = set(zipfile.ZipFile(jar).namelist())
    for name in ("HeadwaterTransform", "HeadwaterRestExtension", "dataset/ConnectorKnowledge"):
        assert f"io/headwater/connect/{name}.class" in classes
    assert "io/headwater/connect/dataset/connectors.json" in classes
