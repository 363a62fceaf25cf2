"""Which tables of a catalog are read, and how far their lineage is followed."""

from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import Field

from headwater.config import Section
from headwater.model.naming import DatasetName

_MOST_STEPS = 50


class TableChoice(Section):
    """The settings that all collectors of catalogs have."""

    include: str = Field(
        default="*", description="Patterns of tables by their whole names, separated by spaces."
    )
    exclude: str = Field(default="", description="Patterns of tables to leave out.")
    tables: tuple[str, ...] = Field(
        default=(),
        description="Read these tables, by their whole names, and what is linked to them, "
        "instead of all. Can be repeated.",
        json_schema_extra={"metavar": "NAME"},
    )
    depth: int = Field(
        default=5,
        ge=0,
        le=_MOST_STEPS,
        description="How many steps of lineage are followed from there.",
    )
    state: Path = Field(
        default=Path("headwater-data/collect"),
        description="Folder that remembers what was reported, so that only changes are sent.",
    )

    def table_of(self, name: DatasetName) -> str | None:
        """The table of this catalog that a dataset is, by its whole name there."""
        raise NotImplementedError

    def is_chosen(self, table: str) -> bool:
        is_included = any(fnmatchcase(table, each) for each in self.include.split())
        return is_included and not self.leaves_out(table)

    def leaves_out(self, name: str) -> bool:
        """Whether a table, or a folder of tables as `NAME.*`, is not to be read."""
        return any(fnmatchcase(name, each) for each in self.exclude.split())
