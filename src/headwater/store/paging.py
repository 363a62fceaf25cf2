"""A page of a list."""

from typing import NamedTuple


class Page(NamedTuple):
    limit: int
    offset: int
