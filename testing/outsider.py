"""A collector and a publisher of somebody else's package, installed as pip does it.

Their code is what docs/adding-a-system.md prints: whoever copies it has what the tests run.
"""

import re
from pathlib import Path
from textwrap import dedent

NAME = "headwater-clock"
_PAGE = Path(__file__).parents[1] / "docs" / "adding-a-system.md"

ENTRY_POINTS = """[headwater.collectors]
clock = headwater_clock:ClockCollector
broken = headwater_clock_broken:Clock
needy = headwater_clock_needy:Clock
files = headwater_clock:ClockCollector

[headwater.publishers]
journal = headwater_journal:JournalPublisher
broken = headwater_clock_broken:Clock
status = headwater_clock:ClockCollector
"""

METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: 1.0
Summary: Lineage of clocks.
"""


def install(folder: Path) -> None:
    """Put the package into a folder of modules, with what its wheel says of it."""
    for module, name in (
        ("headwater_clock", "ClockCollector"),
        ("headwater_journal", "JournalPublisher"),
    ):
        (folder / f"{module}.py").write_text(printed_class(name))
    (folder / "headwater_clock_broken.py").write_text("raise ValueError('out of order')\n")
    (folder / "headwater_clock_needy.py").write_text("import cogwheels\n")
    about = folder / "headwater_clock-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(METADATA)
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    (about / "RECORD").write_text("")
    (about / "INSTALLER").write_text("tests\n")


def printed_class(name: str) -> str:
    """The block of code of the page that has a class."""
    blocks = re.findall(r"(?:^(?: {4}.*)?\n)+", _PAGE.read_text(), re.MULTILINE)
    (found,) = (block for block in blocks if f"class {name}:" in block)
    return dedent(found).strip() + "\n"
