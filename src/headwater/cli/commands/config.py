"""`headwater config`: which settings are in force, and why."""

import typer

from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.config import Setting, explain_settings

app = typer.Typer(help="Show the settings.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Show the settings."""


@app.command()
def show(output: OutputOption = Output.TEXT) -> None:
    """Print every setting, its value and its origin; secrets are masked.

    A setting comes from headwater.toml (or the file HEADWATER_CONFIG names), then from a variable
    like HEADWATER__SERVER__PORT, then from a command's own flags.
    """
    rows = [
        {"setting": found.key, "value": shown_value(found), "from": found.source}
        for found in explain_settings()
    ]
    print_rows(rows, ("setting", "value", "from"), output, empty="no settings")


def shown_value(setting: Setting) -> str:
    """A value fit to print: passwords in URLs and whatever hides itself stay hidden."""
    if isinstance(setting.value, dict):
        # Of any of them nobody here knows whether it is a secret.
        return ", ".join(f"{key}=***" for key in sorted(setting.value)) or "-"
    text = str(setting.value)
    if "://" in text:
        from headwater.store.engine import describe

        return describe(text)
    return text or "-"
