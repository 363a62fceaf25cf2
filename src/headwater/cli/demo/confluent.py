"""`headwater demo confluent`: a Confluent Cloud on this machine, read like a real one."""

import threading
from pathlib import Path
from typing import Any

import msgspec
import typer

from headwater.cli.api.client import Client
from headwater.cli.api.delivery import Tally, deliver
from headwater.cli.api.node_lookup import find_node
from headwater.cli.commands.lineage.lineage import Question, ask_lineage, show_lineage
from headwater.cli.commands.serve import ListeningServer, run_server
from headwater.cli.output.printing import Output
from headwater.cli.output.screen import Screen
from headwater.collect.confluent import ConfluentCollector, ConfluentSettings
from headwater.config import load_settings
from headwater.demo.confluent.cloud import serve_cloud
from headwater.demo.confluent.connection import connection_settings
from headwater.demo.confluent.example import build_example, crawler_event
from headwater.graph.answer import Side
from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade

_HOST = "127.0.0.1"
_ABOUT = (
    "\nAn account of Confluent Cloud on this machine, at {url}:"
    "\n  PostgreSQL -> connector -> topic -> ksqlDB -> Delta -> Glue, in env-abc"
    "\n  generator -> topic -> Flink -> Tableflow -> Unity Catalog, in env-26wn6m"
)
_UP, _DOWN = Question(sides=(Side.UPSTREAM,)), Question(sides=(Side.DOWNSTREAM,))
_CATALOG_TABLE = (
    "dataset:databricks://https://dbc-7c6e0c41-4172.cloud.databricks.com:"
    "lb_uc_75083e95.lkc-mjnq51.lineage_bridge_enriched_orders"
)
_SHOWN = (
    ("lineage dataset:postgres://db.example.com:5432:orders.public.orders --down", _DOWN),
    (f"lineage {_CATALOG_TABLE} --up", _UP),
)
_JSON = {"Content-Type": "application/json"}


class ConfluentDemo:
    """Collects from the stand-in once the server listens, and shows what came of it."""

    def __init__(self, values: dict[str, Any], once: bool) -> None:
        self.failure: Exception | None = None
        self._values = values
        self._once = once

    def start(self, server: ListeningServer) -> None:
        threading.Thread(target=self._run, args=(server,), name="confluent", daemon=True).start()

    def _run(self, server: ListeningServer) -> None:
        try:
            with Client(server.url) as client:
                self._show(client)
            typer.echo(f"\nOpen {server.url} in a browser (Ctrl-C stops the server).")
        except Exception as error:
            self.failure = error
        if self._once or self.failure is not None:
            server.stop()

    def _show(self, client: Client) -> None:
        typer.echo(_ABOUT.format(url=self._values["url"]))
        collector = ConfluentCollector(ConfluentSettings(**self._values), client.url)
        tally = Tally(Output.TEXT)
        deliver(collector, client, tally, lambda event: None)
        crawled = msgspec.json.encode(crawler_event())
        client.send("POST", "/api/v1/lineage", content=crawled, headers=_JSON)
        tally.print_summary()
        screen = Screen()
        for arguments, question in _SHOWN:
            screen.say(f"\n$ headwater {arguments}", "bold")
            node = find_node(client, arguments.split()[1])
            show_lineage(screen, ask_lineage(client, node, question), node, question)


def run_confluent_demo(port: int, data: Path, once: bool) -> None:
    """Serve until stopped; `once` ends it when everything was shown."""
    folder = data / "confluent"
    folder.mkdir(parents=True, exist_ok=True)
    store = f"sqlite:///{folder.absolute() / 'headwater.db'}"
    engine = open_engine(store)
    try:
        upgrade(engine)
    finally:
        engine.dispose()
    with serve_cloud(build_example()) as cloud:
        values = connection_settings(cloud, folder.absolute() / "keys")
        settings = load_settings(
            data=folder,
            store=store,
            server={"host": _HOST, "port": port},
            auth={"keys": ""},
            lake={"folder": ""},
            collect={"confluent": {**values, "keys": list(values["keys"])}},
        )
        demo = ConfluentDemo(values, once)
        run_server(settings, demo.start)
    if demo.failure is not None:
        raise demo.failure
