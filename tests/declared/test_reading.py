"""Files of declared jobs: what they may state, and where they are wrong."""

import json
import re
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from headwater.declared.events import design_event, event_parts
from headwater.declared.form import json_schema
from headwater.declared.reading import FilesRead, read_files
from headwater.declared.references import dataset_of

EXAMPLES = Path(__file__).parents[2] / "docs/examples/declared-jobs"
Json = dict[str, object]


def read(folder: Path, *texts: str, namespace: str | None = "jobs", **variables: str) -> FilesRead:
    files = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.yaml"
        path.write_text(text)
        files.append(str(path))
    return read_files(files, namespace, variables)


def problems(folder: Path, *texts: str, namespace: str | None = "jobs") -> list[str]:
    found = read(folder, *texts, namespace=namespace).problems
    return [f"{Path(each.place.file).name}:{each.place.line}: {each.message}" for each in found]


@pytest.mark.parametrize(
    ("reference", "namespace", "name"),
    [
        ("kafka://commerce.public.orders", "kafka", "commerce.public.orders"),
        ("kafka://broker:9092/orders", "kafka://broker:9092", "orders"),
        ("kafka://broker/orders", "kafka://broker:9092", "orders"),
        ("postgresql://db/shop.public.t", "postgres://db:5432", "shop.public.t"),
        ("mysql://[::1]/shop.t", "mysql://[::1]:3306", "shop.t"),
        ("redshift://c.eu-west-1/dev.public.t", "redshift://c.eu-west-1:5439", "dev.public.t"),
        ("bigquery://project.raw.t", "bigquery", "project.raw.t"),
        ("abfss://c@a.dfs.core.windows.net/t", "abfss://c@a.dfs.core.windows.net", "t"),
        ("s3a://bucket/a/b/", "s3://bucket", "a/b"),
        ("file:/data/x", "file", "/data/x"),
        ("postgres://db:5432/shop.public.t", "postgres://db:5432", "shop.public.t"),
        ("snowflake://org-account/DB.S.T", "snowflake://org-account", "DB.S.T"),
    ],
)
def test_references_name_datasets(reference: str, namespace: str, name: str) -> None:
    assert dataset_of(reference) == (namespace, name)


@pytest.mark.parametrize("reference", ["orders", "kafka://", "postgres://db:5432", "x:///y", "//a"])
def test_some_references_name_none(reference: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(reference))):
        dataset_of(reference)


def test_a_dataset_may_state_its_namespace(tmp_path: Path) -> None:
    (job,) = read(tmp_path, "job: {name: a, inputs: [{namespace: bigquery, name: p.d.t}]}").jobs
    assert job.inputs[0].name == ("bigquery", "p.d.t")


def test_the_examples_are_right_and_fit_the_schema() -> None:
    files = sorted(EXAMPLES.glob("*.yaml"))
    found = read_files([str(file) for file in files], "jobs", {})
    assert found.problems == []
    assert [job.name for job in found.jobs] == [
        "order-enrichment",
        "orders-to-revenue",
        "executive-revenue",
    ]
    assert json.loads((EXAMPLES / "jobs.schema.json").read_text()) == json_schema()
    validator = jsonschema_rs.validator_for(json_schema())
    for file in files:
        assert validator.is_valid(yaml.safe_load(file.read_text()))
    assert not validator.is_valid({"job": {"name": "a", "nmae": "b"}})


def test_columns_come_from_the_sql_and_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text(
        "INSERT INTO totals SELECT id, sum(price) AS s FROM orders GROUP BY id"
    )
    text = """\
job:
  name: totals
  sqlFile: job.sql
  dialect: spark
  inputs: [kafka://shop.orders, kafka://customers]
  outputs: [kafka://totals]
  columns:
    totals: {country: customers.country, s: [shop.orders.price, orders.tax]}
"""
    found = read(tmp_path, text)
    assert found.problems == []
    parts = event_parts(found.jobs[0])
    assert parts.problems == []
    event = design_event(parts)
    assert [each["name"] for each in event["inputs"]] == ["shop.orders", "customers"]
    (output,) = event["outputs"]
    fields = output["facets"]["columnLineage"]["fields"]
    sources = {
        name: [(each["name"], each["field"]) for each in one["inputFields"]]
        for name, one in fields.items()
    }
    assert sources == {
        "id": [("shop.orders", "id")],
        "s": [("shop.orders", "price"), ("shop.orders", "tax")],
        "country": [("customers", "country")],
    }
    whole = output["facets"]["columnLineage"]["dataset"]
    assert [each["transformations"][0]["subtype"] for each in whole] == ["GROUP_BY"]


def test_a_query_goes_to_the_only_output(tmp_path: Path) -> None:
    text = "job: {name: q, outputs: [kafka://t], inputs: [kafka://s], sql: SELECT a AS b FROM s}"
    event = design_event(event_parts(read(tmp_path, text).jobs[0]))
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert fields["b"]["inputFields"][0]["name"] == "s"


def test_tables_that_nobody_declares_are_reported(tmp_path: Path) -> None:
    text = "job: {name: q, outputs: [kafka://t], sql: INSERT INTO t SELECT a FROM other WHERE (}"
    parts = event_parts(read(tmp_path, text).jobs[0])
    assert parts.problems
    text = "job: {name: q, outputs: [kafka://t], sql: INSERT INTO t SELECT a FROM other}"
    parts = event_parts(read(tmp_path, text).jobs[0])
    (problem,) = parts.problems
    assert problem.message == "the SQL reads other, which is none of the declared datasets"
    # Its columns come from somewhere, which is shown: without it they would seem to have no source.
    (source,) = parts.inputs
    assert (source["namespace"], source["name"]) == ("unknown://jobs/q", "other")
    fields = parts.outputs[0]["facets"]["columnLineage"]["fields"]
    assert fields["a"]["inputFields"][0]["namespace"] == "unknown://jobs/q"


WRONG = [
    ("", "1: declares no job: `job:` or `jobs:` is missing"),
    ("- a", "1: is no mapping with the key `job` or `jobs`"),
    ("jbo: {}", "1: the key 'jbo' is not known here; only `job` and `jobs` are"),
    ("jobs: {}", "1: `jobs` is a list"),
    ("job:\n  name: 5", "2: a text is expected, and not a number"),
    ("job:\n  inputs: [kafka://a]", "1: the key is missing: name"),
    ("job:\n  name: a\n  owenr: b", "3: the key 'owenr' is not known here; is it owner?"),
    ("job:\n  name: a\n  inputs:\n  - kafka://a\n  - b", "5: 'b' names no namespace"),
    ("job:\n  name: a\n  lineage:\n    inputs:\n    - b", "5: 'b' names no namespace"),
    ("job:\n  name: a\n  inputs: kafka://a", "3: a list is expected"),
    ("job:\n  name: a", "1: names no inputs, no outputs and no SQL"),
    ("job:\n  name: a\n  type: dash", "3: 'dash' is none of batch, streaming, service, dashboard"),
    (
        "job:\n  name: a\n  type: dashboard\n  outputs: [kafka://a]",
        "4: a dashboard has inputs and no outputs",
    ),
    (
        "job:\n  name: a\n  inputs: [kafka://a, kafka://a]",
        "3: 'kafka://a' is there twice",
    ),
    ("job:\n  name: a\n  sqlFile: none.sql", "3: "),
    ("job:\n  name: a\n  sql: SELECT 1\n  sqlFile: none.sql", "4: `sql` and `sqlFile` exclude"),
    ("job:\n  name: a\n  outputs: [kafka://o]\n  columns:\n    x: {a: b.c}", "5: 'x' is none"),
    (
        "job:\n  name: a\n  inputs: [kafka://i]\n  outputs: [kafka://o]\n"
        "  columns:\n    o:\n      a: j.c",
        "7: 'j.c' is no column of an input",
    ),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_has_its_line(tmp_path: Path, text: str, expected: str) -> None:
    found = problems(tmp_path, text)
    assert any(each.startswith(f"0.yaml:{expected}") for each in found), found
    assert read(tmp_path, text).jobs == [] or "SQL" in expected or "exclude" in expected


def test_a_namespace_is_needed(tmp_path: Path) -> None:
    text = "job: {name: a, inputs: [kafka://a]}"
    (found,) = problems(tmp_path, text, namespace=None)
    assert found == "0.yaml:1: has no namespace: state it, or give --namespace"


def test_a_job_that_is_declared_twice_names_both_places(tmp_path: Path) -> None:
    text = "job: {name: a, inputs: [kafka://a]}"
    other = (
        f"# another file\njobs:\n- {text.removeprefix('job: ')}\n- {{name: b, inputs: [kafka://a]}}"
    )
    found = problems(tmp_path, text, other)
    assert found == [f"1.yaml:3: the job jobs a is declared in {tmp_path}/0.yaml:1 already"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"job: {name: \xe9}")
    files = [str(tmp_path / name) for name in ("none.yaml", "latin.yaml")]
    found = read_files([*files, str(tmp_path)], "jobs", {}).problems
    assert [each.message.split(":")[0] for each in found] == [
        "cannot be read",
        "is not UTF-8",
        "cannot be read",
    ]


def test_a_reference_to_a_cluster_alone_is_no_topic() -> None:
    with pytest.raises(ValueError, match="names a cluster and no topic"):
        dataset_of("kafka://broker:9092")


@pytest.mark.parametrize("namespace", [None, "postgres://u:s@cret@db:5432"])
def test_a_password_is_refused_and_not_shown(namespace: str | None) -> None:
    with pytest.raises(ValueError, match="at postgres://db:5432 has a password") as raised:
        dataset_of("postgres://u:s@cret@db:5432/shop.public.t", namespace)
    assert "cret" not in str(raised.value)
