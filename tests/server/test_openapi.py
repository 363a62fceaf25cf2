"""The API document is whole: every part described, with an example that is what it says."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from fastapi.routing import APIRoute, APIRouter

from headwater import __version__
from headwater.server.app import Application
from headwater.server.openapi.document import answers, operations
from headwater.server.web.pages import ASSETS, ICON, LOST, PAGES
from testing.api import Api, no_lake
from testing.events.minimal import Json

# Answers that say all with their code.
EMPTY = {("/api/v1/lineage", "201"), ("/api/v1/lineage/batch", "204")}


@pytest.fixture(scope="module")
def document(api_on_sqlite: Api) -> Json:
    found: Json = api_on_sqlite.client.get("/openapi.json").json()
    return found


# By schema: hundreds of answers are the same error. No test changes what schemas refer to.
_validators: dict[str, Any] = {}


def misfits(document: Json, schema: Json, value: Any) -> Iterator[str]:
    """Why a value is not what a schema says."""
    key = json.dumps(schema)
    if key not in _validators:
        rule = schema | {"components": document["components"]}
        _validators[key] = jsonschema_rs.validator_for(rule)
    for error in _validators[key].iter_errors(value):
        yield f"its example is wrong: {error.message}"


def content_problems(document: Json, content: Json) -> Iterator[str]:
    for media_type, media in content.items():
        schema = media.get("schema")
        if not schema:
            yield f"{media_type} has no schema"
        elif "example" not in media:
            yield f"{media_type} has no example"
        else:
            yield from misfits(document, schema, media["example"])


def response_problems(document: Json, path: str, code: str, answer: Json) -> Iterator[str]:
    if not answer.get("description"):
        yield "no description"
    content = answer.get("content")
    if content:
        yield from content_problems(document, content)
        if code >= "400" and "schemas/Error" not in str(content["application/json"]["schema"]):
            yield "is no Error"
    elif (path, code) not in EMPTY and code != "204":
        yield "no content"


def parameter_problems(document: Json, parameter: Json) -> Iterator[str]:
    if not parameter.get("description"):
        yield "no description"
    if not parameter.get("schema"):
        yield "no schema"
    elif "example" not in parameter:
        yield "no example"
    else:
        yield from misfits(document, parameter["schema"], parameter["example"])


def problems(document: Json) -> Iterator[str]:
    """All that is missing or wrong in a document, each with its place."""
    tags = {tag["name"] for tag in document["tags"]}
    for path, method, operation in operations(document):
        place = f"{method.upper()} {path}"
        for key in ("summary", "description", "operationId"):
            if not operation.get(key):
                yield f"{place}: no {key}"
        if not operation.get("tags") or not tags.issuperset(operation["tags"]):
            yield f"{place}: no tag that is described"
        if not any(code < "400" for code in operation["responses"]):
            yield f"{place}: no answer that is no error"
        for code, answer in operation["responses"].items():
            for problem in response_problems(document, path, code, answer):
                yield f"{place} {code}: {problem}"
        for parameter in operation.get("parameters", ()):
            for problem in parameter_problems(document, parameter):
                yield f"{place} {parameter['name']}: {problem}"
        if body := operation.get("requestBody"):
            for problem in content_problems(document, body.get("content", {})):
                yield f"{place} body: {problem}"


class TestDocument:
    def test_is_whole(self, document: Json) -> None:
        found = sorted(problems(document))
        assert not found, "\n".join(["not yet described:", *found])

    def test_leaves_no_route_out_but_pages(self, tmp_path: Path) -> None:
        app = Application(no_lake(f"sqlite:///{tmp_path / 'none.db'}")).routes
        routers = [getattr(found, "original_router", None) for found in app.routes]
        routes = [
            route
            for router in routers
            if isinstance(router, APIRouter)
            for route in router.routes
            if isinstance(route, APIRoute)
        ]
        hidden = {route.path for route in routes if not route.include_in_schema}
        assert hidden == {*PAGES, LOST, ICON, ASSETS + "{name}"}
        assert len(routes) > 25

    def test_says_in_a_sentence_what_each_call_does(self, document: Json) -> None:
        summaries = [operation["summary"] for _, _, operation in operations(document)]
        assert [summary for summary in summaries if not summary.endswith(".")] == []

    def test_is_shown_by_no_page_of_the_framework(self, sqlite_api: Api) -> None:
        for path in ("/redoc", "/docs/oauth2-redirect", "/docs/../app.py"):
            assert sqlite_api.client.get(path).status_code == 404, path

    def test_names_every_call_once(self, document: Json) -> None:
        names = Counter(operation["operationId"] for _, _, operation in operations(document))
        assert max(names.values()) == 1

    def test_tells_of_itself(self, document: Json) -> None:
        assert document["openapi"].startswith("3.1")
        assert document["info"]["version"] == __version__
        assert document["info"]["description"]
        assert [server["url"] for server in document["servers"]] == ["/"]
        assert all(tag["description"] for tag in document["tags"])
        assert set(document["components"]["securitySchemes"]) == {"bearer", "apiKey"}
        assert document["paths"]["/healthz"]["get"]["security"] == []

    def test_has_every_schema_that_it_refers_to_and_no_other(self, document: Json) -> None:
        referred = set(re.findall(r"#/components/schemas/([\w.-]+)", str(document)))
        assert referred == set(document["components"]["schemas"])

    def test_is_valid(self, document: Json) -> None:
        for name, schema in document["components"]["schemas"].items():
            jsonschema_rs.meta.validate(schema)
            assert schema.get("description") or schema.get("enum") or schema["properties"], name

    def test_two_shapes_of_one_name_are_noticed(self) -> None:
        from msgspec import defstruct

        one, other = defstruct("Twice", [("a", int)]), defstruct("Twice", [("b", int)])
        from headwater.server.openapi import document

        try:
            answers(one, {"a": 1})
            with pytest.raises(ValueError, match="Twice"):
                answers(other, {"b": 1})
        finally:
            document.known_shapes.pop("Twice")

    @pytest.mark.parametrize(
        ("path", "break_it", "told"),
        [
            ("/api/v1/systems", lambda it: it["responses"]["200"].pop("content"), "no content"),
            (
                "/api/v1/systems",
                lambda it: it["responses"]["200"]["content"]["application/json"]["example"].pop(
                    "totalCount"
                ),
                "totalCount",
            ),
            ("/api/v1/systems", lambda it: it.pop("description"), "no description"),
            ("/api/v1/nodes", lambda it: it["parameters"][0].pop("description"), "no description"),
            ("/api/v1/nodes", lambda it: it["parameters"][0].update(example=7), "is wrong"),
        ],
    )
    def test_what_is_missing_is_noticed(
        self, api_on_sqlite: Api, path: str, break_it: Any, told: str
    ) -> None:
        document = api_on_sqlite.client.get("/openapi.json").json()
        before = set(problems(document))
        break_it(document["paths"][path]["get"])
        (found,) = set(problems(document)) - before
        assert told in found
