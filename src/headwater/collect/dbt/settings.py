"""What users say of a dbt project to collect from."""

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from headwater.config import Section


class DbtSettings(Section):
    target: Path = Field(
        default=Path("target"),
        description="Folder with manifest.json and what else dbt writes: its target-path.",
    )
    profiles: Path | None = Field(
        default=None,
        description="Folder of profiles.yml; by default that of the run, the project's, or ~/.dbt.",
    )
    profile: str = Field(
        default="", description="Profile of the project; by default as dbt_project.yml names it."
    )
    profile_target: str = Field(
        default="", description="Target of the profile; by default that of the run."
    )
    namespace: str = Field(
        default="",
        description="Namespace of the datasets, such as postgres://HOST:5432, in place of the "
        "profile's.",
    )
    job_namespace: str = Field(
        default="dbt",
        min_length=1,
        description="Namespace of the jobs: the OPENLINEAGE_NAMESPACE of dbt-ol, where that runs.",
    )
    project_job: str = Field(
        default="",
        description="Job of all that dbt is called for, by default dbt-run-PROJECT: the "
        "OPENLINEAGE_DBT_JOB_NAME of dbt-ol, where that is set.",
    )
    job_names: Literal["table", "node"] = Field(
        default="table",
        description="Names of the jobs: by table, as dbt-ol gives them, or by node, as it does "
        "with --consume-structured-logs.",
    )
    runs: bool = Field(
        default=True, description="Report runs and tests; --no-runs where only dbt-ol may."
    )
    personal: tuple[str, ...] = Field(
        default=("pii", "is_pii", "contains_pii", "personal_data", "contains_personal_data"),
        description="Keys of meta that mark personal data: what has one is tagged 'personal data'.",
    )
    state: Path = Field(
        default=Path("headwater-data/collect"),
        description="Folder that remembers what was reported, so that only changes are sent.",
    )

    @field_validator("namespace")
    @classmethod
    def _has_no_password(cls, value: str) -> str:
        if "@" in value.partition("://")[2]:
            raise ValueError("a namespace has no user and no password in it")
        return value
