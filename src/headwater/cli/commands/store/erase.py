"""`headwater db erase`: remove the events that name somebody, and what rests on them."""

import getpass
import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.opening import open_store
from headwater.cli.output.printing import Output, OutputOption
from headwater.cli.output.progress import steps
from headwater.cli.output.screen import Screen
from headwater.config import Settings, load_settings
from headwater.extras import is_installed, require

if TYPE_CHECKING:
    from headwater.pipeline.erase import FoundEvents
    from headwater.pipeline.lake.lake import Lake
    from headwater.store.engine import Engine
    from headwater.store.maintenance.selection import Selection

_LISTED = 50


def erase(
    matching: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Events that hold this text anywhere, in either case; - reads it from standard "
            "input, so that no shell history has it.",
        ),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option(help="Events that name a job or dataset of this namespace."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be removed.")
    ] = False,
    is_sure: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")
    ] = False,
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Erase events for good, from store and lake, with all that rests on them alone.

    Rejected bodies that hold the text go as well, and notes of events that wait for a target.
    Everything else that was reported stays: a job that other events name stays, without what the
    erased ones reported. Servers may keep running. Interrupted, run it again.

    Afterwards a list shows which files and systems may still hold them. `headwater log` tells that
    something was erased and when, not what. Events that are sent again are stored again.

    headwater db erase --matching anna@example.com --dry-run
    """
    from headwater.pipeline.erase import Erasure
    from headwater.store.maintenance.rebuild_lock import only_rebuild

    selection = _select(matching, namespace)
    settings = load_settings(store=store, data=data)
    with open_store(store, data) as engine, only_rebuild(engine):
        lake = _open_lake(settings)
        with steps() as show:
            found = Erasure(engine, lake, selection, show).find()
        if dry_run:
            _show(found, {}, [], output, "would be erased")
            return
        if not is_sure and not found.is_empty:
            _show(found, {}, [], Output.TEXT, "would be erased", is_error=True)
            typer.confirm("Erase them for good?", abort=True, err=True)
        with steps() as show:
            counts = Erasure(engine, lake, selection, show).apply(
                found, _actor(), settings.lake.is_on
            )
        left, places = _look_around(engine, selection, settings)
        _show(found, counts, places, output, "erased", left)


def _select(matching: str | None, namespace: str | None) -> "Selection":
    from headwater.store.maintenance.selection import HoldingText, InNamespace

    if (matching is None) == (namespace is None):
        raise typer.BadParameter("give one of the two", param_hint="--matching, --namespace")
    if namespace is not None:
        return InNamespace(namespace)
    return HoldingText(sys.stdin.read() if matching == "-" else matching or "")


def _open_lake(settings: Settings) -> "Lake | None":
    if not is_installed("lake") and not settings.lake_folder.is_dir():
        return None
    require("lake")
    from headwater.pipeline.lake.lake import Lake

    return Lake(settings.lake_folder)


def _actor() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "local"


def _look_around(
    engine: "Engine", selection: "Selection", settings: Settings
) -> tuple[Counter[str], list[str]]:
    """What the store still names, and other places that may hold what was erased."""
    from headwater.store.maintenance.leftovers import (
        count_leftovers,
        find_copies,
        list_other_places,
    )

    with engine.connect() as connection:
        left = count_leftovers(connection, selection)
        others = list_other_places(connection)
    copies = find_copies(engine, [settings.data], settings.lake_folder)
    return left, [*(f"file {copy}" for copy in copies), *others]


def _show(
    found: "FoundEvents",
    counts: "dict[str, int] | Counter[str]",
    places: list[str],
    output: Output,
    done: str,
    left: "Counter[str] | None" = None,
    is_error: bool = False,
) -> None:
    if output is Output.JSON:
        result = {
            "events": found.events,
            "kinds": dict(found.kinds),
            "inStore": found.in_store,
            "inLake": found.in_lake,
            "rejected": found.rejected,
            "rows": dict(counts),
            "stillNamedBy": dict(left or {}),
            "mayStillHoldThem": places,
        }
        typer.echo(json.dumps(result, indent=2))
        return
    screen = Screen(is_error=is_error)
    kinds = ", ".join(f"{count:,} of kind {kind}" for kind, count in sorted(found.kinds.items()))
    screen.say(
        f"{done}: {found.events:,} events{f' ({kinds})' if kinds else ''}, "
        f"{found.in_store:,} in the store and {found.in_lake:,} in the lake; "
        f"{found.rejected:,} rejected bodies"
    )
    if counts:
        rows = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
        screen.say(f"rows removed or changed: {rows}")
    for name, count in sorted((left or {}).items()):
        screen.say(
            f"{count:,} rows of table {name} still name it: no event says so any more", "yellow"
        )
    if left is not None:
        screen.say("may still hold them:")
        for place in places[:_LISTED]:
            screen.say(f"  {screen.clean(place)}")
        if len(places) > _LISTED:
            screen.say(f"  and {len(places) - _LISTED:,} more")
        screen.say("  backups elsewhere, logs, and blocks of the disk that are not yet overwritten")
