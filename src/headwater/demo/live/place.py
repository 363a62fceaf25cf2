"""What the scene is called and where it is, for those who run it and those who show it."""

from pathlib import Path
from typing import NamedTuple

# A new number makes `headwater demo` run the scene anew.
VERSION = 1

NAMESPACE = "shop-live"
APPLICATION = "shop"
STREAM = "clean-orders"
CLEANED = "cleaned_orders"
SUMMARY = "supplier_summary"

# What the program of the scene says last: that all is done, or why it is not.
PLAYED = "played"
FAILED = "failed: "

# Orders of so many days come in, and the stream runs once for each.
DAYS = 3


class Place(NamedTuple):
    """The folder of the scene."""

    folder: Path

    @property
    def orders(self) -> Path:
        return self.folder / "orders"

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    @property
    def warehouse(self) -> Path:
        return self.folder / "warehouse"
