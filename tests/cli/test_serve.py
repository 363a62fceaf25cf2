"""`headwater serve` as a process: where it says it listens, and who may read what it stores."""

import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx2
import pytest

from testing.services.process import Process
from testing.wait import wait_until

pytestmark = pytest.mark.integration

EVENT = b'{"eventTime":"2024-05-01T10:00:00Z","job":{"namespace":"a","name":"b"},"producer":"x"}'


class Serving(Process):
    """A server that is found where it says that it is."""

    name = "serving"

    def __init__(self, data: Path, host: str) -> None:
        super().__init__()
        self._data = data
        self._host = host
        self.url = ""

    def command(self) -> Sequence[str]:
        program = Path(sys.executable).with_name("headwater")
        place = ["--host", self._host, "--port", "0", "--data", str(self._data)]
        return [str(program), "serve", *place]

    def is_ready(self) -> bool:
        _, found, rest = self.log().partition("listens on ")
        self.url = rest.split()[0] if found else ""
        return bool(self.url)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_the_url_that_it_prints_works(tmp_path: Path, host: str) -> None:
    with Serving(tmp_path, host) as server:
        server.launch()
        assert httpx2.get(f"{server.url}/readyz", trust_env=False).status_code == 200


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_it_stores_is_for_its_account_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER__LAKE__EVERY", "1s")
    data = tmp_path / "data"
    with Serving(data, "127.0.0.1") as server:
        server.launch()
        headers = {"Content-Type": "application/json"}
        url = f"{server.url}/api/v1/lineage"
        answer = httpx2.post(url, content=EVENT, headers=headers, trust_env=False)
        assert answer.status_code == 201
        wait_until(lambda: any(data.glob("lake/**/*.parquet")))
        found = [data, *data.rglob("*")]
        assert {path.name for path in found} >= {"headwater.db", "headwater.db-wal", "lake"}
        modes = {path: mode(path) for path in found if path.exists()}
    assert {found for path, found in modes.items() if path.is_dir()} == {0o700}
    assert {found for path, found in modes.items() if path.is_file()} == {0o600}
