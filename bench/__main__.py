"""Runs the rows, prints the table, and writes docs/benchmarks.md."""

import argparse
import signal
import sys
import time
from collections.abc import Sequence

from bench import report
from bench.client import Client
from bench.figure import Figure
from bench.rows import ROWS, Row
from testing import load
from testing.services.process import StartFailed


def main() -> int:
    """Return 0 if every target is met."""
    # Without this a SIGTERM would leave the servers behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = _parse()
    if options.list:
        print("\n".join(row.name + (" (full)" if row.is_full_only else "") for row in ROWS))
        return 0
    rows = [row for row in ROWS if _is_chosen(row, options)]
    print(f"events of {load.mean_size():,.0f} bytes in the mean", flush=True)
    figures, failed = _measure(rows)
    if figures:
        print(f"\n{report.machine()}\n\n{report.text_table(figures)}")
    # A part of the table is no table: the page keeps its last whole one.
    if not failed and not options.only:
        report.write("make bench-full" if options.full else "make bench", figures)
    missed = [figure.what for figure in figures if not figure.is_met]
    for what in (*missed, *failed):
        print(f"not met: {what}")
    return 1 if missed or failed else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the large rows as well")
    parser.add_argument("--only", metavar="NAME", choices=[row.name for row in ROWS])
    parser.add_argument("--list", action="store_true", help="name the rows")
    return parser.parse_args()


def _is_chosen(row: Row, options: argparse.Namespace) -> bool:
    if options.only:
        return bool(row.name == options.only)
    return bool(options.full or not row.is_full_only)


def _measure(rows: Sequence[Row]) -> tuple[list[Figure], list[str]]:
    figures: list[Figure] = []
    failed: list[str] = []
    with Client() as client:
        for row in rows:
            print(row.name, flush=True)
            started = time.perf_counter()
            try:
                figures += row.measure(client)
            except (RuntimeError, StartFailed) as error:
                # The other rows are still worth their minutes.
                print(f"  {error}", flush=True)
                failed.append(f"{row.name}: not measured")
            print(f"  {time.perf_counter() - started:.0f} s", flush=True)
    return figures, failed


if __name__ == "__main__":
    sys.exit(main())
