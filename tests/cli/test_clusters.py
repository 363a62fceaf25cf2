"""`[clusters.NAME]` of the settings, for commands that read a store without a server."""

from pathlib import Path

import pytest

from testing.api import open_api
from testing.commands import Run
from tests.server.test_clusters import fill

pytestmark = pytest.mark.usefixtures("no_settings")

TOML = """\
[clusters.main]
bootstrap = ["b1:9092", "b2:9092"]
aliases = ["kafka-eu"]
default = true
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with open_api(url) as api:
        fill(api)
    return url


def test_a_chain_is_one_by_the_settings(run: Run, store: str) -> None:
    node = "dataset:kafka://orders"
    assert "sink" not in run("lineage", node, "--server", store).out
    Path("headwater.toml").write_text(TOML)
    found = run("lineage", node, "--server", store)
    assert found.status == 0, found.err
    assert all(job in found.out for job in ("cdc", "enrich", "sink"))


@pytest.mark.parametrize(
    "section",
    ["[clusters.main]", "[clusters.main]\nbootstrap = 5", f"{TOML}\ncolour = 1"],
)
def test_settings_are_checked(run: Run, store: str, section: str) -> None:
    Path("headwater.toml").write_text(section)
    found = run("lineage", "dataset:kafka:orders", "--server", store)
    assert found.status == 1
    assert found.err.startswith("headwater: setting 'clusters.main.")
