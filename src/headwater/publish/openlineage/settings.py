"""Where OpenLineage events go, and what is changed on the way: settings of all that send them."""

from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from headwater.access import KafkaAccess
from headwater.config import check_secret_reference, read_secret, resolve_secret
from headwater.errors import BadConfig, BadSecret
from headwater.publish.openlineage.names import NamespaceRewrite, read_rewrite
from headwater.publish.openlineage.send import check_url

_KAFKA, _FILE = "kafka://", "file:"
_SECRET_WORDS = ("auth", "cookie", "key", "password", "secret", "signature", "token")


class TargetSettings(KafkaAccess):
    """A backend by HTTP, a topic of Kafka, which may be secured, or a file."""

    to: str = Field(
        description="Where events go: the URL of a backend, such as http://marquez:5000; a topic, "
        "kafka://HOST:PORT,HOST:PORT/TOPIC; or file:PATH, with an event in each line.",
        json_schema_extra={"metavar": "ADDRESS"},
    )
    endpoint: str = Field(
        default="api/v1/lineage",
        min_length=1,
        description="Path below the URL that takes events.",
        json_schema_extra={"metavar": "PATH"},
    )
    api_key_env: str = Field(
        default="",
        description="Name of the environment variable that holds the backend's API key.",
        json_schema_extra={"metavar": "VARIABLE"},
    )
    token: str = Field(
        default="",
        description="The backend's API key, as env:VARIABLE or file:PATH.",
        json_schema_extra={"metavar": "REFERENCE"},
    )
    header: tuple[str, ...] = Field(
        default=(),
        description="A further header of requests, as NAME=VALUE; a secret one as "
        "NAME=env:VARIABLE or NAME=file:PATH. Can be repeated.",
        json_schema_extra={"metavar": "NAME=VALUE"},
    )
    rename_namespace: tuple[str, ...] = Field(
        default=(),
        description="Namespaces that are called otherwise there, as OLD=NEW; with * at the end of "
        "OLD all that begin so, whose rest is kept. The first that fits counts. Can be repeated.",
        json_schema_extra={"metavar": "OLD=NEW"},
    )

    @field_validator("to")
    @classmethod
    def _is_address(cls, value: str) -> str:
        if value.startswith(_KAFKA):
            _split_topic(value)
            return value
        if value.startswith(_FILE):
            if not value.removeprefix(_FILE):
                raise ValueError("file: needs a path, such as file:/data/events.ndjson")
            return value
        return check_url(value)

    @field_validator("token")
    @classmethod
    def _is_token_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

    @field_validator("header")
    @classmethod
    def _are_headers(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            _check_header(value)
        return values

    @field_validator("rename_namespace")
    @classmethod
    def _are_renames(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            read_rewrite(value)
        return values

    @model_validator(mode="after")
    def _fit_the_address(self) -> Self:
        if self.api_key_env and self.token:
            raise ValueError("either --api-key-env or --token")
        is_http = not (self.is_kafka or self.is_file)
        if not is_http and (self.api_key_env or self.token or self.header):
            raise ValueError("keys and headers are of HTTP; --to is none")
        if not self.is_kafka and self.security_protocol:
            raise ValueError("a security protocol is of Kafka; --to is none")
        return self

    @property
    def is_kafka(self) -> bool:
        return self.to.startswith(_KAFKA)

    @property
    def is_file(self) -> bool:
        return self.to.startswith(_FILE)

    @property
    def file(self) -> Path:
        return Path(self.to.removeprefix(_FILE))

    @property
    def brokers_and_topic(self) -> tuple[str, str]:
        return _split_topic(self.to)

    @property
    def address(self) -> str:
        """By which the target is recognised."""
        if self.is_kafka or self.is_file:
            return self.to
        return f"{self.to}/{self.endpoint.lstrip('/')}"

    @property
    def rewrites(self) -> tuple[NamespaceRewrite, ...]:
        return tuple(map(read_rewrite, self.rename_namespace))

    def read_key(self) -> SecretStr | None:
        """The API key; raises BadSecret where it is not there."""
        if self.token:
            return SecretStr(resolve_secret(self.token).get_secret_value().strip())
        if not self.api_key_env:
            return None
        key = read_secret(self.api_key_env)
        if key is None:
            raise BadSecret(f"{self.api_key_env}, named by --api-key-env,", "is not set")
        return key

    def read_headers(self) -> dict[str, SecretStr]:
        """The further headers, with their secrets; raises BadSecret where one is not there."""
        found = {}
        for each in self.header:
            name, _, value = each.partition("=")
            is_reference = value.startswith(("env:", "file:"))
            secret = resolve_secret(value) if is_reference else SecretStr(value)
            if not _is_header_text(secret.get_secret_value().strip()):
                raise BadConfig(f"header {name}", "its value has a line break, or is not ASCII")
            found[name] = SecretStr(secret.get_secret_value().strip())
        return found


def _split_topic(address: str) -> tuple[str, str]:
    try:
        split = urlsplit(address)
    except ValueError:
        raise ValueError(f"'{address}' is not kafka://HOST:PORT/TOPIC") from None
    brokers, topic = split.netloc, split.path.strip("/")
    if "@" in brokers or split.query:
        # Not repeated: it may be a secret.
        raise ValueError("only kafka://HOST:PORT/TOPIC; a user goes into --user")
    if not brokers or not topic or "/" in topic:
        raise ValueError(f"'{address}' is not kafka://HOST:PORT/TOPIC")
    return brokers, topic


def _check_header(given: str) -> None:
    name, sign, value = given.partition("=")
    if not sign or not name or not name.isascii() or not name.replace("-", "").isalnum():
        raise ValueError("a header is NAME=VALUE, such as X-Team=data")
    is_secret = any(word in name.lower() for word in _SECRET_WORDS)
    if is_secret and not value.startswith(("env:", "file:")):
        # Not repeated: it may be the secret.
        raise ValueError(f"{name} looks like a secret: give env:VARIABLE or file:PATH")
    if not _is_header_text(value):
        raise ValueError(f"the value of {name} has a line break, or is not ASCII")


def _is_header_text(value: str) -> bool:
    return all(" " <= character <= "~" for character in value)
