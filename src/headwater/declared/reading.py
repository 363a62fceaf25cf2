"""Files of declared jobs -> the jobs, and everything that is wrong with the files."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from headwater.declared.form import DatasetEntry, JobForm
from headwater.declared.jobs import (
    DeclaredColumn,
    DeclaredJob,
    DeclaredSource,
    FilePlace,
    FileProblem,
)
from headwater.declared.references import dataset_of
from headwater.declared.yaml_lines import BrokenFile, Document, FormProblem, read_documents
from headwater.declared.yaml_lines import Path as KeyPath
from headwater.model.naming import DatasetName

_AT = re.compile(r" - at `\$([^`]*)`$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_UNKNOWN = re.compile(r"unknown field `([^`]+)`")
_MAX_SQL = 1_000_000


class FilesRead(NamedTuple):
    jobs: list[DeclaredJob]
    problems: list[FileProblem]


def read_files(
    files: Sequence[str], namespace: str | None, variables: Mapping[str, str]
) -> FilesRead:
    """The jobs of some files; `namespace` is that of jobs that state none.

    A job that is declared twice is a problem, which names both places.
    """
    jobs: list[DeclaredJob] = []
    problems: list[FileProblem] = []
    files = list(dict.fromkeys(files))
    for file in files:
        found = _read_file(file, namespace, variables)
        jobs += found.jobs
        problems += found.problems
    first: dict[tuple[str, str], FilePlace] = {}
    for job in jobs:
        before = first.setdefault((job.namespace, job.name), job.place)
        if before != job.place:
            message = f"the job {job.namespace} {job.name} is declared in {before} already"
            problems.append(FileProblem(job.place, message))
    return FilesRead(jobs, sorted(problems, key=lambda each: (files.index(each.place.file), each)))


def _read_file(file: str, namespace: str | None, variables: Mapping[str, str]) -> FilesRead:
    def problem(some: FormProblem) -> FileProblem:
        return FileProblem(FilePlace(file, some.line), some.message)

    try:
        text = Path(file).read_bytes().decode("utf-8-sig")
        documents = read_documents(text, variables)
    except BrokenFile as error:
        return FilesRead([], [problem(error.problem)])
    except UnicodeDecodeError:
        return FilesRead([], [problem(FormProblem(1, "is not UTF-8"))])
    except OSError as error:
        return FilesRead([], [problem(FormProblem(1, f"cannot be read: {error.strerror}"))])
    jobs: list[DeclaredJob] = []
    problems: list[FormProblem] = []
    for document in documents:
        reader = _DocumentReader(document, file, namespace)
        jobs += reader.jobs()
        problems += reader.problems
    if not jobs and not problems:
        problems.append(FormProblem(1, "declares no job: `job:` or `jobs:` is missing"))
    return FilesRead(jobs, [problem(each) for each in dict.fromkeys(problems)])


class _DocumentReader:
    def __init__(self, document: Document, file: str, namespace: str | None) -> None:
        self._document = document
        self._file = file
        self._namespace = namespace
        self.problems = list(document.problems)

    def jobs(self) -> Iterator[DeclaredJob]:
        value = self._document.value
        for path, form in self._forms(value):
            count = len(self.problems)
            job = self._job(form, path)
            # What is wrong in a part of it makes all of it wrong.
            if job is not None and len(self.problems) == count and not self._document.problems:
                yield job

    def _report(self, path: KeyPath, message: str) -> None:
        self.problems.append(FormProblem(self._document.line_of(path), message))

    def _forms(self, value: Any) -> Iterator[tuple[KeyPath, JobForm]]:
        """The jobs of a document that have the right form, with their places."""
        if not isinstance(value, dict):
            self._report((), "is no mapping with the key `job` or `jobs`")
            return
        unknown = [key for key in value if key not in ("job", "jobs")]
        for key in unknown:
            self._report((key,), f"the key {key!r} is not known here; only `job` and `jobs` are")
        found: list[tuple[KeyPath, Any]] = [(("job",), value["job"])] if "job" in value else []
        listed = value.get("jobs", [])
        if not isinstance(listed, list):
            self._report(("jobs",), "`jobs` is a list")
            listed = []
        found += [(("jobs", place), each) for place, each in enumerate(listed)]
        for path, each in found:
            try:
                yield path, msgspec.convert(each, JobForm)
            except msgspec.ValidationError as error:
                self._report_form(path, str(error))

    def _report_form(self, start: KeyPath, text: str) -> None:
        """What msgspec says is wrong, at the line that its path means."""
        at = _AT.search(text)
        path = list(start)
        for match in _STEP.finditer(at[1] if at else ""):
            path.append(match[1] if match[1] is not None else int(match[2]))
        message = _AT.sub("", text)
        unknown = _UNKNOWN.search(text)
        if unknown is not None:
            path.append(unknown[1])
            names = [field.encode_name for field in msgspec.structs.fields(JobForm)]
            near = get_close_matches(unknown[1], names, 1)
            hint = f"; is it `{near[0]}`?" if near else ""
            message = f"the key {unknown[1]!r} is not known here{hint}"
        self._report(tuple(path), _plain(message))

    def _job(self, form: JobForm, path: KeyPath) -> DeclaredJob | None:
        namespace = form.namespace or self._namespace
        if not namespace:
            self._report(path, "has no namespace: state it, or give --namespace")
            return None
        inputs = self._datasets([*form.inputs, *form.lineage.inputs], path, "inputs")
        outputs = self._datasets([*form.outputs, *form.lineage.outputs], path, "outputs")
        sql = self._sql(form, path)
        if form.type == "dashboard" and outputs:
            self._report((*path, "outputs"), "a dashboard has inputs and no outputs")
        if not inputs and not outputs and sql is None:
            self._report(path, "names no inputs, no outputs and no SQL")
        columns = {**form.lineage.columns, **form.columns}
        owner = form.owner or form.lineage.owner or []
        return DeclaredJob(
            namespace,
            form.name,
            form.type,
            tuple(inputs),
            tuple(outputs),
            self._columns(columns, inputs, outputs, path),
            tuple([owner] if isinstance(owner, str) else owner),
            form.description or form.lineage.description,
            sql,
            form.dialect or "",
            form.schedule,
            tuple(form.tags),
            form.url,
            form.code,
            tuple(form.groups),
            FilePlace(self._file, self._document.line_of(path)),
        )

    def _line_path(self, path: KeyPath, key: str, place: int | None = None) -> KeyPath:
        """Where something stands: directly under the job, or under `lineage`."""
        rest = (key,) if place is None else (key, place)
        direct = (*path, *rest)
        return direct if direct in self._document.lines else (*path, "lineage", *rest)

    def _datasets(
        self, entries: Iterable[str | DatasetEntry], path: KeyPath, key: str
    ) -> list[DeclaredSource]:
        found: list[DeclaredSource] = []
        for place, entry in enumerate(entries):
            plain = DatasetEntry(entry) if isinstance(entry, str) else entry
            try:
                name = dataset_of(plain.name, plain.namespace)
            except ValueError as error:
                self._report(self._line_path(path, key, place), str(error))
                continue
            if any(each.name == name for each in found):
                self._report(self._line_path(path, key, place), f"{plain.name!r} is there twice")
                continue
            tags = tuple(plain.tags)
            fields = tuple(plain.fields)
            found.append(DeclaredSource(name, plain.name, fields, tags, plain.description))
        return found

    def _sql(self, form: JobForm, path: KeyPath) -> str | None:
        if form.sql is not None and form.sql_file is not None:
            self._report((*path, "sqlFile"), "`sql` and `sqlFile` exclude each other")
        if form.sql_file is None:
            return form.sql
        place = Path(self._file).parent / form.sql_file
        try:
            data = place.read_bytes()
        except OSError as error:
            self._report((*path, "sqlFile"), f"{place} cannot be read: {error.strerror}")
            return None
        if len(data) > _MAX_SQL:
            self._report((*path, "sqlFile"), f"{place} is larger than {_MAX_SQL:,} bytes")
            return None
        return data.decode("utf-8-sig", "replace")

    def _columns(
        self,
        stated: Mapping[str, Mapping[str, str | list[str]]],
        inputs: Sequence[DeclaredSource],
        outputs: Sequence[DeclaredSource],
        path: KeyPath,
    ) -> dict[DatasetName, dict[str, list[DeclaredColumn]]]:
        """The columns of outputs by what they are made of: `INPUT.column`, one or a list."""
        found: dict[DatasetName, dict[str, list[DeclaredColumn]]] = {}
        for reference, columns in stated.items():
            output = _by_reference(reference, outputs)
            place = (*self._line_path(path, "columns"), reference)
            if output is None:
                self._report(place, f"{reference!r} is none of the outputs")
                continue
            for column, sources in columns.items():
                listed = [sources] if isinstance(sources, str) else sources
                for each in listed:
                    source = _column_of(each, inputs)
                    if source is None:
                        self._report((*place, column), f"{each!r} is no column of an input")
                        continue
                    found.setdefault(output.name, {}).setdefault(column, []).append(source)
        return found


def _names(source: DeclaredSource) -> tuple[str, ...]:
    """What a dataset may be called within its file, the longest first."""
    name = source.name.name
    return (source.reference, name, name.rpartition("/")[2], name.rpartition(".")[2])


def _by_reference(reference: str, sources: Iterable[DeclaredSource]) -> DeclaredSource | None:
    found = [each for each in sources if reference in _names(each)]
    exact = [each for each in found if reference in (each.reference, each.name.name)]
    chosen = exact or found
    return chosen[0] if len(chosen) == 1 else None


def _column_of(text: str, inputs: Sequence[DeclaredSource]) -> DeclaredColumn | None:
    """`customers.email`: the column of the input whose name is the longest before it."""
    found = [
        (len(name), each)
        for each in inputs
        for name in _names(each)
        if text.startswith(f"{name}.") and len(text) > len(name) + 1
    ]
    if not found:
        only = inputs[0] if len(inputs) == 1 and "." not in text else None
        return DeclaredColumn(only.name, text) if only is not None else None
    length = max(count for count, _ in found)
    longest = {each.name: each for count, each in found if count == length}
    if len(longest) != 1:
        return None
    return DeclaredColumn(next(iter(longest)), text[length + 1 :])


_WORDS = {
    "Expected `object`": "a mapping is expected",
    "Expected `array`": "a list is expected",
    "Expected `str": "a text is expected",
    "Object missing required field": "the key is missing:",
    "got `int`": "and not a number",
}


def _plain(message: str) -> str:
    """msgspec's message in the words of YAML."""
    if message.startswith("Invalid enum value"):
        message = f"{message.split()[-1]} is none of batch, streaming, service, dashboard"
    for words, plain in _WORDS.items():
        message = message.replace(words, plain)
    return message.replace("`", "")
