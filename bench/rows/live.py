"""What open pages cost a server that takes in events: a stream for each tab, and what tabs read."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import count
from multiprocessing import get_context
from random import Random
from time import perf_counter, sleep
from typing import NamedTuple
from urllib.parse import quote

import httpx2

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from testing import load
from testing.services.headwater import Headwater

TABS = 200
EVENTS_A_SECOND = 500
SECONDS = 30.0
HISTORY = 10_000
ROUNDS = 3
# Tabs are opened one after the other, and have read their pages once before anything is measured.
_OPENING_SECONDS = 10.0
_GET = "GET {} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept-encoding: gzip\r\n\r\n"


class Read(NamedTuple):
    announcements: int
    pages: int
    # Answered with 503: on a machine with too much to do, reads take too long.
    refused: int


def live_tabs(client: Client) -> list[Figure]:
    """500 events a second, alone and beside 200 tabs that follow a dataset, a job or Home each."""
    alone, beside, waits, longer, read = [], [], [], [], []
    with Headwater.start() as server, ProcessPoolExecutor(1, get_context("spawn")) as pool:
        client.send(server.port, partial(load.woven_batches, HISTORY))
        process.wait_until_idle(server.pid)
        numbers = count(1)
        for _ in range(ROUNDS):
            cpu, wait = _send(client, server, next(numbers))
            alone.append(cpu)
            waits.append(wait)
            seconds = _OPENING_SECONDS + SECONDS + 10
            tabs: Future[Read] = pool.submit(follow, server.port, TABS, seconds)
            sleep(_OPENING_SECONDS)
            cpu, wait = _send(client, server, next(numbers))
            beside.append(cpu)
            longer.append(wait)
            read.append(tabs.result())
            print(f"  {alone[-1].value:.1%} alone, {cpu.value:.1%} beside {read[-1]}", flush=True)
        stored = _count(server)
    sent = HISTORY + 2 * ROUNDS * round(EVENTS_A_SECOND * SECONDS)
    if stored != sent:
        raise RuntimeError(f"{sent - stored} of {sent} events are lost")
    more = [
        Sample((with_tabs.value - without.value) * 100, with_tabs.steal)
        for with_tabs, without in zip(beside, alone, strict=True)
    ]
    pages = [Sample(each.pages / (_OPENING_SECONDS + SECONDS + 10), 0.0) for each in read]
    return [
        Figure(f"{TABS} tabs live beside {EVENTS_A_SECOND} events/s, of a CPU", "%", more,
               limit=10),
        Figure("the server without them, of a CPU", "%",
               [Sample(each.value * 100, each.steal) for each in alone]),
        Figure("median wait for a 201 beside them, to alone", "x", ratios(longer, waits),
               limit=1.05),
        Figure("reads of their pages", "answers/s", pages),
    ]  # fmt: skip


def _send(client: Client, server: Headwater, turn: int) -> tuple[Sample, Sample]:
    """The CPU of the server while events come at a steady rate, and the median wait for them."""
    with process.meter(server.pid) as machine:
        sent = client.send(server.port, partial(paced, turn))
    return Sample(machine.cpu / machine.seconds, machine.steal), Sample(sent.p50, machine.steal)


def paced(turn: int) -> Iterator[bytes]:
    """Events of runs not sent before, at a steady rate."""
    most = round(EVENTS_A_SECOND * SECONDS)
    started = perf_counter()
    events = load.woven_events(most, start_run=turn * 1_000_000)
    for number, event in enumerate(events):
        if (early := started + number / EVENTS_A_SECOND - perf_counter()) > 0:
            sleep(early)
        yield event


def _count(server: Headwater) -> int:
    answer = httpx2.get(f"{server.url}/api/v1/events/lineage?limit=0", trust_env=False)
    return int(answer.json()["totalCount"])


def follow(port: int, tabs: int, seconds: float) -> Read:
    """Tabs in this process: each follows the stream, and reads its page when it is concerned."""
    return asyncio.run(_follow(port, tabs, seconds))


async def _follow(port: int, tabs: int, seconds: float) -> Read:
    random = Random(1)
    async with asyncio.TaskGroup() as group:
        opened = []
        for number in range(tabs):
            opened.append(group.create_task(_tab(port, page_of(number), seconds, random)))
            await asyncio.sleep(_OPENING_SECONDS / 2 / tabs)
    read = [task.result() for task in opened]
    return Read(*map(sum, zip(*read, strict=True)))


def page_of(number: int) -> tuple[str, Sequence[str]]:
    """The node a tab shows, empty for Home, and what its page asks."""
    jobs = load.woven_jobs()
    job = jobs[number % len(jobs)]
    if number % 10 == 0:
        return "", ["/api/v1/problems?limit=12", "/api/v1/systems", _HOURS]
    if number % 2:
        path = f"/api/v1/namespaces/{load.JOB_NAMESPACE}/jobs/{quote(job.name, safe='')}"
        return f"job:{load.JOB_NAMESPACE}:{job.name}", [path, f"{path}/runs?limit=50"]
    name = job.outputs[0].name
    namespace = quote(load.NAMESPACE, safe="")
    node = f"dataset:{load.NAMESPACE}:{name}"
    path = f"/api/v1/namespaces/{namespace}/datasets/{quote(name, safe='')}"
    return node, [path, f"/api/v1/lineage?nodeId={quote(node, safe='')}&depth=1"]


_HOURS = "/api/v1/stats/lineage-events?period=DAY"


async def _tab(port: int, page: tuple[str, Sequence[str]], seconds: float, random: Random) -> Read:
    node, paths = page
    loop = asyncio.get_running_loop()
    end, announcements, pages, refused, due = loop.time() + seconds, 0, 0, 0, 0.0
    stream, to_stream = await asyncio.open_connection("127.0.0.1", port)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    to_stream.write(_GET.format("/api/v1/live").encode())
    last = 0.0
    while (now := loop.time()) < end:
        try:
            line = await asyncio.wait_for(stream.readline(), min(end, due or end) - now)
        except TimeoutError:
            line = b""
        if line.startswith(b"data: "):
            announcements += 1
            changed = json.loads(line[6:])
            if not due and (changed["isAll"] or not node or node in changed["nodes"]):
                pause = changed["againAfterSeconds"]
                due = max(now + random.random() * pause / 4, last + max(pause, 5.0))
        if due and loop.time() >= due:
            for path in paths:
                is_answered = await _read(reader, writer, path)
                pages, refused = pages + is_answered, refused + (not is_answered)
            last, due = loop.time(), 0.0
    to_stream.close()
    writer.close()
    return Read(announcements, pages, refused)


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> bool:
    writer.write(_GET.format(path).encode())
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if not head.startswith((b"http/1.1 200", b"http/1.1 503")):
        raise RuntimeError(f"{path}: {head[:100]!r}")
    length = head.partition(b"content-length: ")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(length))
    return head.startswith(b"http/1.1 200")
