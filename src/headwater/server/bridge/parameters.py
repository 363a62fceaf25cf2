"""Parameters that routes of LineageBridge's API share: times, patterns, names."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Query

from headwater.errors import WrongShape
from headwater.server.http.parameters import time_parameter
from headwater.store.query.globs import MOST_STARS, count_stars

_LONGEST_PATTERN = 2_000

Namespace = Annotated[str, Query(min_length=1, max_length=2_000, description="Its namespace.")]
DatasetName = Annotated[str, Query(min_length=1, max_length=2_000, description="Its name.")]


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


Since = Annotated[
    int | None, Depends(time_parameter("since", "Only events of this time or later.", WrongShape))
]
Until = Annotated[
    int | None, Depends(time_parameter("until", "Only events of this time or earlier.", WrongShape))
]
NamespacePattern = Annotated[
    str | None, Depends(_pattern("namespace", "Only in namespaces like this: `*`, `?`, `[...]`."))
]
NamePattern = Annotated[
    str | None, Depends(_pattern("name", "Only with names like this: `*`, `?`, `[...]`."))
]
JobPattern = Annotated[
    str | None, Depends(_pattern("job", "Only of jobs with names like this: `*`, `?`, `[...]`."))
]
