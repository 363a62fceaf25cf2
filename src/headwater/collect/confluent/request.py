"""A request for an extraction, in the shape that LineageBridge documents."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from headwater.collect.confluent.settings import ConfluentSettings
from headwater.config import Section, check_secret_reference

_SWITCHES = (
    "enable_connect",
    "enable_ksqldb",
    "enable_flink",
    "enable_schema_registry",
    "enable_stream_catalog",
    "enable_tableflow",
    "enable_metrics",
)


class RequestedKey(Section):
    api_key: str = Field(min_length=1, description="API key of the resource.")
    api_secret: str = Field(description="Where its secret is: env:VARIABLE or file:PATH.")

    @field_validator("api_secret")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value)


class ExtractionRequest(Section):
    """What to extract. Secrets and addresses are those that the server's settings name: a request
    may choose among them, and not send them elsewhere."""

    environment_ids: tuple[str, ...] = Field(default=(), description="Environments; all if none.")
    cluster_ids: tuple[str, ...] = Field(default=(), description="Kafka clusters; all if none.")
    enable_connect: bool = Field(default=True, description="Read connectors.")
    enable_ksqldb: bool = Field(default=True, description="Read ksqlDB's queries.")
    enable_flink: bool = Field(default=True, description="Read Flink's statements.")
    enable_schema_registry: bool = Field(default=True, description="Read schemas.")
    enable_stream_catalog: bool = Field(default=True, description="Read tags and owners.")
    enable_tableflow: bool = Field(default=True, description="Read Tableflow's topics.")
    enable_enrichment: bool = Field(default=True, description="Accepted; there is no such step.")
    enable_metrics: bool = Field(default=False, description="Read the activity of topics.")
    metrics_lookback_hours: int = Field(default=1, ge=1, le=168, description="Hours of activity.")
    sr_endpoints: dict[str, str] = Field(default={}, description="Registries by environment.")
    sr_credentials: dict[str, RequestedKey] = Field(default={}, description="By environment.")
    flink_credentials: dict[str, RequestedKey] = Field(default={}, description="By environment.")
    cluster_credentials: dict[str, RequestedKey] = Field(default={}, description="By cluster.")

    @field_validator("environment_ids", "cluster_ids", mode="before")
    @classmethod
    def _are_ids(cls, value: Any, info: ValidationInfo) -> Any:
        """A list, or text with commas as in a query."""
        if isinstance(value, str):
            return [each.strip() for each in value.split(",") if each.strip()]
        if not isinstance(value, (list, tuple)) or not all(isinstance(each, str) for each in value):
            kind = str(info.field_name).removesuffix("_ids")
            raise ValueError(f"not a list of {kind} ids, nor a comma-separated string")
        return value

    def apply(self, settings: ConfluentSettings) -> ConfluentSettings:
        """The server's settings, as this request narrows them; raises ValueError where it names a
        secret or an address that they do not."""
        narrowed: dict[str, Any] = {name: getattr(self, name) for name in _SWITCHES}
        # What the settings switch off, no request switches on.
        for name in _SWITCHES[:-1]:
            narrowed[name] = narrowed[name] and getattr(settings, name)
        narrowed["environment_ids"] = _within(
            "environment", self.environment_ids, settings.environment_ids
        )
        narrowed["cluster_ids"] = _within("cluster", self.cluster_ids, settings.cluster_ids)
        narrowed["metrics_lookback_hours"] = self.metrics_lookback_hours
        narrowed["keys"] = (*settings.keys, *self._keys(settings))
        self._check_endpoints(settings)
        return settings.model_copy(update=narrowed)

    def _keys(self, settings: ConfluentSettings) -> Iterable[str]:
        allowed = {key.secret for key in settings.keys_by_resource.values()} | {settings.password}
        parts: Mapping[str, Mapping[str, RequestedKey]] = {
            "schema-registry:": self.sr_credentials,
            "flink:": self.flink_credentials,
            "": self.cluster_credentials,
        }
        for prefix, keys in parts.items():
            for resource, key in keys.items():
                if key.api_secret not in allowed:
                    raise ValueError(
                        f"the secret of '{resource}' is none that the server's settings refer to; "
                        "add it to the keys of its section [collect.confluent]"
                    )
                yield f"{prefix}{resource}={key.api_key}:{key.api_secret}"

    def _check_endpoints(self, settings: ConfluentSettings) -> None:
        for environment, url in self.sr_endpoints.items():
            if settings.registries.get(environment) != url.rstrip("/"):
                raise ValueError(
                    f"'{url}' is no registry of the server's settings; add {environment}=URL to "
                    "the sr_endpoints of its section [collect.confluent]"
                )


def _within(kind: str, requested: tuple[str, ...], allowed: tuple[str, ...]) -> tuple[str, ...]:
    """What is requested, of what the settings allow; those allow all where they name none."""
    others = [each for each in requested if allowed and each not in allowed]
    if others:
        raise ValueError(f"the {kind} '{others[0]}' is not among those of the server's settings")
    return requested or allowed
