"""A part of the settings, and references to the secrets that have no place in them."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of the settings: refuses keys it does not know, and does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def check_secret_reference(reference: str) -> str:
    """Refuse what is no reference to a secret: the secret itself has no place in settings."""
    kind, _, place = reference.partition(":")
    if kind not in ("env", "file") or not place:
        # Not repeated: it may be the secret.
        raise ValueError("only a reference to the secret: env:VARIABLE or file:PATH")
    return reference
