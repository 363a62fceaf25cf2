"""Rows for connectors of a user's own, in the format of `connectors.json`."""

import json
from collections.abc import Sequence
from pathlib import Path

from headwater.errors import BadConfig
from headwater.model.connect.column_steps import STEP_KEYS
from headwater.model.connect.connector_templates import Row

_ROLES = ("source", "sink")


def read_rows(file: Path | None) -> Sequence[Row]:
    """The rows of a file; raises BadConfig with the place of a mistake."""
    if file is None:
        return ()
    try:
        found = json.loads(file.read_bytes())
    except OSError as error:
        raise BadConfig("rows", f"'{file}' cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise BadConfig("rows", f"'{file}' is not JSON: {error}") from None
    rows = found.get("connectors") if isinstance(found, dict) else None
    if not isinstance(rows, list):
        raise BadConfig("rows", f"'{file}' has no list under 'connectors'")
    for number, row in enumerate(rows):
        if problem := _find_problem(row):
            raise BadConfig("rows", f"'{file}', connectors[{number}]: {problem}")
    return rows


def _find_problem(row: object) -> str | None:
    if not isinstance(row, dict):
        return "not an object"
    classes = row.get("classes")
    if not isinstance(classes, list) or not classes or not all(isinstance(c, str) for c in classes):
        return "'classes' is not a list of class names"
    if row.get("role") not in _ROLES:
        return "'role' is neither 'source' nor 'sink'"
    return _find_problem_of_steps(row.get("columns", []))


def _find_problem_of_steps(steps: object) -> str | None:
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        return "'columns' is not a list of steps"
    for number, step in enumerate(steps):
        kind = step.get("do")
        if kind not in STEP_KEYS:
            return f"columns[{number}]: 'do' is none of {', '.join(STEP_KEYS)}"
        if missing := [key for key in STEP_KEYS[kind] if key not in step]:
            return f"columns[{number}]: '{missing[0]}' is missing"
    return None
