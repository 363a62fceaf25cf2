"""`headwater connect-plugin`: the jar in a folder, and what to do next."""

import json
import stat
from pathlib import Path

import pytest

from headwater.cli.commands import connect_plugin
from testing.commands import Run, check_one_line

pytestmark = pytest.mark.usefixtures("no_settings")

CONTENT = b"PK of this version"


@pytest.fixture
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The jar of the installation, built or not."""
    file = tmp_path / "installed" / "headwater-connect.jar"
    monkeypatch.setattr(connect_plugin, "JAR", file)
    return file


@pytest.fixture
def built(jar: Path) -> Path:
    jar.parent.mkdir()
    jar.write_bytes(CONTENT)
    return jar


@pytest.mark.usefixtures("built")
class TestBuilt:
    def test_the_jar_is_written_and_the_next_steps_are_printed(
        self, run: Run, tmp_path: Path
    ) -> None:
        folder = tmp_path / "plugins" / "headwater"
        outcome = run("connect-plugin", "--to", str(folder))
        assert outcome.status == 0
        assert outcome.out == f"wrote {folder}/headwater-connect.jar\n"
        (file,) = folder.iterdir()
        assert file.read_bytes() == CONTENT
        assert stat.S_IMODE(file.stat().st_mode) == 0o644
        for text in (
            f"plugin.path={folder}",
            "rest.extension.classes=io.headwater.connect.HeadwaterRestExtension",
            "headwater.url=http",
            "transforms=openlineage",
            "transforms.openlineage.type=io.headwater.connect.HeadwaterTransform",
            "docs/connect.md",
        ):
            assert text in outcome.err

    def test_an_existing_jar_is_replaced(self, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "headwater-connect.jar"
        file.write_bytes(b"of an older version, and longer than the new one")
        # What a running worker has open stays as it is.
        with file.open("rb") as opened:
            outcome = run("connect-plugin", "--to", str(tmp_path))
            assert opened.read().startswith(b"of an older version")
        assert outcome.out == f"replaced {file}\n"
        assert file.read_bytes() == CONTENT
        assert sorted(path.name for path in tmp_path.iterdir()) == [file.name, "installed"]

    def test_a_relative_folder_is_printed_as_the_worker_needs_it(
        self, run: Run, tmp_path: Path
    ) -> None:
        outcome = run("connect-plugin", "--to", "plugins")
        assert f"plugin.path={tmp_path}/plugins\n" in outcome.err

    def test_json(self, run: Run, tmp_path: Path) -> None:
        outcome = run("connect-plugin", "--to", str(tmp_path), "--output", "json")
        found = json.loads(outcome.out)
        assert (found["file"], found["replaced"]) == (f"{tmp_path}/headwater-connect.jar", False)
        assert found["worker"]["plugin.path"] == str(tmp_path)
        assert found["connector"]["transforms"] == "openlineage"
        assert outcome.err == ""

    def test_a_folder_that_is_a_file_is_one_line(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "plugins").write_text("")
        check_one_line(
            run("connect-plugin", "--to", str(tmp_path / "plugins")),
            "--to: cannot write",
            "plugins/headwater-connect.jar': ",
            "a folder that you may write to",
        )

    def test_a_folder_that_is_not_writable_is_one_line(self, run: Run) -> None:
        # Where not even root can create a file.
        check_one_line(run("connect-plugin", "--to", "/sys/kernel"), "a folder that you may write")

    def test_a_folder_in_the_jars_place_is_one_line(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "headwater-connect.jar").mkdir()
        check_one_line(run("connect-plugin", "--to", str(tmp_path)), "Is a directory")
        # Nothing half written is left.
        assert len(list(tmp_path.iterdir())) == 2


def test_an_installation_without_the_jar_says_how_to_get_it(
    run: Run, jar: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "plugins"
    check_one_line(
        run("connect-plugin", "--to", str(folder)),
        "the plugin for Kafka Connect is not installed",
        "make connect",
        "Maven",
    )
    assert not folder.exists()


def test_a_folder_must_be_given(run: Run) -> None:
    outcome = run("connect-plugin")
    assert outcome.status == 2
    assert "--to" in outcome.err


def test_help_teaches(run: Run) -> None:
    shown = run("connect-plugin", "--help").out
    for text in ("--to", "DIR", "plugin.path", "headwater-connect.jar", "docs/connect.md"):
        assert text in shown
