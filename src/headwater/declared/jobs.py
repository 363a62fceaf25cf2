"""Declared jobs, as their files state them, with the place of each for messages."""

from pathlib import Path
from typing import NamedTuple

from headwater.declared.form import CodePlace, DeclaredField
from headwater.model.naming import DatasetName


class DeclaredSource(NamedTuple):
    """A dataset that a job reads or writes."""

    name: DatasetName
    reference: str
    """As the file names it."""
    fields: tuple[DeclaredField, ...] = ()
    tags: tuple[str, ...] = ()
    description: str | None = None


class DeclaredColumn(NamedTuple):
    """A column that another one is made of."""

    dataset: DatasetName
    field: str


class FilePlace(NamedTuple):
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class DeclaredJob(NamedTuple):
    namespace: str
    name: str
    type: str | None
    inputs: tuple[DeclaredSource, ...]
    outputs: tuple[DeclaredSource, ...]
    columns: dict[DatasetName, dict[str, list[DeclaredColumn]]]
    owners: tuple[str, ...]
    description: str | None
    sql: str | None
    dialect: str
    schedule: str | None
    tags: tuple[str, ...]
    url: str | None
    code: CodePlace | None
    groups: tuple[str, ...]
    place: FilePlace

    @property
    def folder(self) -> Path:
        return Path(self.place.file).parent


class FileProblem(NamedTuple):
    """What is wrong, and where."""

    place: FilePlace
    message: str
