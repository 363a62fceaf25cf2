"""The connection of a project, as its profiles.yml has it: only to know how tables are named.

Of the templates in it `env_var` is resolved. Passwords are not looked at.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from headwater.collect.dbt.artifacts import RunResults
from headwater.collect.dbt.settings import DbtSettings
from headwater.config import all_variables
from headwater.errors import BadConfig

Json = dict[str, Any]

_ENV_VAR = re.compile(
    r"""\{\{\s*env_var\(\s*(['"])(?P<name>\w+)\1\s*(?:,\s*(['"])(?P<other>.*?)\3\s*)?\)"""
    r"""\s*(?:\|\s*\w+\s*)*\}\}"""
)
_SETTINGS = "give --namespace, or --profiles, --profile and --profile-target"


class ProfileOutput(NamedTuple):
    """One target of a profile, and where it is written."""

    place: str
    values: Mapping[str, Any]

    def get(self, *keys: str) -> str:
        """The first of some keys that has a value, its variables resolved."""
        for key in keys:
            value = self.values.get(key)
            if value not in (None, ""):
                return self._resolve(key, str(value))
        raise BadConfig(self.place, f"has no '{keys[0]}', by which tables are named; {_SETTINGS}")

    def find(self, key: str) -> str:
        """The value of a key that need not be there."""
        return self.get(key) if self.values.get(key) not in (None, "") else ""

    def _resolve(self, key: str, value: str) -> str:
        def variable(match: re.Match[str]) -> str:
            found = all_variables().get(match["name"], match["other"])
            if found is None:
                reason = f"'{key}' needs the variable {match['name']}, which is not set"
                raise BadConfig(self.place, f"{reason}; set it, or {_SETTINGS}")
            return str(found)

        found = _ENV_VAR.sub(variable, value)
        if "{{" in found or "{%" in found:
            reason = f"'{key}' is a template that is not understood: {value[:100]}"
            raise BadConfig(self.place, f"{reason}; {_SETTINGS}")
        return found


def read_profile(settings: DbtSettings, results: RunResults | None) -> ProfileOutput:
    """The profile's target that a project uses; raises BadConfig where none can be found."""
    args = results.args if results else {}
    folders = _folders(settings, args)
    file = next((f for each in folders if (f := each / "profiles.yml").is_file()), None)
    if file is None:
        looked = ", ".join(str(each) for each in folders)
        raise BadConfig("--profiles", f"there is no profiles.yml in {looked}; {_SETTINGS}")
    profiles = _read_yaml(file)
    project = _project_folder(settings) / "dbt_project.yml"
    name = settings.profile or _text(args.get("profile"))
    if not name and project.is_file():
        name = _text(_read_yaml(project).get("profile"))
    names = [key for key in profiles if key != "config"]
    name = name or (names[0] if len(names) == 1 else "")
    profile = profiles.get(name)
    if not isinstance(profile, dict) or not isinstance(profile.get("outputs"), dict):
        known = ", ".join(map(str, names)) or "none"
        raise BadConfig(str(file), f"has no profile '{name}'; it has {known}; {_SETTINGS}")
    chosen = settings.profile_target or _text(args.get("target"))
    chosen = chosen or ProfileOutput(str(file), profile).find("target") or "default"
    output = profile["outputs"].get(chosen)
    if not isinstance(output, dict):
        known = ", ".join(map(str, profile["outputs"]))
        raise BadConfig(
            str(file), f"profile '{name}' has no target '{chosen}'; it has {known}; {_SETTINGS}"
        )
    return ProfileOutput(f"{file}, {name}.{chosen}", output)


def _folders(settings: DbtSettings, args: Mapping[str, Any]) -> Sequence[Path]:
    if settings.profiles is not None:
        return [settings.profiles]
    found = [Path(_text(args.get("profiles_dir")))] if args.get("profiles_dir") else []
    return list(dict.fromkeys([*found, _project_folder(settings), Path.home() / ".dbt"]))


def _project_folder(settings: DbtSettings) -> Path:
    return settings.target.absolute().parent


def _read_yaml(file: Path) -> Json:
    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadConfig(str(file), f"cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        # Its text may hold a password: only the place is shown.
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark else ""
        raise BadConfig(str(file), f"is no YAML{place}; {_SETTINGS}") from None
    return found if isinstance(found, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
