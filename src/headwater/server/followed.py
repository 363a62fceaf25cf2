"""What the server keeps up to date of its whole store, for routes that answer from it."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from headwater.answers.following import Following
from headwater.answers.overview import Overview
from headwater.store.engine import Connection

T = TypeVar("T")


def following_of(request: Request) -> Following | None:
    """None where routes answer without a server: then everything is worked out for the answer."""
    found: Following | None = getattr(request.app.state, "following", None)
    return found


Followed = Annotated[Following | None, Depends(following_of)]


def look(
    following: Following | None, connection: Connection, read: Callable[[Overview], T]
) -> T | None:
    """Read off what is kept up to date; None if it is not, and must be worked out."""
    return None if following is None else following.look(connection, read)
