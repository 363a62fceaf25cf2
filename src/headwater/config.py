"""Settings: a TOML file, then HEADWATER__SECTION__KEY, then flags; read once, then passed on."""

import ipaddress
import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import (
    BaseModel,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from headwater.access import KafkaAccess, KinesisAccess
from headwater.durations import parse_duration
from headwater.errors import BadConfig, BadSecret
from headwater.extras import is_installed
from headwater.section import Section as Section
from headwater.section import check_secret_reference as check_secret_reference

FILE_VARIABLE = "HEADWATER_CONFIG"
DEFAULT_FILE = "headwater.toml"
PREFIX = "HEADWATER__"
# For commands that speak to a server, which may run with other settings on another machine.
URL_VARIABLE = "HEADWATER_URL"
KEY_VARIABLE = "HEADWATER_API_KEY"


class ServerSettings(Section):
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(
        default=5000, ge=0, le=65535, description="Port to listen on; 0 takes a free one."
    )

    hosts: str = Field(
        default="",
        description="Names by which others reach the server, separated by commas: of a proxy, "
        "of a container. Requests for other names are refused while no key is required.",
    )

    max_read_seconds: float = Field(
        default=20,
        gt=0,
        description="How long a read may take, in seconds; a request can ask for less with the "
        "parameter `timeout`.",
    )

    @property
    def host_names(self) -> list[str]:
        return [name.strip().lower() for name in self.hosts.split(",") if name.strip()]

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the address; a name may be any."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"


class IntakeSettings(Section):
    max_body_bytes: int = Field(
        default=20_000_000,
        ge=1_000,
        le=60_000_000,
        description="Maximum size of a request body, before and after decompression.",
    )
    max_in_flight_bytes: int = Field(
        default=256_000_000,
        ge=1_000,
        description="Maximum size of all request bodies in memory, as sent and unpacked; "
        "senders beyond it get 503.",
    )
    max_ahead_seconds: int = Field(
        default=86_400,
        ge=0,
        description="How far an event's time may be ahead of this machine's clock.",
    )


class AuthSettings(Section):
    keys: SecretStr = Field(
        default=SecretStr(""),
        description="Keys besides the store's: NAME:SECRET:SCOPE+SCOPE,... Only as a variable.",
    )
    max_requests_per_second: int = Field(
        default=1_000,
        ge=0,
        description="Rate limit per key, with bursts of two seconds; a body of events counts as a "
        "request for each 100 kB, unpacked. 0: no limit.",
    )


class RetentionSettings(Section):
    older_than: str = Field(
        default="", description="Prune data older than this, such as 30d; empty: keep all."
    )
    lake: str = Field(
        default="",
        description="After each prune, remove events older than this from the lake, such as 365d, "
        "unless the store still needs them; empty: keep all.",
    )
    every: str = Field(default="24h", description="How often to prune, such as 24h.")

    @field_validator("older_than", "lake", "every")
    @classmethod
    def _is_duration(cls, value: str, info: ValidationInfo) -> str:
        if value or info.field_name == "every":
            parse_duration(value)
        return value


class LakeSettings(Section):
    is_on: bool = Field(
        default_factory=lambda: is_installed("lake"),
        description="Write every event to the lake; by default, if pyarrow (`lake`) is installed.",
    )
    folder: str = Field(
        default="", description="Folder of the lake; empty: `lake` in the data folder."
    )
    every: str = Field(default="1m", description="How often a server writes events to the lake.")

    @field_validator("every")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        parse_duration(value)
        return value


class SparkSettings(Section):
    master: str = Field(
        default="local[*]", min_length=1, description="Spark's master: local, or a cluster."
    )
    driver_memory: str = Field(
        default="1g",
        pattern=r"^[1-9]\d*[kmgt]$",
        description="Memory of the local Spark JVM, such as 1g.",
    )
    python: str = Field(
        default="", description="Python program on a cluster; empty: the archive's, or python3."
    )
    archive: str = Field(
        default="", description="Packed Python environment that is sent to a cluster's machines."
    )
    conf: dict[str, str] = Field(default={}, description="Further Spark properties, by name.")

    @field_validator("conf")
    @classmethod
    def _are_sparks(cls, value: dict[str, str]) -> dict[str, str]:
        for key in value:
            # Spark would ignore such a key silently.
            if not key.startswith("spark."):
                raise ValueError(f"'{key}' is not a Spark property: those start with 'spark.'")
            if key in ("spark.master", "spark.driver.memory"):
                raise ValueError(f"'{key}' has its own setting")
        return value


class HealthSettings(Section):
    silent_after: str = Field(
        default="10m", description="How long a stream may send no events before it is silent."
    )

    @field_validator("silent_after")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        parse_duration(value)
        return value


class SqlSettings(Section):
    infer_columns: bool = Field(
        default=True,
        description="Derive the columns of jobs that report SQL and no column lineage.",
    )


class DeclareSettings(Section):
    namespace: str = Field(
        default="default",
        description="Namespace of declared jobs whose file states none.",
    )


class IngestSettings(Section):
    kafka: KafkaAccess = KafkaAccess()
    kinesis: KinesisAccess = KinesisAccess()


class DiscoverySettings(Section):
    every: str = Field(
        default="",
        description="How often a server looks for what nobody documented, such as 1h; empty: "
        "never by itself.",
    )
    include: str = Field(
        default="", description="Patterns of topics and groups, by spaces; empty: all."
    )
    exclude: str = Field(default="", description="Patterns of topics and groups to leave out.")
    webhook: str = Field(
        default="",
        description="Where new findings are reported: the URL as env:VARIABLE or file:PATH.",
    )

    @field_validator("every")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        if value:
            parse_duration(value)
        return value

    @field_validator("webhook")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value


class ClusterSettings(Section):
    bootstrap: str | list[str] = Field(description="Brokers, HOST:PORT, in a list or by commas.")
    aliases: list[str] = Field(
        default=[],
        description="Other brokers (HOST:PORT) and namespaces by which events know the cluster.",
    )
    default: bool = Field(
        default=False, description="Whether the namespace kafka means it; so does the only cluster."
    )

    @property
    def brokers(self) -> list[str]:
        given = self.bootstrap.split(",") if isinstance(self.bootstrap, str) else self.bootstrap
        return [each.strip() for each in given if each.strip()]


class Settings(BaseSettings):
    """All settings; an empty machine needs none."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    data: Path = Field(
        default=Path("headwater-data"), description="Folder for everything stored in files."
    )
    store: str = Field(
        default="", description="URL of the store; SQLite in the data folder unless set."
    )
    server: ServerSettings = ServerSettings()
    intake: IntakeSettings = IntakeSettings()
    auth: AuthSettings = AuthSettings()
    retention: RetentionSettings = RetentionSettings()
    health: HealthSettings = HealthSettings()
    lake: LakeSettings = Field(default_factory=LakeSettings)
    spark: SparkSettings = SparkSettings()
    ingest: IngestSettings = IngestSettings()
    sql: SqlSettings = SqlSettings()
    declare: DeclareSettings = DeclareSettings()
    discovery: DiscoverySettings = DiscoverySettings()
    clusters: dict[str, ClusterSettings] = Field(
        default={},
        description="Clusters of Kafka, a section `[clusters.NAME]` each; its namespaces are one.",
    )
    collect: dict[str, dict[str, Any]] = Field(
        default={},
        description="Collectors that run by themselves, a section `[collect.NAME]` each.",
    )
    publish: dict[str, dict[str, Any]] = Field(
        default={},
        description="Publishers that run by themselves, a section `[publish.NAME]` each.",
    )

    @property
    def lake_folder(self) -> Path:
        return Path(self.lake.folder) if self.lake.folder else self.data / "lake"

    @property
    def store_url(self) -> str:
        return self.store or f"sqlite:///{self.data.absolute() / 'headwater.db'}"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        file = Path(os.environ.get(FILE_VARIABLE, DEFAULT_FILE))
        in_file = TomlConfigSettingsSource(settings_cls, file)
        _refuse_secrets(in_file.toml_data)
        return (init_settings, env_settings, in_file)


def load_settings(**flags: Any) -> Settings:
    """Read the settings; flags that are None were not given."""
    given = {key: _given(value) for key, value in flags.items() if _given(value) not in (None, {})}
    named = os.environ.get(FILE_VARIABLE)
    if named and not Path(named).is_file():
        raise BadConfig(FILE_VARIABLE, f"no file at '{named}'")
    _check_variables()
    try:
        return Settings(**given)
    except UnicodeDecodeError as error:
        raise BadConfig(named or DEFAULT_FILE, f"not UTF-8: {error}") from None
    except SettingsError as error:
        field = str(error).partition('"')[2].partition('"')[0]
        raise BadConfig(field, "not a valid value of the variable") from None
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(named or DEFAULT_FILE, f"not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise BadConfig(".".join(map(str, first["loc"])), first["msg"]) from None


def read_api_key() -> str | None:
    """The key that commands show to a server: only by environment, so that no list of
    processes and no shell history holds it."""
    return _read_key(KEY_VARIABLE)


def read_secret(variable: str) -> SecretStr | None:
    """A secret that settings name by its variable, so that no file and no list holds it."""
    value = _read_key(variable)
    return SecretStr(value) if value else None


def resolve_secret(reference: str) -> SecretStr:
    """The secret that settings refer to as `env:VARIABLE` or `file:PATH`."""
    kind, _, place = reference.partition(":")
    if kind == "env":
        value = os.environ.get(place, "")
        if not value:
            raise BadSecret(place, "is not set, or empty; set it to the secret")
        return SecretStr(value)
    try:
        return SecretStr(Path(place).read_text().rstrip("\r\n"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise BadConfig(f"file:{place}", f"the secret cannot be read: {reason}") from None


def _read_key(variable: str) -> str | None:
    """The key in a variable, without white space around it, as a file read by a shell brings."""
    value = os.environ.get(variable, "").strip()
    if not all("!" <= character <= "~" for character in value):
        # Checked here: libraries that refuse such a header print it.
        raise BadSecret(
            variable,
            "holds a line break, a space or a character beyond ASCII, which no API key has; "
            "set it again",
        )
    return value or None


def all_variables() -> Mapping[str, str]:
    """The variables of the environment, for files that name some of them."""
    return os.environ


def java_home() -> str | None:
    """The Java that the user has chosen for all programs."""
    return os.environ.get("JAVA_HOME") or None


def artifact_repository() -> str | None:
    """The repository for jars that the user has chosen, by the variable that Spark reads too."""
    return os.environ.get("DEFAULT_ARTIFACT_REPOSITORY") or None


def cache_folder() -> Path:
    """Where things are kept that can be made again."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "headwater"


@contextmanager
def variables_set(**variables: str) -> Iterator[None]:
    """Set variables of this process for a while, for a library that has no other settings."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def environment_with(**variables: str) -> dict[str, str]:
    """The environment for a program that is run: where its secrets go, for no list shows it."""
    return {**os.environ, **variables}


def _refuse_secrets(data: dict[str, Any]) -> None:
    """Files are copied, shared and kept in repositories: no place for keys."""
    auth = data.get("auth")
    if isinstance(auth, dict) and "keys" in auth:
        reason = f"not in a file; set {PREFIX}AUTH__KEYS, or use headwater keys add"
        raise BadConfig("auth.keys", reason)


def _check_variables() -> None:
    """Refuse a variable that names no setting: most likely it was meant to name one."""
    for variable in os.environ:
        if variable.upper().startswith(PREFIX):
            key = variable[len(PREFIX) :].lower()
            if key not in _keys(Settings):
                raise BadConfig(key.replace("__", "."), f"no such setting; see variable {variable}")


def _keys(section: type[BaseModel]) -> set[str]:
    """The names of the settings as variables spell them, sections and what is in them."""
    keys = set()
    for name, field in section.model_fields.items():
        keys.add(name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            keys.update(f"{name}__{inner}" for inner in _keys(field.annotation))
    return keys


def _given(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: inner for key, inner in value.items() if inner is not None}
    return value


class Setting(NamedTuple):
    """A setting as it is in force, and where its value came from."""

    key: str
    value: Any
    source: str


def explain_settings() -> list[Setting]:
    """Every setting's value, and whether the file or a variable set it."""
    settings = load_settings()
    name = os.environ.get(FILE_VARIABLE, DEFAULT_FILE)
    file = tomllib.loads(Path(name).read_text()) if Path(name).is_file() else {}
    variables = {variable.upper(): variable for variable in os.environ}
    return list(_explain(settings, file, variables, name, ""))


def _explain(
    section: BaseModel, file: Any, variables: dict[str, str], name: str, prefix: str
) -> Iterator[Setting]:
    for field in type(section).model_fields:
        value, key = getattr(section, field), f"{prefix}{field}"
        in_file = file.get(field) if isinstance(file, dict) else None
        if isinstance(value, Section):
            yield from _explain(value, in_file, variables, name, f"{key}.")
            continue
        variable = variables.get(PREFIX + key.upper().replace(".", "__"))
        source = variable or (name if in_file is not None else "default")
        yield Setting(key, value, source)
