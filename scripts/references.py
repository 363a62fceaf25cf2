"""Write the references that are made from the code: commands, settings, connectors, programs.

python -m scripts.references          writes docs/cli.md, docs/settings.md, docs/connectors.md,
                                      docs/spark-providers.md, and the tables of programs in
                                      docs/spark.md and of SQL in docs/sql.md
python -m scripts.references --check  fails if one of them is not what it would write
"""

import inspect
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from headwater.cli.main import app
from headwater.config import PREFIX, Section, Settings
from headwater.model.connect.connector_templates import knowledge
from headwater.model.connect.connectors import row_of
from headwater.spark.datasets.providers import PROVIDERS
from testing.sql_golden import read_golden

DOCS = Path(__file__).resolve().parent.parent / "docs"
CONNECTOR_CASES = DOCS.parent / "tests" / "connect" / "connector_cases.json"
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
    cases = json.loads(CONNECTOR_CASES.read_text())["connectors"]
    held = Counter(id(row_of(case["config"])) for case in cases)
    rows = [
        (
            "<br>".join(map(_code, row["classes"])),
            row["role"],
            "<br>".join(_code(f"{key}={value}") for key, value in row.get("where", {}).items()),
            _code(row.get("location", row.get("url", row.get("namespace")))),
            _code(row.get("name")),
            str(held[id(row)]),
        )
        for row in knowledge()["connectors"]
    ]
    intro = (
        "What the plugin for [Kafka Connect](connect.md) knows of connectors. In names, "
        "`{key}` is a value of the connector's configuration, `|` an alternative, `|=` a default, "
        "`key!` a value that may be empty, `key^` one in upper case, "
        "`{@table}` each table and `{@topic}` each topic, as it is after all transforms. "
        "A row is for configurations where its keys have such values (regular expressions). The "
        "last column counts the configurations in tests, by which the rules of the plugin and of "
        "`collect connect` are held; the connectors that are run for real are listed in "
        "[the page on Kafka Connect](connect.md#which-connectors)."
    )
    head = [
        "# Connectors",
        NOTE.format(origin="src/headwater/model/connect/connectors.json"),
        intro,
    ]
    head_of_table = ("classes", "role", "where", "namespace, URL or location", "name", "cases")
    table = _table(head_of_table, rows)
    return "\n\n".join([*head, table, *_transforms()]) + "\n"


# What a step of the rules does to columns.
_EFFECTS = {
    "change": "other values",
    "collapse": "all columns as one",
    "copy": "copies columns",
    "embed": "puts columns under another",
    "extract": "takes one out",
    "flatten": "joins names",
    "hoist": "puts all under another",
    "insert": "adds columns that come from none",
    "parse": "makes fields of a text",
    "select": "chooses and renames",
    "unwrap": "the new state of a row",
}


def _transforms() -> Iterator[str]:
    """What each transform does to columns, and those that do nothing to them."""
    known = knowledge()["columns"]
    rows = [
        (
            "<br>".join(map(_code, rule["classes"])),
            "<br>".join(_code(f"{key}={value}") for key, value in rule.get("where", {}).items()),
            "; ".join(map(_effect, rule["steps"])),
        )
        for rule in known["transforms"]
    ]
    yield "## Columns through transforms"
    yield (
        "A class also has its `$Key` and `$Value`. Where a setting does not match, or a class is "
        "in neither list, the columns are not known, and the gap names the class. A setting `a|b` "
        "is the first that has a value, `|=` a default."
    )
    yield _table(("classes", "where", "effect on columns"), rows)
    yield "These change no column: " + ", ".join(map(_code, known["keep"])) + "."


def _effect(step: Mapping[str, Any]) -> str:
    """A step with its settings: `chooses and renames (only a|b, drop c)`."""
    text = "masks" if step.get("masking") else _EFFECTS[step["do"]]
    settings = [f"{key} {_code(value)}" for key, value in step.items() if isinstance(value, str)]
    names = [_code(".".join(path)) for path in step.get("names", ()) if isinstance(path, list)]
    where = [f"where {_code(f'{key}={value}')}" for key, value in step.get("where", {}).items()]
    more = ", ".join([*settings[1:], *names, *where])
    return f"{text} ({more})" if more else text


PROGRAMS = ("<!-- programs: written by `make references` -->", "<!-- end of programs -->")


def write_spark() -> str:
    """The page on Spark, with a table of the programs whose lineage is held by tests."""
    from tests.spark.oracle.plain_programs import PLAIN
    from tests.spark.oracle.programs import PROGRAMS as OTHERS

    programs = (*OTHERS, *PLAIN)
    page = (DOCS / "spark.md").read_text()
    before, _, rest = page.partition(PROGRAMS[0])
    after = rest.partition(PROGRAMS[1])[2]
    rows = [(each.name, _lineage(each.columns), _sources(each.rows)) for each in programs]
    table = _table(("program", "columns", "what decides about rows"), rows)
    held = [each for each in programs if each.is_held_by_data]
    count = f"{len(rows)} programs, {len(held)} of them held by data as well:"
    return f"{before}{PROGRAMS[0]}\n\n{count}\n\n{table}\n\n{PROGRAMS[1]}{after}"


SQL_CASES = ("<!-- cases: written by `make references` -->", "<!-- end of cases -->")


def write_sql() -> str:
    """The page on SQL, with the cases whose lineage is held by tests, dialect by dialect."""
    page = (DOCS / "sql.md").read_text()
    before, _, rest = page.partition(SQL_CASES[0])
    after = rest.partition(SQL_CASES[1])[2]
    titles: dict[tuple[str, str], list[str]] = {}
    for case in read_golden():
        titles.setdefault((case.dialect, case.file), []).append(case.title)
    rows = [
        (dialect, f"[{Path(file).stem}](../tests/golden/sql/{file})", "; ".join(titles[key]))
        for key in sorted(titles)
        for dialect, file in [key]
    ]
    table = _table(("dialect", "file", "cases"), rows)
    count = f"{sum(map(len, titles.values()))} cases:"
    return f"{before}{SQL_CASES[0]}\n\n{count}\n\n{table}\n\n{SQL_CASES[1]}{after}"


def _lineage(columns: Mapping[str, str]) -> str:
    """The columns that a program gives, each with what it is made of."""
    lines = [f"`{name}` ← {_sources(edges) or 'nothing'}" for name, edges in columns.items()]
    return "; ".join(lines)


def _sources(edges: str) -> str:
    """`price`, `quantity` of "price AGGREGATION, quantity AGGREGATION"."""
    names = [edge.partition(" ")[0] for edge in edges.split(", ") if edge]
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


def write_providers() -> str:
    """Every known provider of Spark's sources and sinks, with how its datasets are named."""
    rows = [
        (
            ", ".join(map(_code, provider.formats)),
            provider.options,
            provider.namespace,
            provider.dataset,
            "a test runs it" if provider.is_run else "documentation only",
        )
        for provider in PROVIDERS
    ]
    intro = (
        "Sources and sinks of [Spark programs](spark.md) that are named by their options. Kafka, "
        "Iceberg, Hive and files of every format are named by Spark's plans as well. A provider "
        "that is not in this table is reported as a gap, by its class and options, without secrets."
    )
    origin = "src/headwater/spark/datasets/providers.py"
    head = ["# Providers of Spark's sources and sinks", NOTE.format(origin=origin), intro]
    table = _table(("format", "options", "namespace", "name", "known from"), rows)
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
    "spark.md": write_spark,
    "spark-providers.md": write_providers,
    "sql.md": write_sql,
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
