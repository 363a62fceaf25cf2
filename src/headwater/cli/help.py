"""What `--help` shows of options: a flag takes no value, a repeated option one at a time."""

from typing import Any

from typer.core import TyperGroup


class HelpfulGroup(TyperGroup):
    """A group whose commands show no types where Typer's names would mislead."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _name_values(command, ctx)
        return command

    def get_params(self, ctx: Any) -> Any:
        _name_values(self, ctx)
        return super().get_params(ctx)


def _name_values(command: Any, ctx: Any) -> None:
    # The option for help is made when it is requested, and kept.
    for option in filter(None, (*command.params, command.get_help_option(ctx))):
        if getattr(option, "is_flag", False):
            # Typer would show <bool>, as if a value had to be given.
            option.metavar = ""
        elif getattr(option, "multiple", False) and option.metavar is None:
            option.metavar = "TEXT"
    for nested in getattr(command, "commands", {}).values():
        _name_values(nested, ctx)
