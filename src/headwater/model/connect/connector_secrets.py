"""A connector's configuration and its traces without secrets, as the plugin shows them too."""

import re
from collections.abc import Collection, Mapping

from headwater.model.connect.connector_templates import Config, knowledge

HIDDEN = "***"
# Shorter ones are found in any text by chance.
_SHORTEST_SECRET = 4


def displayed(config: Config, types: Mapping[str, str]) -> dict[str, str]:
    """A configuration as events have it; `types` are those of the settings that a class defines.

    Of a setting that it does not define, only numbers, class names and the like are shown.
    """
    return {
        key: HIDDEN if _is_hidden(key, value, types) else without_secrets(value)
        for key, value in sorted(config.items())
    }


def find_secrets(config: Config, types: Mapping[str, str]) -> set[str]:
    """The values of a configuration that are hidden, and what is hidden inside of others."""
    rules = knowledge()["secrets"]
    found = {value for key, value in config.items() if _is_hidden(key, value, types)}
    for value in config.values():
        for address in re.finditer(rules["in_addresses"], value):
            user = address[0][:-1]
            found.add(user.partition(":" if ":" in user else "/")[2])
        for option in re.finditer(rules["in_options"], value):
            found.add(option[0][len(option[1]) :])
    return found


def without_secrets(text: str, secrets: Collection[str] = ()) -> str:
    """A text, such as a trace, without these secrets and whatever looks like one."""
    rules = knowledge()["secrets"]
    # The longest first: one may be part of another.
    for secret in sorted({each.strip() for each in secrets}, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, HIDDEN)
    text = re.sub(rules["in_addresses"], f"{HIDDEN}@", text)
    return re.sub(rules["in_options"], rf"\g<1>{HIDDEN}", text)


def is_secret_key(key: str) -> bool:
    """Whether a setting is a secret by its key alone, whatever plugin it is of."""
    return re.fullmatch(knowledge()["secrets"]["keys"], key) is not None


def _is_hidden(key: str, value: str, types: Mapping[str, str]) -> bool:
    rules = knowledge()["secrets"]
    if is_secret_key(key) or types.get(key) == "PASSWORD":
        return True
    if key in types or re.fullmatch(rules["shown_keys"], key):
        return False
    return re.fullmatch(rules["plain_values"], value) is None
