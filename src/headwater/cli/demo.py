"""`headwater demo`: a server with something in it."""

import logging
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple
from urllib.parse import quote

import typer

from headwater.cli.client import DEFAULT_URL, Client
from headwater.cli.demo_store import DemoStore, Note
from headwater.cli.demo_tour import Tour
from headwater.cli.diff import ask_diff
from headwater.cli.lineage import Question, ask_lineage
from headwater.cli.naming import find_node
from headwater.cli.path import ask_paths
from headwater.cli.screen import Screen
from headwater.cli.serve import Listening, run_server
from headwater.cli.sides import Side
from headwater.config import load_settings
from headwater.demo.streams import SCREENING
from headwater.demo.warehouse import SUMMARY_MODEL
from headwater.errors import HeadwaterError, InvalidRequest
from headwater.model import instant

if TYPE_CHECKING:
    from headwater.store.counts import Counts

_HOST = "127.0.0.1"
_INTERRUPTED = 130


def demo(
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 5000,
    data: Annotated[Path, typer.Option(help="Folder of the demo, made if it is not there.")] = Path(
        ".headwater-demo"
    ),
    once: Annotated[
        bool, typer.Option("--once", help="Load, see that the server answers, and end.")
    ] = False,
) -> None:
    """Start a server with a small shop's pipeline in it, from its database to a dashboard.

    The example ends at the time it is loaded: five days of runs, one of which failed last night,
    a column that was added two days ago, and a stream that has gone silent.

    It is loaded once; remove the folder to have it loaded anew. Ctrl-C ends the server.
    """
    _check_port(port)
    logging.basicConfig(level="WARNING")
    store = DemoStore(data)
    try:
        found = store.load()
        # Asked again it tells what it holds.
        note = found or store.load()
    except KeyboardInterrupt:
        typer.echo("stopped while loading; the next start completes it", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    counts = store.count()
    # Of whoever tries this out, no settings but the port matter: nor what a real server is for.
    settings = load_settings(
        data=data,
        store=store.url,
        server={"host": _HOST, "port": port},
        auth={"keys": ""},
        lake={"folder": ""},
    )
    assert note is not None
    # Before the server runs: the one that is told when it listens must not wait for its answers.
    tour = Tour(store.url, note.now)
    check = _Check()

    def announce(server: Listening) -> None:
        _print_welcome(store, found, counts)
        tour.show(Screen())
        _print_questions(server.url)
        if once:
            check.start(server)

    run_server(settings, announce)
    check.raise_failure()


def _check_port(port: int) -> None:
    """Tell before the example is loaded, not after."""
    try:
        socket.create_server((_HOST, port)).close()
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise InvalidRequest(
            "--port", f"cannot listen on {port} ({reason}); give another, or 0 for any free one"
        ) from None


class _Check:
    """Asks a server, from a thread of its own, all that its users are told to ask; then ends it."""

    def __init__(self) -> None:
        self._failure: HeadwaterError | None = None

    def start(self, server: Listening) -> None:
        threading.Thread(target=self._ask, args=(server,), name="check").start()

    def _ask(self, server: Listening) -> None:
        try:
            with Client(server.url) as client:
                for command in _COMMANDS:
                    command.ask(client)
                for _, path in _PATHS:
                    client.read(path)
        except HeadwaterError as error:
            self._failure = error
        finally:
            server.stop()

    def raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure


class _Command(NamedTuple):
    """A command to try, and how it asks the server."""

    what: str
    arguments: str
    ask: Callable[[Client], object]


_EMAIL = "shop.commerce.customers.email"
_COMMANDS = (
    _Command(
        "where an address goes: it is masked before it reaches the facts",
        f"lineage {_EMAIL} --down",
        lambda client: ask_lineage(
            client, find_node(client, _EMAIL), Question(sides=(Side.DOWNSTREAM,))
        ),
    ),
    _Command(
        "the whole pipeline as it was three days ago, as a picture",
        "lineage order-enrichment --as-of 3d -o mermaid",
        lambda client: ask_lineage(
            client,
            find_node(client, "order-enrichment"),
            Question(as_of=instant.now() - 3 * instant.DAY),
        ),
    ),
    _Command(
        "how an order reaches the dashboard",
        "path shop.commerce.orders executive_revenue --limit 1",
        lambda client: ask_paths(
            client,
            find_node(client, "shop.commerce.orders"),
            find_node(client, "executive_revenue"),
            limit=1,
        ),
    ),
    _Command(
        "all that changed upstream of the facts since then",
        "diff 3d now marts.orders_fact --up",
        lambda client: ask_diff(
            client,
            instant.now() - 3 * instant.DAY,
            instant.now(),
            find_node(client, "marts.orders_fact"),
            direction=Side.UPSTREAM,
        ),
    ),
)


def _path(kind: str, namespace: str, name: str, more: str = "") -> str:
    return f"/api/v1/namespaces/{quote(namespace, safe='')}/{kind}/{quote(name, safe='')}{more}"


_PATHS = (
    (
        "the latest runs of the summary: one failed last night, its second try did not",
        _path("jobs", *SUMMARY_MODEL, "/runs?limit=3"),
    ),
    ("a stream that has said nothing for hours", _path("jobs", *SCREENING.name)),
)


def _print_welcome(store: DemoStore, found: Note | None, counts: "Counts") -> None:
    parts = ", ".join(f"{count:,} {name}" for name, count in counts._asdict().items())
    if found is None:
        typer.echo(f"Loaded into {store.folder}: {parts}.")
    else:
        age = (instant.now() - found.now) // instant.DAY
        ended = f"; it ended {age} days ago, remove {store.folder} for a new one" if age else ""
        typer.echo(f"Found in {store.folder}: {parts}{ended}.")
    typer.echo(
        "\n  PostgreSQL orders, customers -> CDC -> Kafka -> order-enrichment -> Kafka -> sink"
        "\n  -> warehouse raw.orders_enriched -> orders_fact -> daily_revenue_summary -> dashboard"
    )


def _print_questions(url: str) -> None:
    typer.echo("\nTry next, in another terminal:")
    server = "" if url == DEFAULT_URL else f" --server {url}"
    for command in _COMMANDS:
        typer.echo(f"\n  # {command.what}\n  headwater {command.arguments}{server}")
    for what, path in _PATHS:
        typer.echo(f"\n  # {what}\n  curl -s '{url}{path}'")
    typer.echo(f"\nHeadwater listens on {url} (Ctrl-C ends it); all calls: {url}/docs")
