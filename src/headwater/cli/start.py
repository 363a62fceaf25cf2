"""The program `headwater`: its commands, where the libraries that they need are installed."""

import sys
from collections.abc import Sequence

from headwater.errors import NotInstalled
from headwater.extras import require

# Of the first word of a command; the others speak to a server, and need `cli` alone.
_NEEDED = {
    "config": ("server",),
    "db": ("server",),
    "demo": ("server",),
    "ingest": ("server", "lake", "spark"),
    "keys": ("server",),
    "lake": ("server", "lake"),
    "publish": ("server",),
    "rebuild": ("server", "lake", "spark"),
    "serve": ("server",),
    "sql": ("sql",),
}


def run() -> None:
    """Run a command, or say in one line what has to be installed for it."""
    try:
        require(*needed_extras(sys.argv[1:]))
    except NotInstalled as error:
        print(f"headwater: {error.message}", file=sys.stderr)
        sys.exit(1)
    # The commands load Typer, which is not in the core.
    from headwater.cli.main import run as run_command

    run_command()


def needed_extras(arguments: Sequence[str]) -> Sequence[str]:
    """The extras that a command cannot do without; its help needs less."""
    if not arguments or "--help" in arguments:
        return ("cli",)
    return _NEEDED.get(arguments[0], ("cli",))
