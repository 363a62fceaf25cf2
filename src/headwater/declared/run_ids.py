"""The run id of a declared job, kept beside its file from START to the end of the run."""

import json
from pathlib import Path
from uuid import UUID, uuid4

from headwater.declared.jobs import DeclaredJob
from headwater.errors import InvalidRequest

TERMINAL = frozenset(("COMPLETE", "FAIL", "ABORT"))
SUFFIX = ".runs"


class RunIds:
    """The runs of jobs: START begins one, the others belong to the one that has begun."""

    def __init__(self, fixed: str = "") -> None:
        """`fixed` is the id of all jobs' runs, for those who keep it themselves."""
        if fixed and not _is_uuid(fixed):
            raise InvalidRequest("--run-id", f"'{fixed[:64]}' is no UUID")
        self._fixed = fixed
        self._kept: dict[Path, dict[str, str]] = {}

    def id_for(self, job: DeclaredJob, event_type: str) -> str:
        """The id of the run that an event is of."""
        if self._fixed:
            return self._fixed
        kept = self._of(job)
        key = f"{job.namespace} {job.name}"
        found = kept.get(key, "")
        if event_type == "START" or not _is_uuid(found):
            found = str(uuid4())
        kept[key] = found
        if event_type in TERMINAL:
            kept.pop(key)
        return found

    def keep(self) -> None:
        """Write what is to be known when the next event is sent."""
        for path, kept in self._kept.items():
            try:
                if kept:
                    path.write_text(json.dumps(kept, indent=2) + "\n")
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                reason = f"the run ids cannot be kept: {error.strerror}; --run-id states one"
                raise InvalidRequest(str(path), reason) from None

    def _of(self, job: DeclaredJob) -> dict[str, str]:
        path = Path(job.place.file + SUFFIX)
        if path not in self._kept:
            self._kept[path] = _read(path)
        return self._kept[path]


def _read(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidRequest(str(path), f"cannot be read: {error}; remove it") from None
    if not isinstance(found, dict):
        raise InvalidRequest(str(path), "is no file of run ids; remove it")
    return {str(key): str(value) for key, value in found.items()}


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False
