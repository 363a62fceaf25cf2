"""A schema registry with subjects that a test sets, as Confluent's: for what Apicurio has not (the
list of all schemas, times of registration, tags), for very many subjects, and for faults."""

from typing import Any

from testing.stand_ins.serving import StandIn

Json = dict[str, Any]


class RegistryStandIn(StandIn):
    """Subjects by name, each with its versions."""

    def __init__(self, has_list: bool = True) -> None:
        super().__init__()
        self.has_list = has_list
        self.subjects: dict[str, list[Json]] = {}
        self.deleted: set[str] = set()
        self.compatibility: dict[str, str] = {}

    def add(self, subject: str, schema: str, kind: str = "AVRO", **more: Any) -> None:
        """Register a version; `more` are further keys, such as `ts` in milliseconds."""
        versions = self.subjects.setdefault(subject, [])
        version = len(versions) + 1
        number = sum(map(len, self.subjects.values())) + 1
        told = {} if kind == "AVRO" else {"schemaType": kind}
        found = {"subject": subject, "version": version, "id": number, "schema": schema}
        versions.append({**found, **told, **more})

    def delete(self, subject: str, version: int | None = None) -> None:
        """Delete softly: a whole subject, or one version."""
        for each in self.subjects[subject]:
            if version in (None, each["version"]):
                each["deleted"] = True
        if not self._live(subject):
            self.deleted.add(subject)

    def find(self, parts: list[str], query: dict[str, list[str]]) -> Any:
        if parts == ["config"]:
            return {"compatibilityLevel": "BACKWARD"}
        if parts[:1] == ["config"] and len(parts) == 2 and parts[1] in self.compatibility:
            return {"compatibilityLevel": self.compatibility[parts[1]]}
        if parts == ["schemas"] and self.has_list:
            newest = [self._live(name)[-1] for name in sorted(self.subjects) if self._live(name)]
            start = int(query.get("offset", ["0"])[0])
            return newest[start : start + int(query["limit"][0])]
        if parts == ["subjects"]:
            with_deleted = query.get("deleted") == ["true"]
            return [name for name in sorted(self.subjects) if with_deleted or self._live(name)]
        if parts[:1] == ["subjects"] and len(parts) == 4 and parts[2] == "versions":
            live = self._live(parts[1])
            if parts[3] == "latest":
                return live[-1] if live else None
            return next((each for each in live if str(each["version"]) == parts[3]), None)
        return None

    def _live(self, subject: str) -> list[Json]:
        return [each for each in self.subjects.get(subject, []) if not each.get("deleted")]
