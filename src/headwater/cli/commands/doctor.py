"""`headwater doctor`: what is wrong here, and what to do about it."""

from collections.abc import Iterator
from typing import Annotated

import typer

from headwater.cli.commands.doctor_server import Finding, examine_server
from headwater.cli.output.printing import Output, OutputOption, print_rows


def doctor(
    server: Annotated[
        str, typer.Option("--server", metavar="URL", help="Check a running server instead.")
    ] = "",
    output: OutputOption = Output.TEXT,
) -> None:
    """Check the settings, the store, the disk, the clock and the versions.

    Each line is a result and, for a problem, the remedy. Exit code 1 if there is a problem;
    warnings do not count.

        headwater doctor
        headwater doctor --server http://lineage:5000
    """
    findings = list(examine_server(server) if server else _examine())
    rows = [finding._asdict() for finding in findings]
    print_rows(rows, ("check", "state", "found", "what_to_do"), output, empty="")
    if any(finding.state == "problem" for finding in findings):
        raise typer.Exit(1)


def _examine() -> Iterator[Finding]:
    # The store's libraries, which the checks of a server do without.
    from headwater.cli.commands.doctor_machine import examine

    return examine()
