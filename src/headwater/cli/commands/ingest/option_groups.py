"""Options that several commands take, given to each as one object."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_type_hints


def takes_options(**groups: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of named tuples after its own; it gets each tuple by its name.

    Typer reads the options of a command from its signature.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command)
        own = [each for each in signature.parameters.values() if each.name not in groups]
        added = [option for group in groups.values() for option in _options_of(group)]

        @wraps(command)
        def run(**given: Any) -> None:
            for name, group in groups.items():
                given[name] = group(**{option: given.pop(option) for option in group._fields})
            command(**given)

        run.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
        return run

    return decorate


def _options_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    defaults = group._field_defaults
    kind = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(name, kind, default=defaults[name], annotation=hints[name])
        for name in group._fields
    ]
