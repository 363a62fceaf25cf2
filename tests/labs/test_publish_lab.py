"""The lab of publishing: the whole of it, and that nothing is left."""

from pathlib import Path

import pytest

from testing.services.process import free_port
from tests.labs.lab import lab_started


@pytest.mark.integration
@pytest.mark.long
def test_the_whole_lab(tmp_path: Path) -> None:
    with lab_started("labs.publish", tmp_path, "--port", str(free_port())) as lab:
        lab.read_until("6. Publish what came back")
        rest, _ = lab.process.communicate(timeout=120)
    assert "Done in" in rest
    assert lab.process.returncode == 0
    assert not list(tmp_path.iterdir())
