"""What a search costs in a store of 100,000 names, as they are typed and mistyped."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from uuid import UUID

import httpx2
import msgspec

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample
from bench.rows.woven import UNCOMPRESSED
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade
from headwater.store.write.writer import open_writer
from testing import load
from testing.services.headwater import Headwater

JOBS = 30_000
REPEATS = 5
READS = 20
_AT_ONCE = 500
_SCHEMAS = 5_000


def _words(text: str) -> list[str]:
    return text.split()


LAYERS = _words("raw stg int fct dim mart landing bronze silver gold tmp audit")
DOMAINS = _words(
    "sales finance marketing commerce logistics warehouse billing support identity risk fraud "
    "pricing catalog ads recommendations inventory procurement legal shipping returns loyalty "
    "partners mobile web telemetry operations"
)
THINGS = _words(
    "orders customers products invoices shipments accounts sessions clicks impressions "
    "transactions refunds subscriptions devices sensors employees contracts tickets campaigns "
    "coupons carts payments addresses categories suppliers stores regions currencies events "
    "messages alerts metrics profiles segments scores features predictions budgets forecasts "
    "ledgers entries balances statements claims policies quotes leads opportunities contacts "
    "agents calls chats surveys reviews ratings comments follows posts images videos files "
    "documents pages visits searches queries"
)
ENDINGS = _words(
    "daily hourly weekly monthly snapshot history enriched cleaned deduplicated aggregated "
    "summary latest delta archive backup joined final"
)
VERBS = _words("load sync export build refresh publish merge validate score compact")
KEYS = _words("id name code status type count total created_at updated_at amount region owner")
NAMESPACES = ("postgres://db.example:5432", "kafka://broker.example:9092", "s3://lake", "bigquery")

# Kinds of queries: the text, and whether anything is to be found.
QUERIES = {
    "one letter": ("o", True),
    "two letters": ("cu", True),
    "beginning": ("cust", True),
    "word": ("shipments", True),
    "common word": ("stg", True),
    "two words": ("invoices weekly", True),
    "word being typed": ("refunds mon", True),
    "three words": ("finance orders history", True),
    "wrong letter": ("shipmemts", True),
    "swapped letters": ("cusotmers", True),
    "column": ("customers_amount", True),
    "inside a word": ("pportun", True),
    "nothing": ("zebra", False),
}


def search(client: Client) -> list[Figure]:
    """As-you-type queries on SQLite, each kind by itself; the median of kinds and the worst."""
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        data = Path(folder)
        names = _fill(f"sqlite:///{data / 'headwater.db'}")
        print(f"  {names:,} names", flush=True)
        with Headwater.start(data=data) as server:
            process.wait_until_idle(server.pid)
            return _figures(server.port, server.pid)


def _figures(port: int, pid: int) -> list[Figure]:
    url = f"http://127.0.0.1:{port}/api/v1/"
    with httpx2.Client(base_url=url, headers=UNCOMPRESSED, trust_env=False) as http:
        whole = http.get("search", params={"q": WHOLE_NAME[0]}).json()
        if whole["results"][0]["name"] != WHOLE_NAME[0]:
            raise RuntimeError("a whole name is not found first")
        kinds = {**QUERIES, "whole name": (WHOLE_NAME[0], True)}
        costs = {name: _costs(http, pid, name, *query) for name, query in kinds.items()}
    middle, worst = [], []
    for repeat in range(REPEATS):
        samples = [some[repeat] for some in costs.values()]
        steal = max(sample.steal for sample in samples)
        middle.append(Sample(median(sample.value for sample in samples), steal))
        worst.append(Sample(max(sample.value for sample in samples), steal))
    return [
        Figure("search in 100,000 names, median of kinds", "CPU-ms", middle, limit=10),
        Figure("search in 100,000 names, worst kind", "CPU-ms", worst, limit=10),
    ]


def _costs(http: httpx2.Client, pid: int, kind: str, q: str, is_found: bool) -> list[Sample]:
    samples = []
    total = 0
    for _ in range(REPEATS):
        with process.meter(pid) as reading:
            for _ in range(READS):
                answer = http.get("search", params={"q": q}, timeout=60)
                if answer.status_code != 200:
                    raise RuntimeError(f"'{q}' answered {answer.status_code}: {answer.text[:200]}")
        total = answer.json()["totalCount"]
        if bool(total) != is_found:
            raise RuntimeError(f"'{q}' found {total}")
        samples.append(Sample(reading.cpu * 1000 / READS, reading.steal))
    value = median(sample.value for sample in samples)
    print(f"  {value:6.1f} CPU-ms, {total:7,} found  {kind}: {q}", flush=True)
    return samples


WHOLE_NAME: list[str] = []


def _fill(store: str) -> int:
    """Write the facts of the events, without a server; gives how many names there are."""
    engine = open_engine(store)
    upgrade(engine)
    names: set[str] = set()
    with closing(open_writer(engine)) as writer:
        some = []
        for event in _events(names):
            some.append(project(decode_event(msgspec.json.encode(event))))
            if len(some) == _AT_ONCE:
                writer.write(some)
                some = []
        writer.write(some)
    engine.dispose()
    WHOLE_NAME[:] = [max(names)]
    return len(names)


def _events(names: set[str]) -> Iterator[dict[str, Any]]:
    random = Random(load.SEED)
    schemas = [_schema(random) for _ in range(_SCHEMAS)]
    for number in range(JOBS):
        outputs = [
            {
                "namespace": random.choice(NAMESPACES),
                "name": _new(names, random, _dataset_name),
                "facets": {"schema": random.choice(schemas)},
            }
            for _ in range(2 + (number % 3 == 0))
        ]
        yield {
            "eventType": "COMPLETE",
            "eventTime": f"2025-01-{1 + number % 28:02d}T{number % 24:02d}:00:00Z",
            "producer": load.PRODUCER,
            "run": {"runId": str(UUID(int=number))},
            "job": {"namespace": "airflow", "name": _new(names, random, _job_name)},
            "outputs": outputs,
        }


def _new(names: set[str], random: Random, make: Any) -> str:
    while True:
        name: str = make(random)
        if name not in names:
            names.add(name)
            return name


def _dataset_name(random: Random) -> str:
    place = f"{random.choice(DOMAINS)}_{random.choice(('prod', 'dev', 'eu', 'us'))}"
    thing = f"{random.choice(THINGS)}_{random.choice(ENDINGS)}"
    ending = random.choice((f"_{random.randrange(1_000):03d}", "", f"_by_{random.choice(THINGS)}"))
    return f"{place}.{random.choice(LAYERS)}.{thing}{ending}"


def _job_name(random: Random) -> str:
    what = f"{random.choice(DOMAINS)}-{random.choice(THINGS)}-{random.choice(ENDINGS)}"
    return f"{random.choice(VERBS)}-{what}-{random.randrange(100)}"


def _schema(random: Random) -> dict[str, Any]:
    columns = {f"{random.choice(THINGS)}_{random.choice(KEYS)}" for _ in range(20)}
    return {"fields": [{"name": name, "type": "VARCHAR"} for name in sorted(columns)]}
