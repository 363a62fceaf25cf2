"""A configuration with OpenMetadata's keys -> an ingestion, and the keys that mean nothing here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec

from headwater.config import check_secret_reference
from headwater.durations import parse_duration
from headwater.pipeline.event_parts import IncludedParts
from headwater.pipeline.ingestions.schedule import MANUAL, Schedule, read_schedule
from headwater.pipeline.ingestions.shapes import (
    Broker,
    ConnectionOptions,
    FilesBroker,
    FilterPattern,
    KafkaBroker,
    KinesisBroker,
    ScheduleOptions,
    SourceOptions,
    UnusableConfig,
    UnusedKey,
)
from headwater.pipeline.ingestions.unused import BODY, CONNECTION, SCHEDULE, SOURCE
from headwater.pipeline.job_patterns import JobPatterns, NameExpressions

T = TypeVar("T")

# That a name is a file's as well, and a part of a path.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_BODY_KEYS = (
    "name",
    "displayName",
    "description",
    "connection",
    "sourceConfig",
    "schedule",
    "airflowConfig",
    "loggerLevel",
)
_LONGEST_TEXT = 10_000
_BROKERS: dict[str, type[Any]] = {
    "brokersUrl": KafkaBroker,
    "topicName": KafkaBroker,
    "streamName": KinesisBroker,
    "place": FilesBroker,
}
_FLAT_KEYS = {*KafkaBroker.__struct_fields__, *KinesisBroker.__struct_fields__}
_SECRETS = (
    ("saslConfig", "saslPassword"),
    ("awsConfig", "awsSecretAccessKey"),
    ("awsConfig", "awsSessionToken"),
)
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*?)`(?: - at `\$\.?(.*)`)?")
_MISSING_FIELD = re.compile(r"Object missing required field `(.*?)`(?: - at `\$\.?(.*)`)?")
_AT = re.compile(r"(.*) - at `\$\.?(.*)`", re.DOTALL)


@dataclass(frozen=True)
class AbsenceRule:
    """What is marked as deleted: what was not seen for a time, but for names that match."""

    after: float
    """In seconds."""
    exclude: NameExpressions = NameExpressions()


@dataclass(frozen=True)
class Ingestion:
    """What an ingestion reads, keeps and marks, and when it runs."""

    name: str
    broker: Broker
    jobs: JobPatterns
    parts: IncludedParts
    absence: AbsenceRule | None
    is_debug: bool
    schedule: Schedule
    unused: tuple[UnusedKey, ...]

    @property
    def reads(self) -> str:
        """What it reads, for people: a topic, a stream or a folder."""
        broker = self.broker
        if isinstance(broker, KafkaBroker):
            return f"kafka {broker.topicName} at {broker.brokersUrl}"
        if isinstance(broker, KinesisBroker):
            return f"kinesis {broker.streamName} in {broker.awsConfig.awsRegion}"
        return f"files {broker.place}"


def check_ingestion_name(name: str) -> str:
    if not NAME.fullmatch(name):
        reason = "at most 100 letters, digits, '-', '_' and '.', with a letter or digit first"
        raise UnusableConfig("name", f"'{name[:64]}' is none: {reason}")
    return name


def read_ingestion(
    name: str, body: Mapping[str, Any], secrets: dict[str, str] | None = None
) -> Ingestion:
    """Read the body of a request, or what a workflow file says; raises UnusableConfig.

    Secrets that stand there themselves are refused, as only references to them are kept; or moved
    to `secrets` by the name of a variable, which then is what is referred to.
    """
    unused: list[UnusedKey] = []
    check_ingestion_name(name)
    body = _known(body, "", BODY, unused)
    for key in body:
        if key not in _BODY_KEYS:
            near = get_close_matches(key, _BODY_KEYS, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(_BODY_KEYS)}"
            raise UnusableConfig(key, f"no such key is known; {hint}")
    for key in ("displayName", "description"):
        if not isinstance(text := body.get(key) or "", str) or len(text) > _LONGEST_TEXT:
            raise UnusableConfig(key, f"not a text of at most {_LONGEST_TEXT:,} characters")
    if body.get("name", name) != name:
        raise UnusableConfig("name", f"'{body['name']}' here, and '{name}' in the address")
    config = _inner(body, "connection")
    if config is None:
        raise UnusableConfig("connection.config.brokerConfig", "missing")
    connection = _connection(_known(config, "connection.config.", CONNECTION, unused))
    source = _inner(body, "sourceConfig") or {}
    options = _convert(
        SourceOptions, _known(source, "sourceConfig.", SOURCE, unused), "sourceConfig"
    )
    schedule = _schedule(body, unused)
    broker = _broker(connection.brokerConfig, secrets)
    filters = (
        _expressions(connection.pipelineFilterPattern, "connection.config.pipelineFilterPattern"),
        _expressions(options.pipelineFilterPattern, "sourceConfig.pipelineFilterPattern"),
    )
    return Ingestion(
        name,
        broker,
        JobPatterns(expressions=tuple(each for each in filters if each is not None)),
        IncludedParts(options.includeLineage, options.includeOwners, options.includeTags, name),
        _absence(options),
        options.enableDebugLog or _is_debug(body.get("loggerLevel")),
        schedule,
        tuple(unused),
    )


def _inner(body: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """What is under `key.config`, or under `key` itself."""
    found = body.get(key)
    if isinstance(found, dict) and "config" in found:
        if others := [other for other in found if other != "config"]:
            raise UnusableConfig(f"{key}.{others[0]}", "no such key; there is config")
        found = found["config"]
    if found is not None and not isinstance(found, dict):
        raise UnusableConfig(key, "not an object")
    return found


def _known(
    given: Mapping[str, Any], place: str, reasons: Mapping[str, str], unused: list[UnusedKey]
) -> dict[str, Any]:
    """The keys that mean something; the others of OpenMetadata's are noted with the reason."""
    unused += [UnusedKey(f"{place}{key}", reasons[key]) for key in given if key in reasons]
    return {key: value for key, value in given.items() if key not in reasons}


def _connection(config: dict[str, Any]) -> ConnectionOptions:
    """The connection; in the older form the broker's keys stand beside the others."""
    if "brokerConfig" not in config:
        flat = {key: config.pop(key) for key in list(config) if key in _FLAT_KEYS}
        if not flat:
            raise UnusableConfig("connection.config.brokerConfig", "missing")
        config["brokerConfig"] = flat
    return _convert(ConnectionOptions, config, "connection.config")


def _broker(given: Mapping[str, Any], secrets: dict[str, str] | None) -> Broker:
    place = "connection.config.brokerConfig"
    shape = next((_BROKERS[key] for key in given if key in _BROKERS), None)
    if shape is None:
        raise UnusableConfig(place, "neither topicName (Kafka), streamName (Kinesis) nor place")
    for section, key in _SECRETS:
        inner = given.get(section)
        if isinstance(inner, dict) and isinstance(inner.get(key), str):
            reference = _reference(inner[key], f"{place}.{section}.{key}", key, secrets)
            given = {**given, section: {**inner, key: reference}}
    broker: Broker = _convert(shape, given, place)
    if isinstance(broker, KafkaBroker):
        _check_security(broker, place)
    return broker


def _check_security(broker: KafkaBroker, place: str) -> None:
    """Refuse what would be ignored, or could not connect."""
    is_ssl = broker.securityProtocol in ("SSL", "SASL_SSL")
    is_sasl = broker.securityProtocol in ("SASL_PLAINTEXT", "SASL_SSL")
    if broker.sslConfig is not None and not is_ssl:
        reason = f"without effect: securityProtocol is {broker.securityProtocol}"
        raise UnusableConfig(f"{place}.sslConfig", reason)
    if broker.saslConfig is not None and not is_sasl:
        reason = f"without effect: securityProtocol is {broker.securityProtocol}"
        raise UnusableConfig(f"{place}.saslConfig", reason)
    if is_sasl and broker.saslConfig is None:
        raise UnusableConfig(f"{place}.saslConfig", f"{broker.securityProtocol} needs it")


def _reference(value: str, place: str, key: str, secrets: dict[str, str] | None) -> str:
    """A reference to a secret; one that stands there itself is moved away, or refused."""
    try:
        return check_secret_reference(value)
    except ValueError as error:
        if secrets is None:
            raise UnusableConfig(place, str(error)) from None
    variable = f"HEADWATER_INGEST_{key.upper()}"
    secrets[variable] = value
    return f"env:{variable}"


def _schedule(body: Mapping[str, Any], unused: list[UnusedKey]) -> Schedule:
    given = body.get("schedule", body.get("airflowConfig"))
    if given is None:
        return Schedule(MANUAL, None)
    if isinstance(given, str):
        given = {"interval": given}
    if not isinstance(given, dict):
        raise UnusableConfig("schedule", "neither a text nor an object")
    given = _known(given, "schedule.", SCHEDULE, unused)
    if "scheduleInterval" in given:
        given["interval"] = given.pop("scheduleInterval") or MANUAL
    return read_schedule(_convert(ScheduleOptions, given, "schedule"))


def _absence(options: SourceOptions) -> AbsenceRule | None:
    if not options.markDeletedPipelines:
        return None
    try:
        after = parse_duration(options.markDeletedAfter).total_seconds()
    except ValueError as error:
        raise UnusableConfig("sourceConfig.markDeletedAfter", str(error)) from None
    excluded = FilterPattern(excludes=options.markDeletedExclude)
    found = _expressions(excluded, "sourceConfig.markDeletedExclude", is_alone=True)
    return AbsenceRule(after, found or NameExpressions())


def _is_debug(level: Any) -> bool:
    if level is None:
        return False
    if str(level).upper() not in ("DEBUG", "INFO", "WARN", "WARNING", "ERROR"):
        raise UnusableConfig(
            "loggerLevel", f"'{str(level)[:32]}' is not DEBUG, INFO, WARN or ERROR"
        )
    return str(level).upper() == "DEBUG"


def _expressions(
    pattern: FilterPattern | None, key: str, *, is_alone: bool = False
) -> NameExpressions | None:
    if pattern is None:
        return None
    include = _split(pattern.includes, f"{key}.includes")
    exclude = _split(pattern.excludes, key if is_alone else f"{key}.excludes")
    return NameExpressions(include, exclude) if include or exclude else None


def _split(given: Sequence[str] | str | None, key: str) -> tuple[str, ...]:
    found = split_expressions(given) if isinstance(given, str) else [*(given or ())]
    for each in found:
        check_expression(each, key)
    return tuple(found)


def check_expression(text: str, key: str) -> None:
    """Refuse what is no regular expression, with the place in it."""
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        reason = f"'{text[:64]}' is not a regular expression: {error}"
        raise UnusableConfig(key, reason) from None


def split_expressions(text: str) -> list[str]:
    """Regular expressions with commas between them; one in braces or brackets separates none."""
    parts, depth, escaped = [""], 0, False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character in "{[(":
            depth += 1
        elif character in "}])":
            depth = max(0, depth - 1)
        elif character == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _convert(shape: type[T], given: Mapping[str, Any], place: str) -> T:
    try:
        return msgspec.convert(given, shape)
    except msgspec.ValidationError as error:
        raise _unusable(str(error), shape, place) from None


def _unusable(message: str, shape: Any, place: str) -> UnusableConfig:
    if found := _UNKNOWN_FIELD.fullmatch(message):
        near = get_close_matches(found[1], [each.encode_name for each in _fields_below(shape)], 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        if shape is ConnectionOptions and found[1] in SourceOptions.__struct_fields__:
            hint = " here; it stands in sourceConfig.config"
        return UnusableConfig(_join(place, found[2], found[1]), f"no such key is known{hint}")
    if found := _MISSING_FIELD.fullmatch(message):
        return UnusableConfig(_join(place, found[2], found[1]), "missing")
    if found := _AT.fullmatch(message):
        reason = found[1][0].lower() + found[1][1:]
        return UnusableConfig(_join(place, found[2]), reason + _choices(shape, found[2]))
    return UnusableConfig(place, message)


def _choices(shape: Any, path: str) -> str:
    """The values that a key may have, where only some are known."""
    key = path.rpartition(".")[2]
    kinds = [each.type for each in _fields_below(shape) if each.encode_name == key]
    values = [kind.values for kind in kinds if isinstance(kind, msgspec.inspect.LiteralType)]
    return f"; there are {', '.join(sorted(map(str, values[0])))}" if values else ""


def _fields_below(shape: Any) -> list[msgspec.inspect.Field]:
    """The fields of a shape and of the shapes in it."""
    info = msgspec.inspect.type_info(shape)
    found: list[msgspec.inspect.Field] = []
    pending: list[Any] = [info]
    while pending:
        kind = pending.pop()
        if isinstance(kind, msgspec.inspect.StructType):
            found += kind.fields
            pending += [each.type for each in kind.fields]
        elif isinstance(kind, msgspec.inspect.UnionType):
            pending += kind.types
    return found


def _join(*parts: str | None) -> str:
    return ".".join(part for part in parts if part)
