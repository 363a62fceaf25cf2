"""The lab of Flink: the whole of it, from start to end."""

from pathlib import Path

import pytest

from labs.flink.steps import STEPS
from tests.labs.lab import lab_started


@pytest.mark.integration
@pytest.mark.long
def test_the_whole_lab(tmp_path: Path) -> None:
    with lab_started("labs.flink", tmp_path, "--keep") as lab:
        lab.read_until("in a browser; Ctrl-C")
        titles = [f"{number}. {title}\n" for number, (title, _) in enumerate(STEPS, 1)]
        assert [line for line in lab.lines if line in titles] == titles
        assert lab.interrupt() == 0
        assert lab.lines[-1].rstrip().splitlines()[-1].startswith("Done in ")


@pytest.mark.integration
@pytest.mark.long
def test_interrupted_nothing_is_left(tmp_path: Path) -> None:
    with lab_started("labs.flink", tmp_path) as lab:
        lab.read_until("Headwater listens")
        assert lab.interrupt() == 130
