"""A command for each collector or publisher, with options made of its settings."""

import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_args

import typer
from pydantic import ValidationError

from headwater.cli.help import HelpfulGroup
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.config import Section
from headwater.errors import HeadwaterError
from headwater.plugins import CheckStep, Registry

# Runs an entry: called with its class, its settings, and the options of all of its kind.
RunEntry = Callable[..., None]


def plugin_app(registry: Registry, run: RunEntry, about: str) -> typer.Typer:
    """The group of commands of one kind: each entry's, and a list of them."""
    group = _plugin_group(registry, run)
    app = typer.Typer(cls=group, help=about, invoke_without_command=True)
    list_help = f"List the {registry.kind}s that are installed."

    @app.callback()
    def show(
        context: typer.Context,
        is_list: Annotated[bool, typer.Option("--list", help=list_help)] = False,
        output: OutputOption = Output.TEXT,
    ) -> None:
        if is_list:
            print_list(registry, output)
            raise typer.Exit
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())
            raise typer.Exit

    return app


def _plugin_group(registry: Registry, run: RunEntry) -> type[HelpfulGroup]:
    """A group with one command per entry beside its own; each is made when it is requested."""

    class PluginGroup(HelpfulGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            own = super().list_commands(ctx)
            return [*(name for name in registry.names() if name not in own), *own]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            # Commands of the group's own, such as `status`, are nobody else's; made ones are kept.
            if cmd_name not in self.commands and cmd_name in registry.names():
                self.add_command(_make_command(registry, cmd_name, run), cmd_name)
            return super().get_command(ctx, cmd_name)

    return PluginGroup


def _make_command(registry: Registry, name: str, run: RunEntry) -> Any:
    (summary,) = (each.summary for each in registry.entries() if each.name == name)
    try:
        entry = registry.load(name)
        function, more = _with_options(entry, run), inspect.getdoc(entry) or ""
    except HeadwaterError as error:
        # The others are still listed and run.
        function, more = _failing(error), error.message
    app = typer.Typer(add_completion=False)
    app.command(name, help=f"{summary}\n\n{more}")(function)
    return typer.main.get_command(app)


def _failing(error: HeadwaterError) -> Callable[..., None]:
    def command() -> None:
        raise error

    return command


def _with_options(entry: Any, run: RunEntry) -> Callable[..., None]:
    """A function whose parameters are the settings of an entry, then the options of its kind."""
    settings_class: type[Section] = entry.settings_class
    fields = settings_class.model_fields.items()
    own = [_parameter(name, field) for name, field in fields]
    # Those of a class that others extend come before theirs: what is required comes first.
    own.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    common = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in inspect.signature(run, eval_str=True).parameters.values()
        if parameter.name not in ("entry", "settings")
    ]

    def command(**given: Any) -> None:
        values = {parameter.name: given.pop(parameter.name) for parameter in own}
        run(entry=entry, settings=read_settings(settings_class, values), **given)

    # Typer reads both.
    command.__annotations__ = {each.name: each.annotation for each in (*own, *common)}
    command.__signature__ = inspect.Signature([*own, *common])  # type: ignore[attr-defined]
    return command


def _parameter(name: str, field: Any) -> inspect.Parameter:
    extra = field.json_schema_extra or {}
    is_required = field.is_required()
    kind = _kind(field.annotation)
    flag = f"--{name.replace('_', '-')}"
    if metavar := extra.get("argument"):
        info: Any = typer.Argument(metavar=metavar, help=field.description)
    elif kind is bool:
        negative = f"/--no-{name.replace('_', '-')}" if field.default else ""
        info = typer.Option(f"{flag}{negative}", help=field.description)
    else:
        info = typer.Option(flag, metavar=extra.get("metavar"), help=field.description)
    default = inspect.Parameter.empty if is_required else field.get_default()
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _kind(annotation: Any) -> Any:
    """What Typer makes of an option's text; choices that may be none are left to the settings."""
    if str(annotation).startswith(("tuple[", "list[")):
        return list[str]
    return str if "" in get_args(annotation) else annotation


def read_settings(settings_class: type[Section], values: dict[str, Any]) -> Section:
    """Check what was given as an entry's own settings do."""
    try:
        return settings_class(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        field = settings_class.model_fields.get(name)
        extra: Any = (field.json_schema_extra if field else None) or {}
        shown = extra.get("argument") or f"--{name.replace('_', '-')}"
        reason = first["msg"].removeprefix("Value error, ")
        raise typer.BadParameter(reason, param_hint=shown) from None


def print_list(registry: Registry, output: Output) -> None:
    """Print every entry that is installed."""
    rows = [each._asdict() for each in registry.entries()]
    print_rows(rows, ("name", "summary", "package"), output, empty=f"no {registry.kind}s")


def print_check(steps: Sequence[CheckStep], output: Output) -> None:
    """Print the steps of a check; ends the command with 1 if one failed."""
    rows = [
        {
            "step": step.name,
            "state": "ok" if step.is_ok else "problem",
            "detail": step.detail,
            "next": None if step.is_ok else step.next_step,
        }
        for step in steps
    ]
    print_rows(rows, ("step", "state", "detail", "next"), output, empty="nothing to check")
    if not all(step.is_ok for step in steps):
        raise typer.Exit(1)
