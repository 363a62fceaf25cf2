"""A project of Google Cloud, and the access token that its APIs are called with."""

import shlex
import subprocess

from pydantic import Field, field_validator, model_validator

from headwater.config import Section, check_secret_reference, resolve_secret
from headwater.errors import BadConfig

_COMMAND_SECONDS = 30


class GoogleProject(Section):
    """Where lineage is in Google Cloud, and who gives a token."""

    project: str = Field(
        pattern=r"^[a-z0-9.:-]{1,100}$",
        description="Project, by id or number.",
        json_schema_extra={"metavar": "PROJECT"},
    )
    location: str = Field(
        default="us",
        pattern=r"^[a-z0-9-]{2,40}$",
        description="Location of the lineage, such as us or europe-west1.",
        json_schema_extra={"metavar": "LOCATION"},
    )
    token: str = Field(
        default="",
        description="An access token, as env:VARIABLE or file:PATH.",
        json_schema_extra={"metavar": "REFERENCE"},
    )
    token_command: str = Field(
        default="",
        description="A command that prints an access token, run again when one has ended; "
        "by default gcloud auth print-access-token.",
        json_schema_extra={"metavar": "COMMAND"},
    )

    @field_validator("token")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

    @model_validator(mode="after")
    def _has_one(self) -> "GoogleProject":
        if self.token and self.token_command:
            raise ValueError("either a token or a command that prints one")
        return self

    @property
    def parent(self) -> str:
        return f"projects/{self.project}/locations/{self.location}"

    @property
    def job_namespace(self) -> str:
        """The namespace of what runs in this project, as Google's own lineage knows it."""
        return f"google://{self.project}/{self.location}"

    def read_token(self, is_again: bool) -> str:
        if self.token:
            return resolve_secret(self.token).get_secret_value().strip()
        return _run_command(self.token_command or "gcloud auth print-access-token")


def _run_command(command: str) -> str:
    """What a command prints: a token, and nothing that is shown."""
    try:
        done = subprocess.run(
            shlex.split(command),
            capture_output=True,
            timeout=_COMMAND_SECONDS,
            check=True,
            text=True,
        )
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        printed = " ".join(str(getattr(error, "stderr", "") or "").split())[:200]
        detail = f"{reason}: {printed}" if printed else reason
        raise BadConfig("token_command", f"`{command}` gives no token: {detail}") from None
    token = done.stdout.strip()
    if not token:
        raise BadConfig("token_command", f"`{command}` prints nothing")
    return token
