"""The scenes of the demo, shown from a thread of their own beside the server that they ask."""

import threading
from typing import NamedTuple

import typer

from headwater.cli.api.client import Client
from headwater.cli.commands.serve import ListeningServer
from headwater.cli.demo.folder import DemoStore, Note
from headwater.cli.demo.live import LiveScene
from headwater.cli.demo.questions import ask_questions, print_questions
from headwater.cli.demo.tour import show_example, show_live
from headwater.cli.output.screen import Screen
from headwater.cli.output.times import describe_age
from headwater.demo import example
from headwater.demo.streams import BY_THE_MINUTE
from headwater.errors import HeadwaterError
from headwater.model.values import instant

_LIVE = (
    "\nFirst, live: files of orders -> clean-orders, a Spark stream -> cleaned_orders"
    "\n  -> a Spark batch job -> supplier_summary"
)
_EXAMPLE = (
    "\nSecond, an example:"
    "\n  PostgreSQL orders, customers -> CDC -> Kafka -> order-enrichment -> Kafka -> sink"
    "\n  -> warehouse raw.orders_enriched -> orders_fact -> daily_revenue_summary -> dashboard"
)


_BEAT_SECONDS = 30
_JSON = {"Content-Type": "application/json"}


class _Stopped(HeadwaterError):
    """Nobody looks any more."""


class DemoOptions(NamedTuple):
    """The options of the demo."""

    has_live: bool
    again: bool
    once: bool


class Scenes:
    """Shows both scenes once the server listens, and ends with it."""

    def __init__(self, store: DemoStore, note: Note, is_new: bool, choices: DemoOptions) -> None:
        """`note` is that of the example, which is new or was there before."""
        self.are_shown = False
        self._store = store
        self._note = note
        self._is_new = is_new
        # Of the example alone, while there is nothing else.
        self._counts = store.count()
        self._choices = choices
        self._is_stopped = threading.Event()
        self._failure: Exception | None = None
        self._live: LiveScene | None = None
        self._thread: threading.Thread | None = None

    def start(self, server: ListeningServer) -> None:
        self._live = LiveScene(self._store.live, server.url)
        self._thread = threading.Thread(target=self._run, args=(server,), name="scenes")
        self._thread.start()

    def stop(self) -> None:
        """End what is under way, Spark included."""
        self._is_stopped.set()
        if self._live is not None:
            self._live.stop()
        if self._thread is not None:
            self._thread.join()

    def raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _run(self, server: ListeningServer) -> None:
        try:
            # A server that ends is not waited for.
            with Client(server.url, sleep=self._pause) as client:
                self._show(server.url, client)
                self.are_shown = True
                if not self._choices.once:
                    self._go_on(client)
        except Exception as error:
            if not self._is_stopped.is_set():
                self._failure = error
        finally:
            if self._choices.once or self._failure is not None:
                server.stop()

    def _go_on(self, client: Client) -> None:
        """Send what the example's jobs report from now on, until the server stops."""
        sent = max(self._note.now, instant.now() - BY_THE_MINUTE)
        while not self._is_stopped.is_set():
            until = instant.now()
            for event in example.make_next_events(self._note.now, sent, until):
                self._end_if_stopped()
                client.send("POST", "/api/v1/lineage", content=event, headers=_JSON)
            sent = until
            self._is_stopped.wait(_BEAT_SECONDS)

    def _pause(self, seconds: float) -> None:
        self._is_stopped.wait(seconds)
        self._end_if_stopped()

    def _end_if_stopped(self) -> None:
        if self._is_stopped.is_set():
            raise _Stopped

    def _show(self, url: str, client: Client) -> None:
        if self._choices.has_live:
            typer.echo(f"Headwater listens on {url}")
            self._show_live(client)
        self._print_welcome()
        show_example(Screen(), client, self._note.now)
        print_questions(url)
        typer.echo(f"\nOpen {url} in a browser (Ctrl-C stops the server); API: {url}/docs")
        if self._choices.once:
            ask_questions(client)

    def _show_live(self, client: Client) -> None:
        """Show the live scene; where it cannot be had there is still the other."""
        typer.echo(_LIVE)
        try:
            self._play(client)
            show_live(Screen(), client)
        except (HeadwaterError, OSError) as error:
            self._end_if_stopped()
            typer.echo(f"The live scene is skipped: {error}")

    def _play(self, client: Client) -> None:
        assert self._live is not None
        played_at = None if self._choices.again else self._store.find_live()
        if played_at is not None:
            age = describe_age(instant.format_instant(played_at), instant.now())
            typer.echo(f"It ran {age} and is kept in {self._store.folder}; --again runs it again.")
            return
        self._store.forget_live()
        self._live.run(client)
        self._end_if_stopped()
        self._store.keep_live()

    def _print_welcome(self) -> None:
        typer.echo(_EXAMPLE)
        folder = self._store.folder
        parts = ", ".join(f"{count:,} {name}" for name, count in self._counts._asdict().items())
        if self._is_new:
            typer.echo(f"Loaded into {folder}: {parts}.")
        else:
            age = (instant.now() - self._note.now) // instant.DAY
            ended = f"; it ended {age} days ago, remove {folder} for a new one" if age else ""
            typer.echo(f"Found in {folder}: {parts}{ended}.")
