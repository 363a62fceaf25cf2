"""What users say of the files to collect."""

from pathlib import Path

from pydantic import Field, field_validator

from headwater.config import Section


class FilesSettings(Section):
    paths: tuple[str, ...] = Field(
        min_length=1,
        description="Files, folders with all below them, or patterns; - is standard input.",
        json_schema_extra={"argument": "PATH"},
    )
    resume: bool = Field(
        default=True,
        description="Continue after what was sent before; the position is kept in FILE.emitted.",
    )
    positions: Path | None = Field(
        default=None, description="Folder for the positions, instead of beside the files."
    )

    @field_validator("paths")
    @classmethod
    def _are_given(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(value):
            raise ValueError("a path is empty")
        return value
