"""What the web UI costs the browser that shows it: views of graphs, panning, a wide table.

First views are of tabs opened anew, with nothing in their cache; `bench.browser` says what is
counted.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as PlaywrightError

from bench import process
from bench.browser import Tab, longest_task, open_tab
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from headwater.server.web.pages import BUILT
from testing import load
from testing.services.chromium import open_browser
from testing.services.headwater import Headwater
from testing.site import wait_until_read

REPEATS = 3
# Nodes of the graphs, and of their layers.
GRAPHS = {200: 12, 500: 20, 5_000: 60}
LAYOUT_SCRIPT = "elk-worker"
PAN_STEPS = 60
# After all events of the graphs.
LATER = "2025-06-01T00:00:00Z"
PAN_PIXELS = 12

_NO_LAKE = {"HEADWATER__LAKE__IS_ON": "false"}
_EMPTY_PLACE = """() => {
  const canvas = document.querySelector(".react-flow");
  const { left, right, top, bottom } = canvas.getBoundingClientRect();
  for (let x = right - 20; x > left; x -= 20)
    for (let y = bottom - 20; y > top; y -= 20)
      if (document.elementFromPoint(x, y).matches(".react-flow__pane")) return [x, y];
}"""
_NEXT_FRAME = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
)


class Seen(NamedTuple):
    """What a first view took."""

    cpu: Sample  # seconds
    layout: Sample  # seconds of it, in the worker
    kilobytes: Sample  # received, without the script of the layout


def web_ui(client: Client) -> list[Figure]:
    """First views of a graph and of one that is cut, and a table of 2,000 columns."""
    first, wide, large, longest = [], [], [], []
    views: dict[str, list[Sample]] = {"as of a time": [], "compared with a time": []}
    with _filled(client, 200, 5_000) as server, open_browser() as browser:
        client.send(server.port, partial(load.wide_events, range(1), range(1)))
        for _ in range(REPEATS):
            with open_tab(browser, server.url) as tab:
                first.append(_see(tab, server.url + _graph(200)))
                wide.append(_open_wide(tab, server.url))
            for cpu, at in zip(views.values(), ({"asof": LATER}, {"since": LATER}), strict=True):
                with open_tab(browser, server.url) as tab:
                    cpu.append(_see(tab, server.url + _graph(200, **at)).cpu)
            with open_tab(browser, server.url) as tab, longest_task(tab) as task:
                large.append(_see(tab, server.url + _graph(5_000)))
            longest.append(Sample(task.milliseconds, large[-1].cpu.steal))
    return [
        Figure("web UI: first view of a graph of 200 nodes, nothing cached", "CPU-s",
               [seen.cpu for seen in first], limit=1.5),
        Figure("of it layout, in its worker", "CPU-s", [seen.layout for seen in first]),
        Figure("received for it, without the layout's script", "kB",
               [seen.kilobytes for seen in first], limit=600),
        *(Figure(f"web UI: the same {name}, to now", "x",
                 ratios(cpu, [seen.cpu for seen in first]), limit=2)
          for name, cpu in views.items()),
        Figure("web UI: first view of a component of 5,000 nodes", "CPU-s",
               [seen.cpu for seen in large], limit=2),
        Figure("its longest task on the main thread", "CPU-ms", longest),
        Figure("web UI: longest task of opening a table of 2,000 columns", "CPU-ms", wide,
               limit=50),
    ]  # fmt: skip


def web_ui_columns(client: Client) -> list[Figure]:
    """A graph of 500 nodes with the columns of every dataset open, and panning over it."""
    with _filled(client, 500) as server, open_browser() as browser:
        panned = [_pan(browser, server.url) for _ in range(REPEATS)]
    return [
        Figure("web UI: 500 nodes with columns open, layout in its worker", "CPU-s",
               [layout for layout, _ in panned], limit=1),
        Figure("a step of panning over them, main thread", "CPU-ms",
               [step for _, step in panned], limit=16),
    ]  # fmt: skip


@contextmanager
def _filled(client: Client, *graphs: int) -> Iterator[Headwater]:
    if not (BUILT / "index.html").exists():
        raise RuntimeError("the web UI is not built; run make ui")
    with Headwater.start(env=_NO_LAKE) as server:
        for nodes in graphs:
            client.send(server.port, partial(_events, nodes))
        try:
            yield server
        except PlaywrightError as error:
            raise RuntimeError(f"the browser failed: {error}") from error


def _see(tab: Tab, url: str) -> Seen:
    with process.meter() as machine:
        before = tab.cpu()
        _show(tab, url)
        cpu, layout = tab.cpu() - before, tab.worker_cpu()
    received = sum(size for name, size in tab.received.items() if LAYOUT_SCRIPT not in name) / 1e3
    print(f"  {cpu:6.2f} CPU-s, {layout:.2f} in the worker, {received:,.0f} kB", flush=True)
    return Seen(*(Sample(value, machine.steal) for value in (cpu, layout, received)))


def _open_wide(tab: Tab, url: str) -> Sample:
    """From the graph to the page of a table with 2,000 columns."""
    node = f"dataset:{load.NAMESPACE}:wide.target_0"
    with process.meter() as machine:
        _show(tab, f"{url}/lineage?{urlencode({'node': node})}")
        with longest_task(tab) as task:
            tab.page.get_by_role("button", name="Show columns of wide.target_0").click()
            tab.page.locator(".node-column").first.wait_for()
            tab.page.locator(".wire.column").first.wait_for(state="attached")
            tab.page.get_by_role("link", name="Open page").click()
            tab.page.locator(".virtual-row").first.wait_for()
            tab.settle()
    print(f"  {task.milliseconds:6.1f} CPU-ms, the longest task of 2,000 columns", flush=True)
    return Sample(task.milliseconds, machine.steal)


def _pan(browser: Browser, url: str) -> tuple[Sample, Sample]:
    """Seconds of layout, and milliseconds of a step."""
    names = {table.name for job in component(500) for table in (*job.inputs, *job.outputs)}
    opened = ",".join(f"dataset:{load.NAMESPACE}:{name}" for name in sorted(names))
    with open_tab(browser, url) as tab, process.meter() as machine:
        _show(tab, url + _graph(500, columns=opened))
        layout = tab.worker_cpu()
        before = tab.main_thread_cpu()
        _drag(tab.page)
        step = (tab.main_thread_cpu() - before) * 1000 / PAN_STEPS
    print(f"  {layout:6.2f} CPU-s of layout, {step:.1f} CPU-ms a step of panning", flush=True)
    return Sample(layout, machine.steal), Sample(step, machine.steal)


def _drag(page: Page) -> None:
    x, y = page.evaluate(_EMPTY_PLACE)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, PAN_STEPS + 1):
        page.mouse.move(x - step * PAN_PIXELS, y)
        page.evaluate(_NEXT_FRAME)
    page.mouse.up()


def _show(tab: Tab, url: str) -> None:
    tab.page.goto(url)
    tab.page.locator(".wire").first.wait_for(state="attached")
    # The network is never idle: pages follow what happens.
    wait_until_read(tab.page)
    tab.settle()


def _graph(nodes: int, **more: str) -> str:
    node = f"dataset:{load.NAMESPACE}:{nodes}.focus"
    return f"/lineage?{urlencode({'node': node, 'up': 20, 'down': 20, **more})}"


def _events(nodes: int) -> Iterator[bytes]:
    return load.one_run_each(component(nodes))


def component(nodes: int) -> list[load.Job]:
    """Jobs around one dataset, half of them upstream of it: so many nodes, in layers so wide."""
    focus = _table(f"{nodes}.focus")
    ways = (("up", nodes // 2), ("down", nodes - nodes // 2))
    return [job for way, share in ways for job in _until(share, _grow(focus, way, GRAPHS[nodes]))]


def _grow(focus: load.Dataset, way: str, width: int) -> Iterator[load.Job]:
    layer = [focus]
    for hop in count(1):
        size = min(width, 2 * len(layer))
        beyond = [_table(f"{focus.name}_{way}_{hop:02}_{index:02}") for index in range(size)]
        yield from _joined(layer, beyond) if way == "up" else _joined(beyond, layer)
        layer = beyond


def _until(nodes: int, jobs: Iterator[load.Job]) -> Iterator[load.Job]:
    """Jobs as long as they are no more nodes than that with their datasets."""
    found: set[str] = set()
    for job in jobs:
        found |= {job.name, *(table.name for table in (*job.inputs, *job.outputs))}
        if len(found) > nodes:
            return
        yield job


def _joined(targets: Sequence[load.Dataset], sources: Sequence[load.Dataset]) -> Iterator[load.Job]:
    """A job for each target, which reads two sources; together they read all."""
    for index, target in enumerate(targets):
        near = sources[2 * index % len(sources)], sources[(2 * index + 1) % len(sources)]
        yield load.Job(f"load_{target.name}", tuple(dict.fromkeys(near)), (target,))


def _table(name: str) -> load.Dataset:
    fields = tuple((f"c{column:02}", load.TYPES[column % 5]) for column in range(load.COLUMNS))
    return load.Dataset(name, fields)
