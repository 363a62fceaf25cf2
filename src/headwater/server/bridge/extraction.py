"""What an extraction runs: the Confluent Cloud collector of the settings, narrowed by a request."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from pydantic import ValidationError

from headwater.collect import Collected
from headwater.collect.confluent.request import ExtractionRequest
from headwater.collect.confluent.settings import ConfluentSettings
from headwater.collect.plans import read_plans
from headwater.errors import BadConfig, WrongShape

Json = dict[str, Any]
Report = Callable[[str], None]
# Reads what a request names, and gives it as events; reports each line of progress.
Extract = Callable[[Json, Report], Iterable[Collected]]

COLLECTOR = "confluent"
_REMEDY = (
    "this server has no account of Confluent Cloud; add a section [collect.confluent] to its "
    "settings, and start it with them"
)


def read_request(values: Json) -> Json:
    """The parameters of an extraction, checked, with all defaults."""
    try:
        return ExtractionRequest.model_validate(values).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        raise WrongShape(where, first["msg"].removeprefix("Value error, ")) from None


def make_extract(sections: Mapping[str, Mapping[str, Any]]) -> Extract:
    """The extraction of a server with these sections `[collect.NAME]`, run by themselves or not."""

    def extract(params: Json, report: Report) -> Iterable[Collected]:
        settings = _find_account(sections)
        try:
            narrowed = ExtractionRequest.model_validate(params).apply(settings)
        except ValueError as error:
            raise WrongShape("params", str(error)) from None
        # Loaded when it is needed.
        from headwater.collect.confluent import extract as read_account

        return read_account(narrowed, report)

    return extract


def _find_account(sections: Mapping[str, Mapping[str, Any]]) -> ConfluentSettings:
    own = {
        name: section
        for name, section in sections.items()
        if (section.get("type") or name) == COLLECTOR
    }
    for plan in read_plans(own):
        return cast(ConfluentSettings, plan.settings)
    raise BadConfig(f"collect.{COLLECTOR}", _REMEDY)
