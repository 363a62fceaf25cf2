"""The parts a session is made of, without a Spark: its package, its folder, its reasons."""

import subprocess
import sys
from pathlib import Path

import pytest

from headwater.pipeline.spark.jvm import find_cause, find_reason
from headwater.pipeline.spark.scratch import Scratch
from headwater.pipeline.spark.shipping import zip_package


class TestZip:
    def test_packing_works_from_it(self, tmp_path: Path) -> None:
        package = zip_package(tmp_path / "headwater.zip")
        program = (
            f"import sys; sys.path.insert(0, {str(package)!r})\n"
            "from headwater.store.write.packing import pack, unpack, __file__\n"
            "value = b'schemaURL' * 100\n"
            "print(__file__, len(pack(value)) < 100, unpack(pack(value)) == value)"
        )
        said = subprocess.check_output([sys.executable, "-c", program], text=True, cwd=tmp_path)
        assert said == f"{package}/headwater/store/write/packing.py True True\n"


class TestScratch:
    def test_goes_when_it_is_closed(self, tmp_path: Path) -> None:
        scratch = Scratch(tmp_path / "new")
        (scratch.path / "folder").mkdir()
        scratch.close()
        assert not scratch.path.exists()

    def test_without_a_parent_is_one_of_the_systems(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        scratch = Scratch(None)
        assert scratch.path.parent == tmp_path
        scratch.close()
        assert list(tmp_path.iterdir()) == []

    def test_what_is_in_use_stays(self, tmp_path: Path) -> None:
        first, second = Scratch(tmp_path), Scratch(tmp_path)
        assert first.path.is_dir()
        assert first.path != second.path
        first.close()
        second.close()

    def test_what_a_killed_process_left_is_removed(self, tmp_path: Path) -> None:
        program = (
            "import os, pathlib, signal; from headwater.pipeline.spark.scratch import Scratch\n"
            f"scratch = Scratch(pathlib.Path({str(tmp_path)!r}))\n"
            "scratch.path.joinpath('spilled').write_text('much')\n"
            "os.kill(os.getpid(), signal.SIGKILL)"
        )
        subprocess.run([sys.executable, "-c", program])
        assert list(tmp_path.glob("session-*/spilled"))
        (tmp_path / "session-of-others").mkdir()
        Scratch(tmp_path).close()
        assert {entry.name for entry in tmp_path.iterdir()} == {".lock", "session-of-others"}


class TestReasons:
    @pytest.mark.parametrize(
        ("lines", "reason"),
        [
            (
                ["WARN x", 'Exception in thread "main" org.apache.spark.SparkException: No good'],
                "No good",
            ),
            (["Error: Failed to load it.", "\tat org.apache"], "Failed to load it."),
            (
                ["Error occurred during initialization of VM", "Too small maximum heap"],
                "Too small maximum heap",
            ),
            (["26/11/15 x: java.lang.OutOfMemoryError: Java heap space"], "java.lang.OutOfMemory"),
            (["Setting default log level"], ""),
            ([], ""),
        ],
    )
    def test_a_sentence_is_found(self, lines: list[str], reason: str) -> None:
        found = find_reason(lines)
        assert found.startswith(reason) if reason else found == ""

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("One line", "One line"),
            ("[CLASS] First.\nSecond.\n\tat org.apache", "[CLASS] First."),
            ("Lost: Traceback (most recent call last):\n File\nValueError: x\n\n\tat a", "ValueEr"),
            ("", ""),
        ],
    )
    def test_the_line_that_tells_most_is_found(self, text: str, line: str) -> None:
        assert find_cause(ValueError(text)).startswith(line)
