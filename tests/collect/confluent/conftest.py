"""A Confluent Cloud for each test, with the example estate."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.stand_ins.confluent import OpenCloud, open_cloud


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenCloud]:
    with open_cloud(tmp_path / "cloud") as opened:
        yield opened
