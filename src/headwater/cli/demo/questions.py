"""Commands that the demo suggests, and also runs itself."""

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

import typer

from headwater.cli.api.client import DEFAULT_URL, Client
from headwater.cli.api.node_lookup import find_node
from headwater.cli.commands.lineage.diff import ask_diff
from headwater.cli.commands.lineage.lineage import Question, ask_lineage
from headwater.cli.commands.lineage.path import ask_paths
from headwater.demo.streams import SCREENING
from headwater.demo.warehouse import SUMMARY_MODEL
from headwater.graph.answer import Side
from headwater.model.values import instant


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
    ("a stream that has sent no events for hours", _path("jobs", *SCREENING.name)),
)


def print_questions(url: str) -> None:
    """Print what to try next, against the server at a URL."""
    typer.echo("\nTry next, in another terminal:")
    server = "" if url == DEFAULT_URL else f" --server {url}"
    for command in _COMMANDS:
        typer.echo(f"\n  # {command.what}\n  headwater {command.arguments}{server}")
    for what, path in _PATHS:
        typer.echo(f"\n  # {what}\n  curl -s '{url}{path}'")


def ask_questions(client: Client) -> None:
    """Ask all of it; what does not work is raised."""
    for command in _COMMANDS:
        command.ask(client)
    for _, path in _PATHS:
        client.read(path)
