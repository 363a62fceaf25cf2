"""`headwater connect-plugin`: the jar for the workers of Kafka Connect, from this installation."""

import json
import os
import shlex
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated

import typer

import headwater
from headwater.cli.output.printing import Output, OutputOption
from headwater.errors import InvalidRequest, NotInstalled
from headwater.model.connect.connectors import EXTENSION_CLASS, TRANSFORM_CLASS

# A wheel has it; in a clone `make connect` builds it.
JAR = Path(headwater.__file__).parent / "connect_plugin" / "headwater-connect.jar"
# Others than the account that writes it run the workers.
_MODE = 0o644
_CONNECTOR = {"transforms": "openlineage", "transforms.openlineage.type": TRANSFORM_CLASS}


def connect_plugin(
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            metavar="DIR",
            help="Folder for the jar, on the plugin.path of the workers and without other jars; "
            "created if it does not exist.",
        ),
    ],
    output: OutputOption = Output.TEXT,
) -> None:
    """Write the plugin for Kafka Connect, headwater-connect.jar, into a folder.

    Workers with this jar report every connector of their cluster: its state, datasets and volume,
    and with the transform the schemas of its records. The settings to add are printed.

    After an upgrade of Headwater run it again: an existing jar is replaced, and workers load it
    at their next start. docs/connect.md has the rest.

        headwater connect-plugin --to /opt/kafka/plugins/headwater
    """
    folder = to.absolute()
    is_replaced = (folder / JAR.name).exists()
    file = write_plugin(folder)
    worker = {
        "plugin.path": str(folder),
        "rest.extension.classes": EXTENSION_CLASS,
        "headwater.url": "http://localhost:5000",
    }
    if output is Output.JSON:
        result = {"file": str(file), "replaced": is_replaced}
        typer.echo(json.dumps({**result, "worker": worker, "connector": _CONNECTOR}, indent=2))
        return
    typer.echo(f"{'replaced' if is_replaced else 'wrote'} {shlex.quote(str(file))}")
    # Beside standard output: what is printed there is the result.
    typer.echo(_next_steps(worker), err=True)


def write_plugin(folder: Path) -> Path:
    """Write the jar into a folder, where it appears when it is whole; returns its file."""
    if not JAR.is_file():
        raise NotInstalled(
            "the plugin for Kafka Connect",
            "this Headwater was built without it: in a clone run `make connect`; "
            "elsewhere install a wheel that was built where Maven and a JDK are",
        )
    file = folder / JAR.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(file, JAR.read_bytes())
    except OSError as error:
        raise InvalidRequest(
            "--to",
            f"cannot write '{file}': {error.strerror}; give a folder that you may write to",
        ) from None
    return file


def _replace(file: Path, content: bytes) -> None:
    # Not named as a jar: a worker that starts meanwhile must not load a part of one.
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as partial:
        try:
            partial.write(content)
            partial.flush()
            os.fsync(partial.fileno())
            os.fchmod(partial.fileno(), _MODE)
            Path(partial.name).replace(file)
        except BaseException:
            Path(partial.name).unlink(missing_ok=True)
            raise


def _next_steps(worker: dict[str, str]) -> str:
    return "\n".join(
        (
            "",
            "Add to the configuration of each worker, then restart it:",
            *_lines(worker),
            "plugin.path is a list: append the folder, or leave it if it lists the one above it.",
            "headwater.url is the address of your server.",
            "",
            "For the schemas of records, add to the configuration of a connector:",
            *_lines(_CONNECTOR),
            "docs/connect.md has all settings.",
        )
    )


def _lines(settings: dict[str, str]) -> list[str]:
    return [f"  {key}={value}" for key, value in settings.items()]
