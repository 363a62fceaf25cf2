"""`/tags/{name}/report`: where a tag is, where its values go without it, where they are masked."""

from typing import Any

from headwater.model.values.instant import MINUTE
from testing.api import Api, escape
from testing.events.minimal import JOBS, TABLES, dataset, schema
from tests.server.test_health import ended

Way = tuple[str, str, bool]


def tags(*given: tuple[str, str]) -> dict[str, Any]:
    """A tags facet: each tag with its field, which is empty for the dataset itself."""
    listed = [{"key": key, "value": "true", "source": "TEST"} for key, _ in given]
    for tag, (_, field) in zip(listed, given, strict=True):
        if field:
            tag["field"] = field
    return {"tags": listed}


def made(name: str, source: str, columns: dict[str, Way], **facets: Any) -> dict[str, Any]:
    """A dataset whose columns come from another's: by column the source, type and masking."""
    fields = {
        column: {
            "inputFields": [
                {
                    "namespace": TABLES,
                    "name": source,
                    "field": of,
                    "transformations": [{"type": type, "masking": is_masking}],
                }
            ]
        }
        for column, (of, type, is_masking) in columns.items()
    }
    shape = schema(**dict.fromkeys(columns, "string"))
    return dataset(name, schema=shape, columnLineage={"fields": fields}, **facets)


def fill(api: Api) -> None:
    """people.email (pii) -> copies.email -> mails.to; masked -> hashes.email -> counts.users."""
    people = dataset(
        "people", schema=schema(email="string", city="string"), tags=tags(("PII", "email"))
    )
    copies = made("copies", "people", {"email": ("email", "DIRECT", False)})
    hashes = made(
        "hashes", "people", {"email": ("email", "DIRECT", True), "n": ("email", "INDIRECT", False)}
    )
    ended(api, "copy", 5 * MINUTE, inputs=[people], outputs=[copies])
    ended(api, "hash", 5 * MINUTE, inputs=[people], outputs=[hashes])
    mails = made("mails", "copies", {"to": ("email", "DIRECT", False)})
    ended(api, "mail", 4 * MINUTE, inputs=[dataset("copies")], outputs=[mails])
    counts = made("counts", "hashes", {"users": ("email", "DIRECT", False)})
    ended(api, "count", 4 * MINUTE, inputs=[dataset("hashes")], outputs=[counts])


def report(api: Api, tag: str = "pii", **parameters: Any) -> dict[str, Any]:
    """By state, what is in it with how far it is."""
    answer = api.read(f"/tags/{tag}/report", **parameters)
    assert answer["totalCount"] == len(answer["assets"]) == sum(answer["counts"].values())
    found: dict[str, Any] = {}
    for asset in answer["assets"]:
        name = ".".join(filter(None, (asset["name"], asset["field"])))
        found.setdefault(asset["state"], {})[name] = asset["hops"]
    return found


def edit(api: Api, name: str, field: str = "", **change: Any) -> None:
    entity = {"type": "dataset", "namespace": TABLES, "name": name, "field": field}
    answer = api.post({"entity": entity, **change}, "/api/v1/edits")
    assert answer.status_code == 201, answer.text


class TestReport:
    def test_values_are_followed_until_they_are_masked(self, api: Api) -> None:
        fill(api)
        assert report(api) == {
            "tagged": {"people.email": 0},
            "untagged": {"copies.email": 1, "mails.to": 2},
            "masked": {"hashes.email": 1, "counts.users": 2},
        }

    def test_says_from_where_and_by_which_job(self, api: Api) -> None:
        fill(api)
        assets = {each["name"]: each for each in api.read("/tags/pii/report")["assets"]}
        assert assets["mails"]["source"] == f"datasetField:{TABLES}:people:email"
        assert assets["mails"]["jobs"] == [f"job:{JOBS}:mail"]
        assert assets["mails"]["id"] == f"datasetField:{TABLES}:mails:to"

    def test_what_people_tag_and_take_off_counts(self, api: Api) -> None:
        fill(api)
        edit(api, "copies", "email", set={"tag/PII": True})
        assert report(api)["tagged"] == {"people.email": 0, "copies.email": 0}
        assert report(api)["untagged"] == {"mails.to": 1}
        edit(api, "people", "email", set={"tag/PII": False})
        assert report(api) == {"tagged": {"copies.email": 0}, "untagged": {"mails.to": 1}}

    def test_a_dataset_that_is_tagged_begins_with_all_its_columns(self, api: Api) -> None:
        fill(api)
        edit(api, "hashes", set={"tag/secret": True})
        assert report(api, "secret") == {"tagged": {"hashes": 0}, "untagged": {"counts.users": 1}}

    def test_jobs_are_listed_too(self, api: Api) -> None:
        fill(api)
        entity = {"type": "job", "namespace": JOBS, "name": "mail"}
        api.post({"entity": entity, "set": {"tag/mine": True}}, "/api/v1/edits")
        assert report(api, "mine") == {"tagged": {"mail": 0}}

    def test_what_is_deleted_is_not(self, api: Api) -> None:
        fill(api)
        api.client.delete(f"/api/v1/namespaces/{escape(TABLES)}/datasets/copies")
        assert "copies.email" not in str(report(api))

    def test_a_tag_that_nothing_has(self, api: Api) -> None:
        fill(api)
        assert report(api, "none%2Fof%20it") == {}

    def test_a_cycle_ends(self, api: Api) -> None:
        fill(api)
        back = made("people", "copies", {"email": ("email", "DIRECT", False)})
        ended(api, "back", 3 * MINUTE, inputs=[dataset("copies")], outputs=[back])
        assert report(api)["untagged"] == {"copies.email": 1, "mails.to": 2}

    def test_says_when_it_is_cut(self, api: Api) -> None:
        fill(api)
        assert api.read("/tags/pii/report", limit=2)["isCut"] is True
        assert api.read("/tags/pii/report")["isCut"] is False
        edit(api, "copies", "email", set={"tag/pii": True})
        found = api.read("/tags/pii/report", limit=1)
        assert found["isCut"] is True
        # All that have the tag are counted.
        assert found["counts"]["tagged"] == 2
        assert sum(asset["state"] == "tagged" for asset in found["assets"]) == 1
