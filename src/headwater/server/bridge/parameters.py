"""Parameters that routes of LineageBridge's API share: times, patterns, names."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Query

from headwater.errors import WrongShape
from headwater.model.values.instant import parse_instant_or_date
from headwater.store.query.globs import MOST_STARS, count_stars

_LONGEST_PATTERN = 2_000

Namespace = Annotated[str, Query(min_length=1, max_length=2_000, description="Its namespace.")]
DatasetName = Annotated[str, Query(min_length=1, max_length=2_000, description="Its name.")]


def _time(name: str, description: str) -> Callable[..., int | None]:
    def read(
        text: Annotated[str | None, Query(alias=name, description=description)] = None,
    ) -> int | None:
        if not text:
            return None
        try:
            # A plus sign in a query arrives as a space.
            return parse_instant_or_date(text.replace(" ", "+") if "T" in text else text)
        except ValueError as error:
            raise WrongShape(name, f"not a time: {error}") from None

    return read


def _pattern(name: str, description: str) -> Callable[..., str | None]:
    def read(
        text: Annotated[
            str | None, Query(alias=name, max_length=_LONGEST_PATTERN, description=description)
        ] = None,
    ) -> str | None:
        if text and count_stars(text) > MOST_STARS:
            raise WrongShape(name, f"has more than {MOST_STARS} `*`; use fewer")
        return text or None

    return read


Since = Annotated[int | None, Depends(_time("since", "Only events of this time or later."))]
Until = Annotated[int | None, Depends(_time("until", "Only events of this time or earlier."))]
NamespacePattern = Annotated[
    str | None, Depends(_pattern("namespace", "Only in namespaces like this: `*`, `?`, `[...]`."))
]
NamePattern = Annotated[
    str | None, Depends(_pattern("name", "Only with names like this: `*`, `?`, `[...]`."))
]
JobPattern = Annotated[
    str | None, Depends(_pattern("job", "Only of jobs with names like this: `*`, `?`, `[...]`."))
]
