"""The live scene on a real Spark: what it makes of the orders, and what the server knows of it."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest

from headwater.cli.api.client import Client
from tests.suite.signals import IGNORING

pytestmark = pytest.mark.integration

Json = dict[str, Any]

# Several times what a quiet machine takes.
SECONDS = 300
# No Java starts with it.
NO_JAVA = {"JAVA_TOOL_OPTIONS": "-XX:+ThereIsNoSuchOption"}


class Played(NamedTuple):
    """A demo that ran once: what it printed, and its folder."""

    out: str
    folder: Path
    is_stock: bool

    @property
    def store(self) -> str:
        return f"sqlite:///{self.folder / 'headwater.db'}"

    @property
    def place(self) -> str:
        return str(self.folder / "live")


def demo(folder: Path, *options: str, env: Mapping[str, str] | None = None) -> str:
    """Run the demo once, as its users do; it must end well and say nothing on standard error."""
    program = Path(sys.executable).with_name("headwater")
    own = {key: value for key, value in os.environ.items() if not key.startswith("HEADWATER")}
    ended = subprocess.run(
        [program, "demo", "--once", "--port", "0", "--data", str(folder), *options],
        cwd=folder.parent,
        env={**own, **(env or {})},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def without_listener(home: Path) -> dict[str, str]:
    """A machine that has no jars and cannot fetch any: from a mirror that does not answer."""
    mirror = "http://127.0.0.1:1/"
    return {"HOME": str(home), "XDG_CACHE_HOME": "", "DEFAULT_ARTIFACT_REPOSITORY": mirror}


@pytest.fixture(scope="module", params=["with the stock listener", "without it"])
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("demo") / "here"
    is_stock = request.param == "with the stock listener"
    env = None if is_stock else without_listener(tmp_path_factory.mktemp("home"))
    yield Played(demo(folder, env=env), folder, is_stock)


def cleaned(folder: Path) -> dict[int, Json]:
    """The orders that can be used, by their number: what the stream does, without Spark."""
    found: dict[int, Json] = {}
    for file in sorted((folder / "live" / "orders").glob("*.json")):
        for line in file.read_text().splitlines():
            try:
                order = json.loads(line)
                price = Decimal(order["price"])
            except (ValueError, InvalidOperation):
                continue
            if order["order_id"] is None or price <= 0 or order["bid_time"] == "yesterday":
                continue
            found[int(order["order_id"])] = {
                "item": order["item"].strip(),
                "price": price,
                "supplier": order["supplier"].strip(),
                "day": order["bid_time"][:10],
                "customer": sha256(order["email"].strip().lower().encode()).hexdigest(),
            }
    return found


def rows_of(played: Played, table: str) -> list[Json]:
    rows: list[Json] = []
    for file in (played.folder / "live" / "warehouse" / table).glob("*.parquet"):
        rows += pq.read_table(file).to_pylist()
    return rows


def made_of(client: Client, played: Played, table: str) -> dict[str, set[str]]:
    """By column of a table what goes into it, as the server has it."""
    node = f"dataset:file:{played.place}/warehouse/{table}"
    answer = client.ask("/api/v1/column-lineage", nodeId=node, direction="upstream", depth=1)
    found: dict[str, set[str]] = {}
    for each in answer["graph"]:
        data = each["data"]
        if data["dataset"].endswith(f"/{table}"):
            found[data["field"]] = {
                f"{way['dataset'].removeprefix(played.place)}.{way['field']} {kind['type']} "
                f"{kind['subtype']}{' masked' if kind['masking'] else ''}"
                for way in data["inputFields"]
                for kind in way["transformations"]
            }
    return found


class TestData:
    def test_the_table_has_each_usable_order_once(self, played: Played) -> None:
        rows = rows_of(played, "cleaned_orders")
        expected = cleaned(played.folder)
        assert len(rows) == len(expected) > 2_000
        for row in rows:
            order = expected[row["order_id"]]
            assert {name: row[name] for name in ("item", "price", "supplier", "customer")} == {
                name: order[name] for name in ("item", "price", "supplier", "customer")
            }
            assert str(row["day"]) == order["day"]

    def test_the_summary_adds_up(self, played: Played) -> None:
        totals: defaultdict[tuple[str, str], tuple[int, Decimal]] = defaultdict(
            lambda: (0, Decimal())
        )
        for order in cleaned(played.folder).values():
            count, revenue = totals[order["supplier"], order["day"]]
            totals[order["supplier"], order["day"]] = count + 1, revenue + order["price"]
        rows = rows_of(played, "supplier_summary")
        assert len(rows) == len(totals) == 12
        for row in rows:
            assert totals[row["supplier"], str(row["day"])] == (row["orders"], row["revenue"])


class TestLineage:
    @pytest.fixture
    def client(self, played: Played) -> Iterator[Client]:
        with Client(played.store) as client:
            yield client

    def test_of_the_clean_table(self, client: Client, played: Played) -> None:
        # A row is kept by these three, and once for each number.
        decides = {
            "/orders.order_id INDIRECT FILTER",
            "/orders.order_id INDIRECT GROUP_BY",
            "/orders.price INDIRECT FILTER",
            "/orders.bid_time INDIRECT FILTER",
        }
        assert made_of(client, played, "cleaned_orders") == {
            "order_id": {"/orders.order_id DIRECT TRANSFORMATION", *decides},
            "item": {"/orders.item DIRECT TRANSFORMATION", *decides},
            "price": {"/orders.price DIRECT TRANSFORMATION", *decides},
            "supplier": {"/orders.supplier DIRECT TRANSFORMATION", *decides},
            "bid_time": {"/orders.bid_time DIRECT TRANSFORMATION", *decides},
            "day": {"/orders.bid_time DIRECT TRANSFORMATION", *decides},
            "customer": {"/orders.email DIRECT TRANSFORMATION masked", *decides},
        }

    def test_of_the_summary(self, client: Client, played: Played) -> None:
        table = "/warehouse/cleaned_orders"
        decides = {f"{table}.supplier INDIRECT GROUP_BY", f"{table}.day INDIRECT GROUP_BY"}
        assert made_of(client, played, "supplier_summary") == {
            "supplier": {f"{table}.supplier DIRECT IDENTITY", *decides},
            "day": {f"{table}.day DIRECT IDENTITY", *decides},
            "orders": decides,
            "revenue": {f"{table}.price DIRECT AGGREGATION", *decides},
        }

    def test_each_day_is_a_run_of_the_stream_with_its_rows(
        self, client: Client, played: Played
    ) -> None:
        runs = client.read("/api/v1/namespaces/shop-live/jobs/clean-orders/runs")["runs"]
        # Spark leaves orders without a number out as it reads, and does not count them.
        lines: defaultdict[str, int] = defaultdict(int)
        for file in (played.folder / "live" / "orders").glob("*.json"):
            orders = file.read_text().splitlines()
            lines[file.name[:10]] += sum('"order_id": null' not in order for order in orders)
        assert [run["state"] for run in runs] == ["COMPLETED"] * 3
        # Newest first.
        days = sorted(lines, reverse=True)
        for run, day in zip(runs, days, strict=True):
            (read,) = run["inputDatasetVersions"]
            assert read["datasetVersionId"]["name"] == f"{played.place}/orders"
            assert read["facets"]["inputStatistics"]["rowCount"] == lines[day]
        written = [run["outputDatasetVersions"][0]["facets"] for run in runs]
        counted = [facets["outputStatistics"]["rowCount"] for facets in written]
        assert sum(counted) == len(cleaned(played.folder))

    def test_both_listeners_spoke_where_there_are_two(self, client: Client, played: Played) -> None:
        events = client.read("/api/v1/events/lineage", limit=100)["events"]
        of_scene = [event for event in events if event["job"]["namespace"] == "shop-live"]
        producers = {event["producer"].split("/")[2] for event in of_scene}
        own, stock = "headwater.example", "github.com"
        assert producers == ({own, stock} if played.is_stock else {own})


class TestShown:
    def test_from_the_files_to_the_summary(self, played: Played) -> None:
        steps = re.findall(r"^Orders of (\S+): 4 files have come", played.out, re.M)
        assert len(steps) == 3
        assert ("Going on without OpenLineage's own listener" in played.out) is not played.is_stock
        shown = re.findall(r"^\$ headwater lineage (.*)\n((?:.+\n)+)", played.out, re.M)[:3]
        chain, revenue, email = (text for _, text in shown)
        for name in ("supplier_summary", "cleaned_orders", "clean-orders", "live/orders"):
            assert name in chain
        assert re.search(r"cleaned_orders\.price .* DIRECT AGGREGATION", revenue)
        assert re.search(r"live/orders\.price .* DIRECT TRANSFORMATION", revenue)
        assert re.search(r"cleaned_orders\.customer .* masked", email)
        assert len(re.findall(r"^clean-orders +COMPLETED +1,0\d\d ", played.out, re.M)) == 3
        assert re.search(
            r"^(shop\.|write ).*supplier_summary( \(\w+\))? +COMPLETED ", played.out, re.M
        )
        assert "upstream of dashboards.executive_revenue " in played.out

    def test_a_second_start_shows_what_was_kept(self, played: Played) -> None:
        out = demo(played.folder, env=NO_JAVA)
        assert "--again runs it again" in out
        assert "Starting Spark" not in out
        assert _ageless(_live_part(out)) == _ageless(_live_part(played.out))

    def test_requested_again_it_is_run_anew(self, played: Played, tmp_path: Path) -> None:
        folder = shutil.copytree(played.folder, tmp_path / "copy")
        out = demo(folder, "--again", env=NO_JAVA)
        assert "Starting Spark" in out
        assert "--again" not in out
        assert "The live scene is skipped" in out


def test_without_java_there_is_one_line_and_the_other_scene(tmp_path: Path) -> None:
    out = demo(tmp_path / "here", env=NO_JAVA)
    (line,) = re.findall(r"^The live scene is skipped: (.*)", out, re.M)
    assert "Java 17 or newer is not installed" in line
    assert "supplier_summary --up" not in out
    assert "upstream of dashboards.executive_revenue " in out
    # Nor is it taken for played at the next start.
    assert "The live scene is skipped" in demo(tmp_path / "here", env=NO_JAVA)


@pytest.mark.parametrize("start", [[], IGNORING], ids=["", "in the background"])
def test_the_scene_ends_with_its_input(start: list[str], tmp_path: Path) -> None:
    """As when the demo is killed: at whatever step, also before Spark has started."""
    command = [sys.executable, "-m", "headwater.demo.live", str(tmp_path), "http://127.0.0.1:1"]
    ended = subprocess.run(
        [*start, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert (ended.returncode, ended.stderr) == (130, "")


def _live_part(out: str) -> str:
    """From the first command to the second scene."""
    return out[out.index("$ headwater") : out.index("Second, an example")]


def _ageless(text: str) -> str:
    """Without what changes while one reads it."""
    return re.sub(r" +", " ", re.sub(r"(\d+ \w+ ago|just now)", "...", text))
