"""How writing routes are described: they answer what the reading route of the same thing does."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute

from headwater.server.openapi.document import answers

Described = dict[int | str, dict[str, Any]]


def answers_like(
    router: APIRouter,
    endpoint: Callable[..., Any],
    *errors: int,
    status: int = 200,
    description: str = "The current state of the entity.",
) -> Described:
    """The answers of a reading route, for the `responses` of one that writes."""
    read: dict[Any, Any] = {}
    for route in router.routes:
        if isinstance(route, APIRoute) and route.endpoint is endpoint:
            read = dict(route.responses.get(200, {}))
    refusals = answers(dict[str, Any], {}, *errors)
    del refusals[200]
    return {status: {**read, "description": description}, **refusals}
