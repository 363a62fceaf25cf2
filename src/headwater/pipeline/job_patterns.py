"""Which jobs' events are selected: patterns of their names, as a shell has them."""

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property


@dataclass(frozen=True)
class JobPatterns:
    """A job is selected if any of `include` fits, or there is none, and none of `exclude` does."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def accept(self, name: str) -> bool:
        if self._exclude is not None and self._exclude.match(name):
            return False
        return self._include is None or self._include.match(name) is not None

    @cached_property
    def _include(self) -> re.Pattern[str] | None:
        return _any_of(self.include)

    @cached_property
    def _exclude(self) -> re.Pattern[str] | None:
        return _any_of(self.exclude)


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(translate, patterns))) if patterns else None
