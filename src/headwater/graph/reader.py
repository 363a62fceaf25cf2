"""What a walk asks of a store: rows by id as of a time, a level at once."""

from collections.abc import Iterable, Mapping
from typing import Literal, Protocol

from headwater.model.column_map import ColumnMap
from headwater.model.gaps import Gaps
from headwater.model.relations import Alias, Direction
from headwater.model.uses import (
    Execution,
    GapReport,
    Mark,
    Name,
    RunAt,
    StatedInputs,
    Succession,
    Uses,
)


class Reader(Protocol):
    """Reads facts; every method takes many ids and is one query."""

    @property
    def hides(self) -> bool:
        """Whether anything may be hidden: mostly not, and then nothing need be requested it."""

    def uses_of_jobs(self, jobs: Iterable[bytes], at: int) -> Uses: ...

    def uses_of_datasets(
        self, datasets: Iterable[bytes], directions: Iterable[Direction], at: int
    ) -> Uses: ...

    def executions(self, jobs: Iterable[bytes], at: int) -> dict[bytes, Execution]:
        """The newest execution with datasets of each job that had one by then."""

    def snapshot(self, execution: Execution, at: int) -> set[tuple[bytes, int]]:
        """Datasets and directions that the newest snapshots of a job's runs still name."""

    def next_execution(self, execution: Execution, after: int) -> int | None:
        """When the first other execution with datasets began after a time."""

    def execution_maps(self, execution: Execution, dataset: bytes, at: int) -> set[bytes]:
        """The column maps that the runs of an execution stated last for an output."""

    @property
    def has_gaps(self) -> bool:
        """Whether anything was reported as not understood: often not, and then nobody asks."""

    def gap_reports(self, jobs: Iterable[bytes], at: int) -> list[GapReport]:
        """What runs of jobs reported by a time as not understood."""

    def gap_lists(self, digests: Iterable[bytes]) -> dict[bytes, Gaps]: ...

    def stated_inputs(self, outputs: Iterable[bytes]) -> list[StatedInputs]:
        """The inputs that jobs stated last for each of some outputs, whenever that was."""

    def aliases(self, datasets: Iterable[bytes]) -> list[Alias]:
        """The aliases between these names and others, in either order."""

    def first_used(self, datasets: Iterable[bytes]) -> dict[bytes, int]:
        """When each dataset was first read or written, of those that ever were."""

    def successions(self, datasets: Iterable[bytes], at: int) -> list[Succession]: ...

    def deletions(self, ids: Iterable[bytes], at: int) -> Mapping[bytes, tuple[int, bool]]:
        """When people last deleted or restored jobs and datasets, and whether they deleted them."""

    def parts_of_streams(self, ids: Iterable[bytes]) -> set[bytes]:
        """Jobs that are only micro-batches of a stream that is known as a job by itself."""

    def is_seen(self, id: bytes, since: int, at: int) -> bool:
        """Whether a job or dataset was seen after one time and by another."""

    def dataset_names(self, datasets: Iterable[bytes]) -> dict[bytes, Name]: ...

    def job_names(self, jobs: Iterable[bytes]) -> dict[bytes, Name]: ...

    def parents(self, jobs: Iterable[bytes]) -> dict[bytes, bytes]:
        """The parent of each job that has one."""

    def unseen_jobs(self, jobs: Iterable[bytes], at: int) -> set[bytes]:
        """Those of some jobs that were first seen after a time."""

    def newest_runs(self, jobs: Iterable[bytes], at: int) -> dict[bytes, RunAt]:
        """The run of each job that began last by a time, in the state it was in then."""

    def first_run(
        self, job: bytes, after: int, at: int, code: bytes | None = None, sql: bytes | None = None
    ) -> RunAt | None:
        """The first run of a job that began after one time and by another, of that code or SQL."""

    def last_stated(self, job: bytes, at: int, aspect: Literal["code", "sql"]) -> bytes | None:
        """The code or SQL that a job's runs stated last by a time."""

    def runs_at(self, at: int) -> list[tuple[bytes, bytes]]:
        """The jobs and runs of which an event of just that time is kept."""

    def lifecycles(self, datasets: Iterable[bytes], at: int) -> dict[bytes, Mark]:
        """The last mark on each dataset's timeline."""

    def column_types(self, digests: Iterable[bytes]) -> dict[bytes, dict[str, str]]:
        """The columns of schemas, with their types."""

    def column_maps(self, digests: Iterable[bytes]) -> dict[bytes, ColumnMap]: ...
