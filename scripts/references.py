"""Write the references that are made from the code: commands, settings, connectors.

python -m scripts.references          writes docs/cli.md, docs/settings.md, docs/connectors.md
python -m scripts.references --check  fails if one of them is not what it would write
"""

import inspect
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from headwater.cli.main import app
from headwater.config import PREFIX, Section, Settings

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTE = "<!-- Written by `make references` from {origin}; changes made here are lost. -->"


def write_commands() -> str:
    """Every command with its help, arguments and options."""
    root: Any = typer.main.get_command(app)
    context: Any = root.make_context("headwater", [], resilient_parsing=True)
    parts = ["# Commands", NOTE.format(origin="src/headwater/cli")]
    parts.append("`headwater COMMAND --help` shows the same.")
    for name, command in _walk(root, context, "headwater"):
        parts.append(f"## {name}")
        parts.append(inspect.cleandoc(command.help or ""))
        if arguments := [_argument(each) for each in command.params if _is_argument(each)]:
            parts.append(_table(("argument", "meaning"), arguments))
        if options := [_option(each, context) for each in command.params if _is_option(each)]:
            parts.append(_table(("option", "value", "default", "meaning"), options))
    return "\n\n".join(parts) + "\n"


def _walk(group: Any, context: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The commands below a group by their full names, in the order in which `--help` has them."""
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        if hasattr(command, "commands"):
            yield from _walk(command, context, f"{name} {each}")
        else:
            yield f"{name} {each}", command


def _is_argument(parameter: Any) -> bool:
    return parameter.param_type_name == "argument" and not parameter.hidden


def _is_option(parameter: Any) -> bool:
    return parameter.param_type_name == "option" and not parameter.hidden


def _argument(argument: Any) -> tuple[str, ...]:
    return (f"`{argument.metavar or argument.name.upper()}`", argument.help or "")


def _option(option: Any, context: Any) -> tuple[str, ...]:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f"`{option.display_type_rich(context)}`"
    shown = option.show_default if isinstance(option.show_default, str) else _default(option)
    variable = f" Also by `{option.envvar}`." if option.envvar else ""
    return (names, value, shown, f"{option.help or ''}{variable}")


def _default(option: Any) -> str:
    if option.required:
        return "required"
    if option.is_flag or option.default in (None, "", ()) or callable(option.default):
        return ""
    return f"`{getattr(option.default, 'value', option.default)}`"


def write_settings() -> str:
    """Every setting with its variable, default and meaning."""
    rows = [_setting(*each) for each in _settings(Settings, ())]
    intro = (
        "In `headwater.toml`, or the file that `HEADWATER_CONFIG` names. Variables override the "
        "file, flags override both. `headwater config show` prints the settings in force and where "
        "each comes from. Unknown keys are refused."
    )
    head = ["# Settings", NOTE.format(origin="src/headwater/config.py"), intro]
    return "\n\n".join([*head, _table(("setting", "variable", "default", "meaning"), rows)]) + "\n"


def _settings(
    section: type[BaseModel], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, field in section.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from _settings(field.annotation, (*path, name))
        else:
            yield (*path, name), field


def _setting(path: tuple[str, ...], field: Any) -> tuple[str, ...]:
    default = field.get_default(call_default_factory=True)
    is_empty = default in (None, "", {}, PydanticUndefined) or not str(default)
    variable = PREFIX + "__".join(path).upper()
    shown = "" if is_empty else f"`{json.dumps(default, default=str)}`"
    return (f"`{'.'.join(path)}`", f"`{variable}`", shown, field.description or "")


def write_connectors() -> str:
    """Every connector whose datasets are known, with how they are named."""
    known = json.loads(files("headwater.model.connect").joinpath("connectors.json").read_text())
    rows = [
        (
            "<br>".join(map(_code, row["classes"])),
            row["role"],
            _code(row.get("namespace")),
            _code(row.get("name")),
        )
        for row in known["connectors"]
    ]
    intro = (
        "What the plugin for [Kafka Connect](connect.md) knows of connectors. In names, "
        "`{key}` is a value of the connector's configuration, `|` an alternative, `|=` a default, "
        "`{@table}` each table and `{@topic}` each topic."
    )
    head = [
        "# Connectors",
        NOTE.format(origin="src/headwater/model/connect/connectors.json"),
        intro,
    ]
    table = _table(("classes", "role", "namespace", "name"), rows)
    return "\n\n".join([*head, table]) + "\n"


def _code(text: str | None) -> str:
    return f"`{text}`" if text else ""


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", r"\|")


REFERENCES: dict[str, Callable[[], str]] = {
    "cli.md": write_commands,
    "settings.md": write_settings,
    "connectors.md": write_connectors,
}


def main() -> None:
    is_check = "--check" in sys.argv[1:]
    stale = [name for name, write in REFERENCES.items() if not _is_current(DOCS / name, write())]
    if is_check and stale:
        sys.exit(f"stale: {', '.join(f'docs/{name}' for name in stale)}; run make references")
    for name in stale:
        (DOCS / name).write_text(REFERENCES[name]())


def _is_current(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text() == text


if __name__ == "__main__":
    main()
