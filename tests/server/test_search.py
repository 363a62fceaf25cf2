"""`/search`: what is found, in which order, and what is said of it."""

from typing import Any
from uuid import UUID

import pytest

from testing.api import Api, error_of
from testing.events.minimal import JOBS, TABLES, dataset, run_event, schema
from tests.server.lineage import edit

OWNERS = {"owners": [{"name": "team:logistics", "type": "MAINTAINER"}]}
KAFKA = "kafka://broker:9092"


def names(api: Api, q: str, **parameters: Any) -> list[str]:
    """The names that are found, all of them."""
    found = api.read("/search", q=q, **{"limit": 1000, **parameters})
    if not {"limit", "offset"} & parameters.keys():
        assert found["totalCount"] == len(found["results"])
    return [result["name"] for result in found["results"]]


def match(api: Api, q: str, name: str) -> tuple[str, str]:
    results = api.read("/search", q=q, limit=1000)["results"]
    (found,) = [result["match"] for result in results if result["name"] == name]
    return found["in"], found["text"]


def store(api: Api, *outputs: Any, at: str = "2024-05-01T10:00:00Z", job: str = "zz") -> None:
    """A job that writes tables, given by name or whole."""
    tables = [dataset(each) if isinstance(each, str) else each for each in outputs]
    run = str(UUID(int=hash((at, job)) % 2**128))
    api.store(run_event("COMPLETE", at=at, job=job, run=run, outputs=tables))


def person(api: Api, name: str, at: str, **values: Any) -> None:
    """A person's edit of a table."""
    entity = {"type": "dataset", "namespace": TABLES, "name": name}
    edit(api, {"eventTime": at, "edit": {"actor": "ann", "entity": entity, **values}})


def test_names_are_ranked_by_how_they_answer(api: Api) -> None:
    store(
        api,
        *("reorders", "all_orders", "daily_orderly", "orders", "orders_daily", "oders", "invoices"),
        dataset("carts", schema=schema(orders="INT")),
    )
    expected = ["orders", "orders_daily", "all_orders", "reorders", "carts", "oders"]
    assert names(api, "orders") == expected
    assert names(api, "ORDERS") == expected
    # What is a prefix of one name is inside another.
    assert names(api, "order")[:2] == ["orders", "orders_daily"]


def test_the_last_part_of_a_name_counts_as_its_beginning(api: Api) -> None:
    store(api, "orders_archive", "shop.public.orders", "shop.orders.lines")
    assert names(api, "orders") == ["shop.public.orders", "orders_archive", "shop.orders.lines"]


def test_within_a_rank_the_shorter_then_the_newer_comes_first(api: Api) -> None:
    store(api, "orders_aa", "orders_bb", "orders_a")
    store(api, "orders_bb", at="2024-05-02T10:00:00Z")
    assert names(api, "orders") == ["orders_a", "orders_bb", "orders_aa"]


def test_every_word_must_be_found_wherever_it_is(api: Api) -> None:
    store(
        api,
        dataset("orders_daily", schema=schema(customer_id="INT")),
        dataset("orders_hourly", ownership=OWNERS),
        "customers_daily",
    )
    assert names(api, "orders daily") == ["orders_daily"]
    assert names(api, "daily   orders!") == ["orders_daily"]
    assert names(api, "orders customer") == ["orders_daily"]
    assert names(api, "logistics orders") == ["orders_hourly"]
    assert names(api, "orders ho") == ["orders_hourly"]
    assert names(api, "orders nothing") == []
    assert match(api, "orders customer", "orders_daily") == ("column", "customer_id")


def test_what_is_typed_so_far_finds_what_begins_so(api: Api) -> None:
    store(api, "warehouse.orders", "offers", "reports")
    assert names(api, "o") == ["offers", "warehouse.orders"]
    assert names(api, "or") == ["warehouse.orders"]
    assert names(api, "w") == ["warehouse.orders"]
    assert names(api, "ord") == ["warehouse.orders"]
    assert names(api, "rders") == ["warehouse.orders"]


@pytest.mark.parametrize("wrong", ["kavka", "kafkaa", "kafk", "akfka", "kfaka", "kafak", "xafka"])
def test_one_wrong_letter_in_five_still_finds_it(api: Api, wrong: str) -> None:
    store(api, "kafka_lag", dataset("consumers", schema=schema(kafka_offset="INT")), "postgres_lag")
    assert names(api, wrong) == ["kafka_lag", "consumers"]


def test_words_of_four_letters_are_taken_as_they_are(api: Api) -> None:
    store(api, "cart")
    assert names(api, "care") == []


@pytest.mark.parametrize(
    ("q", "place", "text"),
    [
        ("customer", "column", "customer_id"),
        ("nested", "column", "address.nested_city"),
        ("everything", "description", "Everything that was sold."),
        ("logistics", "owner", "team:logistics"),
        ("sensitive", "tag", "sensitive"),
        ("primary", "description", "The primary key"),
        ("sales", "name", "sales"),
    ],
)
def test_what_matched_is_reported(api: Api, q: str, place: str, text: str) -> None:
    fields = [
        {"name": "id", "type": "INT", "description": "The primary key"},
        {"name": "customer_id", "type": "INT"},
        {"name": "address", "type": "STRUCT", "fields": [{"name": "nested_city"}]},
    ]
    described = dataset(
        "sales",
        schema={"fields": fields},
        documentation={"description": "Everything that was sold."},
        ownership=OWNERS,
        tags={"tags": [{"key": "sensitive", "value": "true", "source": "dbt"}]},
    )
    store(api, described)
    assert match(api, q, "sales") == (place, text)


def test_what_is_stated_no_more_is_not_found(api: Api) -> None:
    first = dataset(
        "sales", schema=schema(coupon="INT"), documentation={"description": "Unfinished."}
    )
    then = dataset("sales", schema=schema(price="INT"), documentation={"description": "Complete."})
    store(api, first)
    assert names(api, "coupon") == names(api, "unfinished") == ["sales"]
    store(api, then, at="2024-05-02T10:00:00Z")
    assert names(api, "coupon") == names(api, "unfinished") == []
    assert names(api, "price") == names(api, "complete") == ["sales"]


def test_jobs_and_datasets_are_distinguished(api: Api) -> None:
    store(api, "orders", job="load_orders")
    found = api.read("/search", q="orders")
    assert found["totalCount"] == 2
    assert found["results"] == [
        {
            "name": "orders",
            "type": "DATASET",
            "updatedAt": "2024-05-01T10:00:00.000000Z",
            "namespace": TABLES,
            "nodeId": f"dataset:{TABLES}:orders",
            "match": {"in": "name", "text": "orders"},
        },
        {
            "name": "load_orders",
            "type": "JOB",
            "updatedAt": "2024-05-01T10:00:00.000000Z",
            "namespace": JOBS,
            "nodeId": f"job:{JOBS}:load_orders",
            "match": {"in": "name", "text": "load_orders"},
        },
    ]
    assert names(api, "orders", filter="JOB") == ["load_orders"]
    assert names(api, "orders", filter="dataset") == ["orders"]


def test_filters_narrow(api: Api) -> None:
    kind = {"processingType": "BATCH", "integration": "SPARK"}
    tagged = dataset("orders_eu", tags={"tags": [{"key": "PII", "field": "email"}]})
    api.store(
        run_event("COMPLETE", job="orders_job", job_facets={"jobType": kind}, outputs=[tagged]),
        run_event(
            "FAIL",
            at="2024-06-01T10:00:00Z",
            job="orders_failing",
            run="01890000-0000-7000-8000-000000000009",
            inputs=[dataset("orders", KAFKA)],
        ),
    )
    assert sorted(names(api, "orders")) == ["orders", "orders_eu", "orders_failing", "orders_job"]
    assert names(api, "orders", namespace=KAFKA) == ["orders"]
    assert names(api, "orders", namespace="no such") == []
    assert names(api, "orders", system="Kafka") == ["orders"]
    assert names(api, "orders", system="spark") == ["orders_job"]
    assert names(api, "orders", tag="pii") == ["orders_eu"]
    assert names(api, "orders", state="failed") == ["orders_failing"]
    assert names(api, "orders", after="2024-05-15") == ["orders", "orders_failing"]
    assert names(api, "orders", before="2024-05-15") == ["orders_eu", "orders_job"]
    assert names(api, "orders", before="2024-05-15", filter="JOB") == ["orders_job"]
    assert names(api, "orders", tag="pii", state="FAILED") == []


def test_lists_are_sorted_and_paged_as_requested(api: Api) -> None:
    tables = [f"orders_{number:03d}" for number in range(250)]
    store(api, *tables)
    store(api, "orders_100", at="2024-05-02T10:00:00Z")
    assert names(api, "orders", sort="NAME") == tables
    assert names(api, "orders", sort="update_at")[0] == "orders_100"
    first = api.read("/search", q="orders")
    assert len(first["results"]) == 10
    assert first["totalCount"] == 250
    paged = [
        name
        for offset in range(0, 270, 30)
        for name in names(api, "orders", limit=30, offset=offset)
    ]
    assert sorted(paged) == tables
    assert paged == names(api, "orders")
    assert names(api, "orders", limit=0) == []
    assert names(api, "orders", offset=2**62, limit=5) == []


def test_pages_go_on_through_names_and_what_is_stated_and_what_is_near(api: Api) -> None:
    near = [f"ordes_{number}" for number in range(8)]
    said = [dataset(f"table_{number}", schema=schema(orders="INT")) for number in range(8)]
    store(api, *(f"orders_{number}" for number in range(8)), *said, *near)
    every = names(api, "orders")
    assert len(every) == 24
    assert {name[:5] for name in every[8:16]} == {"table"}
    assert set(every[16:]) == set(near)
    paged = [name for at in range(0, 24, 5) for name in names(api, "orders", limit=5, offset=at)]
    assert paged == every


def test_what_very_many_say_is_found_with_another_word(api: Api) -> None:
    tables = [dataset(f"t{number}", schema=schema(customer_name="INT")) for number in range(250)]
    others = ("orders_us", dataset("unrelated", schema=schema(orders="INT")))
    store(api, *tables, dataset("orders_eu", schema=schema(customer_name="INT")), *others)
    # Not all of those are looked at.
    assert len(names(api, "customer")) == 150
    assert names(api, "orders customer") == ["orders_eu"]
    assert names(api, "orders customer_name") == ["orders_eu"]
    assert match(api, "orders customer", "orders_eu") == ("column", "customer_name")
    assert names(api, "t249 customer") == ["t249"]


def test_words_written_as_one_are_a_column(api: Api) -> None:
    store(
        api,
        dataset("carts", schema=schema(customer_id="INT", price="INT")),
        dataset("prices", schema=schema(customer="INT", id="INT")),
    )
    assert match(api, "customer_id", "carts") == ("column", "customer_id")
    assert names(api, "price_id") == ["carts", "prices"]


def test_words_of_the_namespace_narrow(api: Api) -> None:
    store(api, "orders", dataset("orders", KAFKA), dataset("clicks", KAFKA))
    narrowed = api.read("/search", q="kafka orders")
    assert [result["namespace"] for result in narrowed["results"]] == [KAFKA]
    assert names(api, "broker") == ["clicks", "orders"]
    assert match(api, "broker", "clicks") == ("namespace", KAFKA)
    assert names(api, "broker", limit=1, offset=1) == ["orders"]
    assert names(api, "broker", filter="JOB") == []
    assert names(api, "broker", system="kafka", sort="UPDATE_AT") == ["clicks", "orders"]


def test_what_is_deleted_is_not_found_until_it_is_restored(api: Api) -> None:
    store(api, dataset("orders", schema=schema(customer="INT")), "orders_daily")
    person(api, "orders", "2024-05-02T10:00:00Z", set={"deleted": True})
    assert names(api, "orders") == ["orders_daily"]
    assert names(api, "customer") == []
    assert names(api, "orders daily") == ["orders_daily"]
    assert names(api, "postgres") == ["orders_daily"]
    person(api, "orders", "2024-05-03T10:00:00Z", set={"deleted": False})
    assert names(api, "orders") == ["orders", "orders_daily"]
    person(api, "orders", "2024-05-04T10:00:00Z", set={"deleted": True})
    store(api, "orders", at="2024-05-05T10:00:00Z")
    assert names(api, "orders") == ["orders", "orders_daily"]


def test_a_persons_word_is_found(api: Api) -> None:
    store(api, dataset("orders", documentation={"description": "Made by machines."}))
    told = {"documentation": {"description": "Written by humans."}, "tag/golden": True}
    person(api, "orders", "2024-05-02T10:00:00Z", set=told)
    assert match(api, "humans", "orders") == ("description", "Written by humans.")
    assert match(api, "golden", "orders") == ("tag", "golden")
    assert names(api, "orders", tag="golden") == ["orders"]
    assert names(api, "machines") == []
    person(api, "orders", "2024-05-03T10:00:00Z", unset=["documentation", "tag/golden"])
    assert names(api, "golden") == names(api, "humans") == []
    assert names(api, "machines") == ["orders"]


def test_a_job_that_was_only_edited_is_not_found(api: Api) -> None:
    entity = {"type": "job", "namespace": JOBS, "name": "unheard"}
    values = {"actor": "ann", "entity": entity, "set": {"tag/golden": True}}
    edit(api, {"eventTime": "2024-05-01T10:00:00Z", "edit": values})
    assert names(api, "unheard") == names(api, "golden") == []
    api.store(run_event(job="unheard"))
    assert names(api, "unheard") == names(api, "golden") == ["unheard"]


NOTHING = (
    "%",
    "_",
    "*",
    '"',
    "\\",
    "(",
    "\0",
    "☃",
    "'; DROP TABLE dataset; --",
    "NEAR(a b)",
    "x OR y",
)
ORDERS = ("orders%", '"orders"', "ord*ers", "orders:", "-orders", "^orders", "orders\0", "{orders}")


@pytest.mark.parametrize("q", NOTHING + ORDERS)
def test_signs_are_text(api: Api, q: str) -> None:
    """They part words, and no more."""
    store(api, "orders", "unrelated")
    assert names(api, q) == (["orders"] if q in ORDERS else [])


@pytest.mark.parametrize(
    ("parameters", "where"),
    [
        ({}, "q"),
        ({"q": ""}, "q"),
        ({"q": "  "}, "q"),
        ({"q": "a" * 10_000}, "q"),
        ({"q": " ".join(f"word{number}" for number in range(100))}, "q"),
        ({"q": "a", "filter": "TABLE"}, "filter"),
        ({"q": "a", "sort": "size"}, "sort"),
        ({"q": "a", "state": "asleep"}, "state"),
        ({"q": "a", "limit": -1}, "limit"),
        ({"q": "a", "limit": 10_001}, "limit"),
        ({"q": "a", "offset": -1}, "offset"),
        ({"q": "a", "before": "yesterday"}, "before"),
        ({"q": "a", "after": "2024-13-01"}, "after"),
    ],
)
def test_what_cannot_be_requested_is_refused(
    sqlite_api: Api, parameters: dict[str, Any], where: str
) -> None:
    error_of(sqlite_api.get("/search", **parameters), 400, where)


@pytest.mark.parametrize("parameter", ["namespace", "system", "tag"])
@pytest.mark.parametrize("value", ["'", "%", "\0", '"; --', "x" * 3_000])
def test_filters_are_text_as_well(api: Api, parameter: str, value: str) -> None:
    store(api, "orders")
    assert names(api, "orders", **{parameter: value}) == []


def test_letters_of_other_alphabets_are_letters(api: Api) -> None:
    store(api, "ÜBERSICHT_Größe", "заказы", "注文")
    assert names(api, "übersicht") == names(api, "größe") == ["ÜBERSICHT_Größe"]
    assert names(api, "grosse") == []
    assert names(api, "Заказы") == names(api, "закажы") == ["заказы"]
    assert names(api, "注") == ["注文"]


def v2(api: Api, path: str, **parameters: Any) -> Any:
    answer = api.client.get(f"/api/v2beta/search/{path}", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    ("processing", "type"), [("STREAMING", "STREAM"), ("service", "SERVICE"), (7, "BATCH")]
)
def test_a_jobs_type_is_that_of_lists(api: Api, processing: Any, type: str) -> None:
    api.store(run_event(job="load", job_facets={"jobType": {"processingType": processing}}))
    (hit,) = v2(api, "jobs", q="load")["hits"]
    (listed,) = api.read(f"/namespaces/{JOBS}/jobs")["jobs"]
    assert hit["type"] == listed["type"] == type


def test_what_opensearch_would_find_is_found(api: Api) -> None:
    code = {"language": "python", "sourceCode": "print()"}
    api.store(
        run_event(
            "FAIL",
            job="Orders_load",
            job_facets={"sourceCode": code, "jobType": {"processingType": "STREAMING"}},
            run_facets={"processing_engine": {"name": "spark", "version": "4"}},
            outputs=[dataset("orders", schema=schema(customer_id="INT"))],
        )
    )
    jobs = v2(api, "jobs", q="orders")
    (job,) = jobs["hits"]
    assert jobs["highlights"] == [{"name": ["<em>Orders</em>_load"]}]
    assert (job["name"], job["namespace"], job["type"]) == ("Orders_load", JOBS, "STREAM")
    assert (job["run_id"], job["eventType"]) == ("01890000-0000-7000-8000-000000000001", "FAIL")
    assert job["facets"]["sourceCode"] == code
    assert job["runFacets"]["processing_engine"]["name"] == "spark"
    datasets = v2(api, "datasets", q="customer")
    (found,) = datasets["hits"]
    assert found["name"] == "orders"
    assert found["facets"]["schema"]["fields"][0]["name"] == "customer_id"
    assert datasets["highlights"] == [{"facets.schema.fields.name": ["<em>customer</em>_id"]}]
    assert v2(api, "jobs", q="nothing") == {"hits": [], "highlights": []}
    error_of(api.client.get("/api/v2beta/search/jobs"), 400, "q")
