"""The table, on the terminal and in docs/benchmarks.md."""

import os
import platform
import sqlite3
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.figure import HEADINGS, Figure
from bench.process import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"

INTRODUCTION = """# Benchmarks

`make bench` and `make bench-full` write this page, each its own part;
[bench/README.md](../bench/README.md) describes the rows. CPU-ms are of the server's process, all
threads, and of PostgreSQL where named; the load client is not counted. Stolen CPU inflates them:
see `steal`.
"""


def text_table(figures: Sequence[Figure]) -> str:
    """Lay the figures out in columns."""
    lines = [HEADINGS, *(figure.cells() for figure in figures)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def markdown_table(figures: Sequence[Figure]) -> str:
    """Write the figures as a Markdown table."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *(figure.cells() for figure in figures)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(command: str, figures: Sequence[Figure], page: Path = PAGE) -> None:
    """Rewrite the part of the page that belongs to a command, and leave the other as it is."""
    text = page.read_text() if page.exists() else INTRODUCTION
    begin, end = f"<!-- begin {command} -->\n", f"<!-- end {command} -->\n"
    part = f"{begin}## {command}\n\n{machine()}\n\n{markdown_table(figures)}\n{end}"
    before, found, rest = text.partition(begin)
    after = rest.partition(end)[2] if found else ""
    separator = "" if found else "\n"
    page.parent.mkdir(exist_ok=True)
    page.write_text(f"{before}{separator}{part}{after}")


def machine() -> str:
    """Describe where and on what the figures were taken."""
    facts = (
        f"{os.cpu_count()} cores ({_processor()})",
        f"{platform.system()} {platform.machine()}",
        f"Python {platform.python_version()}",
        f"SQLite {sqlite3.sqlite_version}",
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"commit {_commit()}",
    )
    return ", ".join(facts) + "."


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unnamed"


def _commit() -> str:
    changes = _git("status", "--porcelain", "--", "src", "bench")
    return _git("rev-parse", "--short", "HEAD") + (" with changes" if changes else "")


def _git(*arguments: str) -> str:
    done = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"
