"""Which topic a subject is about: by the three naming strategies, and by contexts."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from headwater.collect.schema_registry.fetch import RegisteredSchema
from headwater.model.naming import DatasetName, kafka

_CONTEXT = re.compile(r":\.(?P<context>[^:]*):(?P<subject>.*)", re.DOTALL)
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_MESSAGE = re.compile(r"^\s*message\s+(\w+)", re.MULTILINE)
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class SubjectPlace(NamedTuple):
    """The dataset that a subject describes, and which part of its records."""

    dataset: DatasetName
    part: str
    """`key`, `value`, or `subject`: of no topic that is known."""
    strategy: str


class Places:
    """Finds the dataset of each subject; `topics` are those of subjects that do not name theirs."""

    def __init__(self, url: str, bootstraps: Mapping[str, str], topics: Mapping[str, str]) -> None:
        self.registry = f"schema-registry://{urlsplit(url).netloc}"
        self._bootstraps = bootstraps
        self._topics = topics

    def find(self, schema: RegisteredSchema) -> SubjectPlace:
        context, subject = split_context(schema.subject)
        bootstrap = self._bootstraps.get(context)
        topic = self._topics.get(schema.subject)
        found = ("value", topic, "given") if topic else _by_name(subject, schema)
        if bootstrap is None or found is None:
            # Of another Kafka cluster, or of any topic: it stands for itself.
            own = DatasetName(self.registry, schema.subject)
            return SubjectPlace(own, "subject", "record" if bootstrap is not None else "context")
        part, name, strategy = found
        return SubjectPlace(kafka(bootstrap, name), part, strategy)


def split_context(subject: str) -> tuple[str, str]:
    """The context of a subject, empty for the default one, and its name in it."""
    found = _CONTEXT.fullmatch(subject)
    return (found["context"], found["subject"]) if found else ("", subject)


def _by_name(subject: str, schema: RegisteredSchema) -> tuple[str, str, str] | None:
    for part in ("value", "key"):
        topic = subject.removesuffix(f"-{part}")
        if topic and topic != subject:
            return part, topic, "topic"
    record = find_record_name(schema.type, schema.text or "")
    topic = subject.removesuffix(f"-{record}") if record else subject
    return ("value", topic, "topic and record") if topic and topic != subject else None


def find_record_name(kind: str, text: str) -> str:
    """The full name of the record that a schema defines; empty where it has none."""
    if kind == "PROTOBUF":
        plain = _COMMENTS.sub("", text)
        package, message = _PACKAGE.search(plain), _MESSAGE.search(plain)
        names = (each[1] for each in (package, message) if each)
        return ".".join(names) if message else ""
    try:
        found: Any = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(found, dict):
        return ""
    if kind == "JSON":
        return str(found.get("title") or "")
    name, space = str(found.get("name") or ""), found.get("namespace")
    return name if "." in name or not space else f"{space}.{name}"
