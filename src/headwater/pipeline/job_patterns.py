"""Which jobs' events are selected, by their names: patterns as a shell has, or expressions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property

from headwater.model.event import Event
from headwater.model.facet_readers import Parent, read_facet


@dataclass(frozen=True)
class NameExpressions:
    """Regular expressions as OpenMetadata's filters have them: from the beginning of a name on,
    whatever the case."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def accept(self, names: Sequence[str]) -> bool:
        """Whether a job is selected that any of these names is used for."""
        if _matches(self._exclude, names):
            return False
        return not self.include or _matches(self._include, names)

    @cached_property
    def _include(self) -> list[re.Pattern[str]]:
        return [re.compile(each, re.IGNORECASE) for each in self.include]

    @cached_property
    def _exclude(self) -> list[re.Pattern[str]]:
        return [re.compile(each, re.IGNORECASE) for each in self.exclude]


@dataclass(frozen=True)
class JobPatterns:
    """A job is selected if any of `include` fits, or there is none, and none of `exclude` does;
    and if each of `expressions` selects it as well."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    expressions: tuple[NameExpressions, ...] = ()

    def accept(self, name: str) -> bool:
        if self._exclude is not None and self._exclude.match(name):
            return False
        return self._include is None or self._include.match(name) is not None

    def accept_event(self, event: Event) -> bool:
        """Whether an event is selected; one without a job always is."""
        if event.job is None:
            return True
        if not self.accept(event.job.name):
            return False
        if not self.expressions:
            return True
        names = pipeline_names(event)
        return all(each.accept(names) for each in self.expressions)

    @cached_property
    def _include(self) -> re.Pattern[str] | None:
        return _any_of(self.include)

    @cached_property
    def _exclude(self) -> re.Pattern[str] | None:
        return _any_of(self.exclude)


def pipeline_names(event: Event) -> list[str]:
    """The names of an event's job, alone and after its namespace, and those of its parent.

    OpenMetadata calls a pipeline NAMESPACE-NAME, of the parent job if there is one.
    """
    job = event.job
    if job is None:
        return []
    names = [job.name, f"{job.namespace}-{job.name}"]
    raw = (event.run.facets or {}).get("parent") if event.run else None
    facet = read_facet("parent", bytes(raw)) if raw is not None else None
    if facet is not None and isinstance(facet.meaning, Parent):
        parent = facet.meaning.parent
        names += [parent.job_name, f"{parent.job_namespace}-{parent.job_name}"]
    return names


def _matches(patterns: Sequence[re.Pattern[str]], names: Sequence[str]) -> bool:
    return any(pattern.match(name) for pattern in patterns for name in names)


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(translate, patterns))) if patterns else None
