"""Help is shown as it is written."""

from collections.abc import Iterator
from typing import Any

import typer
from rich.text import Text

from headwater.cli.main import app


def texts(command: Any) -> Iterator[str]:
    yield command.help or ""
    for parameter in command.params:
        yield getattr(parameter, "help", None) or ""
    if hasattr(command, "list_commands"):
        context = command.make_context(command.name, [], resilient_parsing=True)
        for name in command.list_commands(context):
            yield from texts(command.get_command(context, name))


def test_no_words_in_brackets_are_taken_for_styles() -> None:
    written = list(texts(typer.main.get_command(app)))
    assert len(written) > 100
    assert [text for text in written if Text.from_markup(text).plain != text] == []
