"""A JobManager's REST API with jobs that a test sets: for very many of them, and for faults.

It knows the paths that Flink documents and answers everything else with 404; as Flink does, it
gives metrics of running tasks only, and none at all where one that is requested is not there.
"""

from typing import Any

from testing.stand_ins.serving import StandIn

Json = dict[str, Any]

_ENDED = ("FINISHED", "FAILED", "CANCELED")
_SCAN = "[1]:TableSourceScan(table=[[default_catalog, default_database, {}]], fields=[id])<br/>"


class FlinkStandIn(StandIn):
    """The jobs of a cluster, and how it misbehaves."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: dict[str, Json] = {}
        self.settings: dict[str, str] = {}

    def add(
        self,
        job: str,
        name: str,
        source: str = "orders",
        sink: str = "stats",
        started_at: int = 1_700_000_000_000,
    ) -> None:
        """Add a running job of SQL, from one table to another."""
        read, written = f"{job[:8]}-source", f"{job[:8]}-sink"
        self.jobs[job] = {
            "name": name,
            "state": "RUNNING",
            "start-time": started_at,
            "end-time": -1,
            "vertices": {
                read: (f"Source: {source}[1] -> Calc[2]", _SCAN.format(source)),
                written: (
                    f"Aggregate[3] -> {sink}[4]: Writer",
                    f"[3]:Aggregate(select=[id])<br/>+- {sink}[4]: Writer<br/>",
                ),
            },
            "attempt": started_at,
            "edges": {written: [read]},
            "final": {},
            "metrics": {},
            "checkpoints": {"counts": {"total": 0}, "latest": {}},
            "exceptions": {"exceptionHistory": {"entries": [], "truncated": False}},
        }
        self.count(job, f"Source__{source}[1].numRecordsOut", 0)
        self.count(job, f"{sink}[4]__Writer.numRecordsIn", 0)

    def count(self, job: str, metric: str, value: float | str) -> None:
        """Set a metric of a job's source or sink, by its name."""
        read, written, *_ = self.jobs[job]["vertices"]
        vertex = read if metric.startswith("Source") else written
        self.jobs[job]["metrics"].setdefault(vertex, {})[metric] = value

    def end(self, job: str, state: str, at: int, trace: str = "") -> None:
        its = self.jobs[job]
        its |= {"state": state, "end-time": at}
        if trace:
            entry = {"exceptionName": "x", "stacktrace": trace, "timestamp": at}
            its["exceptions"]["exceptionHistory"]["entries"] = [entry]

    def restore(self, job: str, path: str) -> None:
        """Have a job begin with a savepoint."""
        restored = {"id": 1, "is_savepoint": True, "external_path": path}
        self.jobs[job]["checkpoints"]["latest"]["restored"] = restored

    def find(self, parts: list[str], query: dict[str, list[str]]) -> Any:
        match parts:
            case ["config"]:
                return {"flink-version": "2.1.0", "refresh-interval": 3000}
            case ["jobmanager", "config"]:
                return [{"key": key, "value": value} for key, value in self.settings.items()]
            case ["jobs", "overview"]:
                return {"jobs": [self._summary(job) for job in self.jobs]}
            case ["jobs", job, *rest] if job in self.jobs:
                return self._of_job(job, rest, query)
        return None

    def _of_job(self, job: str, rest: list[str], query: dict[str, list[str]]) -> Any:
        its = self.jobs[job]
        match rest:
            case []:
                return self._detail(job)
            case ["checkpoints" | "exceptions" as part]:
                return its[part]
            case ["vertices", vertex, "subtasks", "metrics"] if vertex in its["vertices"]:
                known = {} if its["state"] in _ENDED else its["metrics"].get(vertex, {})
                wanted = query.get("get", [""])[0].split(",")
                if query.get("agg") != ["sum"]:
                    return [{"id": each} for each in known]
                if not known.keys() >= set(wanted):
                    return []
                return [{"id": each, "sum": known[each]} for each in wanted]
        return None

    def _summary(self, job: str) -> Json:
        its = self.jobs[job]
        names = ("name", "state", "start-time", "end-time")
        return {"jid": job, **{each: its[each] for each in names}}

    def _detail(self, job: str) -> Json:
        its = self.jobs[job]
        vertices, nodes = [], []
        for vertex, (name, description) in its["vertices"].items():
            zero = {f"{side}-records": 0 for side in ("read", "write")}
            complete = {f"{side}-records-complete": True for side in ("read", "write")}
            metrics = {**zero, **complete, **its["final"].get(vertex, {})}
            vertices.append(
                {"id": vertex, "name": name, "start-time": its["attempt"], "metrics": metrics}
            )
            inputs = [{"id": each} for each in its["edges"].get(vertex, ())]
            nodes.append({"id": vertex, "description": description, "inputs": inputs})
        summary = self._summary(job)
        return {**summary, "job-type": "STREAMING", "vertices": vertices, "plan": {"nodes": nodes}}
