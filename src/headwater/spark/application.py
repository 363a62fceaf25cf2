"""The application: a job of its own, which is the parent of the writes that it does."""

import getpass
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from headwater.spark import events
from headwater.spark.settings import ConfiguredParent, find_notebook

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Json = dict[str, Any]


class SparkApplication:
    """One run of a program: its names, and what is known of where it comes from."""

    def __init__(
        self, spark: "SparkSession", namespace: str, parent: ConfiguredParent | None
    ) -> None:
        context: Any = spark.sparkContext
        self.name = str(context.appName)
        self._parent = parent
        self._job = {"namespace": namespace, "name": self.name}
        self._started = int(context.startTime or time.time() * 1000) * 1000
        # The same for all sessions of the application, whoever asks.
        identity = f"{context.applicationId}/{self._started}/{namespace}"
        self.run = str(uuid.uuid5(uuid.NAMESPACE_URL, identity))
        script = find_script(spark)
        self._facets = {
            "processing_engine": events.SPARK.facet(
                "ProcessingEngineRunFacet", version=str(context.version), name="spark"
            ),
            "spark_application": events.SPARK.custom_facet(
                applicationId=str(context.applicationId),
                master=str(context.master),
                user=_user(context),
                script=script,
                uiUrl=context.uiWebUrl,
            ),
        }
        self._code = find_revision(Path(script)) if script else None

    def facets(self, is_child: bool = False) -> Json:
        """The run facets that say what a run is part of: its own, or those of its child."""
        if is_child:
            parent = events.SPARK.parent(self._job, self.run, self._root)
            return {"parent": parent, **self._facets}
        if self._parent is None:
            return self._facets
        job = {"namespace": self._parent.namespace, "name": self._parent.name}
        parent = events.SPARK.parent(job, self._parent.run, self._root)
        return {"parent": parent, **self._facets}

    @property
    def _root(self) -> Json | None:
        """What began it all, if something did."""
        if self._parent is None:
            return None
        root = self._parent.root or self._parent
        job = {"namespace": root.namespace, "name": root.name}
        return {"run": {"runId": root.run}, "job": job}

    def event(self, kind: str, error: str | None = None) -> Json:
        """START, and how the program ended."""
        facets = self.facets()
        if error is not None:
            facets = {**facets, "errorMessage": events.SPARK.error(error, "PYTHON")}
        kinds = {"jobType": events.SPARK.job_type("BATCH", "SPARK", "APPLICATION")}
        if self._code is not None:
            kinds["sourceCodeLocation"] = self._code
        job = {**self._job, "facets": kinds}
        run = {"runId": self.run, "facets": facets}
        at = self._started if kind == "START" else None
        return events.SPARK.run_event(kind, job, run, at=at)


def find_script(spark: "SparkSession") -> str | None:
    """The notebook or script that runs, as far as it says so."""
    if notebook := find_notebook(spark):
        return notebook
    main = sys.modules.get("__main__")
    found = getattr(main, "__vsc_ipynb_file__", None) or getattr(main, "__file__", None)
    return str(Path(found).resolve()) if found else None


def find_revision(script: Path) -> Json | None:
    """Where the script is in its git repository, read from the files of git itself."""
    with suppress(OSError, ValueError):
        for folder in script.resolve().parents:
            if (folder / ".git").exists():
                return _read_git(folder, script)
    return None


def _read_git(folder: Path, script: Path) -> Json | None:
    git = folder / ".git"
    if git.is_file():
        # Of a worktree: `gitdir: /the/repository/.git/worktrees/name`.
        git = (folder / git.read_text().partition(":")[2].strip()).resolve()
    shared = git
    if (git / "commondir").is_file():
        shared = (git / (git / "commondir").read_text().strip()).resolve()
    head = (git / "HEAD").read_text().strip()
    reference = head.removeprefix("ref: ") if head.startswith("ref: ") else None
    revision = head if reference is None else _resolve(shared, reference)
    if not revision:
        return None
    remote = _remote(shared)
    facts = {
        "type": "git",
        "url": remote or folder.as_uri(),
        "repoUrl": remote,
        "path": str(script.resolve().relative_to(folder)),
        "version": revision,
        "branch": reference.removeprefix("refs/heads/") if reference else None,
    }
    known = {key: value for key, value in facts.items() if value}
    return events.SPARK.facet("SourceCodeLocationJobFacet", **known)


def _resolve(git: Path, reference: str) -> str | None:
    if (git / reference).is_file():
        return (git / reference).read_text().strip()
    with suppress(OSError):
        for line in (git / "packed-refs").read_text().splitlines():
            if line.endswith(f" {reference}"):
                return line.split()[0]
    return None


def _remote(git: Path) -> str | None:
    """The URL of the repository's origin, without who may have it."""
    with suppress(OSError):
        lines = [line.strip() for line in (git / "config").read_text().splitlines()]
        for place, line in enumerate(lines):
            if line == '[remote "origin"]':
                urls = [each for each in lines[place + 1 :] if each.startswith("url = ")]
                return _without_user(urls[0].removeprefix("url = ")) if urls else None
    return None


def _without_user(url: str) -> str:
    parts = urlsplit(url)
    if not parts.netloc:
        return url
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _user(context: Any) -> str | None:
    with suppress(Exception):
        return str(context.sparkUser())
    with suppress(Exception):
        return getpass.getuser()
    return None
