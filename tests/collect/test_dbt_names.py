"""How `collect dbt` names tables: by the profile of each adapter, as dbt-ol does."""

from pathlib import Path
from typing import Any

import pytest

from headwater.collect.dbt.fetch import read_project
from headwater.collect.dbt.profiles import ProfileOutput
from headwater.collect.dbt.settings import DbtSettings
from headwater.collect.dbt.warehouses import TableParts, find_warehouse, name_warehouse
from headwater.errors import BadConfig
from testing.dbt_project import small_project

ACCOUNT = {"role_arn": "arn:aws:iam::123456789012:role/dbt"}
TABLE = TableParts("db", "main", "orders", "db.main.orders")


@pytest.mark.parametrize(
    ("adapter", "profile", "namespace", "others"),
    [
        ("postgres", {"host": "db", "port": 5433}, "postgres://db:5433", []),
        ("postgres", {"host": "db"}, "postgres://db:5432", []),
        ("mysql", {"server": "db"}, "mysql://db:3306", []),
        ("trino", {"host": "t", "port": 443}, "trino://t:443", []),
        ("sqlserver", {"server": "s"}, "mssql://s:1433", []),
        ("fabric", {"server": "s"}, "fabric-warehouse://s", []),
        ("dremio", {"software_host": "d", "port": 9047}, "dremio://d:9047", []),
        ("newcomer", {"host": "h", "port": 1}, "newcomer://h:1", []),
        ("spark", {"host": "s", "method": "thrift"}, "spark://s:10001", []),
        ("spark", {"host": "s", "method": "odbc"}, "spark://s:443", []),
        ("spark", {"host": "s", "method": "thrift", "port": 10000}, "spark://s:10000", []),
        ("duckdb", {"path": "/data/a.duckdb"}, "duckdb:///data/a.duckdb", []),
        ("duckdb", {"path": "md:shop?motherduck_token=secret"}, "duckdb://md:shop", []),
        ("snowflake", {"account": "org-acc"}, "snowflake://org-acc", ["DB.MAIN.ORDERS"]),
        (
            "snowflake",
            {"account": "xy1"},
            "snowflake://xy1.us-west-1.aws",
            ["DB.MAIN.ORDERS", "snowflake://xy1 db.main.orders", "snowflake://xy1 DB.MAIN.ORDERS"],
        ),
        (
            "redshift",
            {"host": "c1.abc.eu-west-1.redshift.amazonaws.com", "port": 5439},
            "redshift://c1.abc.eu-west-1.redshift.amazonaws.com:5439",
            ["redshift://c1.eu-west-1:5439 db.main.orders"],
        ),
        ("redshift", {"host": "localhost"}, "redshift://localhost:5439", []),
        (
            "databricks",
            {"host": "adb-1.azuredatabricks.net"},
            "databricks://adb-1.azuredatabricks.net",
            ["unitycatalog://adb-1.azuredatabricks.net db.main.orders"],
        ),
        (
            "athena",
            {"region_name": "eu-west-1", "assume_role_arn": ACCOUNT["role_arn"]},
            "awsathena://athena.eu-west-1.amazonaws.com",
            ["arn:aws:glue:eu-west-1:123456789012 table/main/orders"],
        ),
        (
            "glue",
            {"region": "eu-west-1", **ACCOUNT},
            "arn:aws:glue:eu-west-1:123456789012",
            ["table/main/orders"],
        ),
    ],
)
def test_each_adapter(
    adapter: str, profile: dict[str, Any], namespace: str, others: list[str]
) -> None:
    warehouse = name_warehouse(adapter, ProfileOutput("profiles.yml", profile))
    own = warehouse.dataset(TABLE)
    assert own == (namespace, "db.main.orders")
    found = warehouse.other_names(TABLE)
    short = [
        each.name if each.namespace == namespace else f"{each.namespace} {each.name}"
        for each in found
    ]
    assert short == others


@pytest.mark.parametrize(
    ("profile", "port"),
    [
        ({}, "8123"),
        ({"secure": True}, "8443"),
        ({"driver": "native", "secure": True}, "9440"),
        ({"port": 9000}, "9000"),
    ],
)
def test_tables_of_clickhouse_are_the_same_by_each_usual_port(
    profile: dict[str, Any], port: str
) -> None:
    warehouse = name_warehouse("clickhouse", ProfileOutput("p", {"host": "ch", **profile}))
    table = TableParts("", "raw", "orders")
    assert warehouse.dataset(table) == (f"clickhouse://ch:{port}", "raw.orders")
    names = {warehouse.dataset(table), *warehouse.other_names(table)}
    assert ("clickhouse://ch:8443", "raw.orders") in names


def test_another_port_of_clickhouse_is_that_alone() -> None:
    warehouse = name_warehouse("clickhouse", ProfileOutput("p", {"host": "ch", "port": 18123}))
    assert warehouse.other_names(TABLE) == []


@pytest.mark.parametrize(
    ("adapter", "profile", "wrong"),
    [
        ("postgres", {"host": "db", "port": "usual"}, "'port' is no number: 'usual'"),
        ("redshift", {"host": "c.x.eu-west-1.redshift.amazonaws.com", "port": "x"}, "'port'"),
        ("glue", {"region": "eu-west-1", "role_arn": "lineage"}, "'role_arn' is none of AWS"),
    ],
)
def test_what_a_profile_cannot_mean(adapter: str, profile: dict[str, Any], wrong: str) -> None:
    with pytest.raises(BadConfig, match=wrong):
        name_warehouse(adapter, ProfileOutput("profiles.yml", profile))


def test_quoted_names_of_snowflake_are_as_they_are_written() -> None:
    warehouse = name_warehouse("snowflake", ProfileOutput("p", {"account": "org-acc"}))
    assert warehouse.other_names(TABLE._replace(relation_name='"db"."main"."orders"')) == []
    (other,) = warehouse.other_names(TABLE._replace(relation_name='db.main."orders"'))
    assert other.name == "DB.MAIN.orders"


@pytest.mark.parametrize(
    ("account", "in_url"),
    [
        ("ACME-MAIN", "acme-main"),
        ("acme-main.privatelink", "acme-main.privatelink"),
        ("xy1.eu-central-1", "xy1.eu-central-1"),
        ("XY1.eu-central-1", "xy1.eu-central-1"),
        ("xy1.eu-central-1.aws", "xy1.eu-central-1"),
        ("xy1.west-europe.azure", "xy1.west-europe.azure"),
    ],
)
def test_tables_of_snowflake_have_the_name_that_a_connector_gives_by_its_url(
    account: str, in_url: str
) -> None:
    warehouse = name_warehouse("snowflake", ProfileOutput("p", {"account": account}))
    names = [warehouse.dataset(TABLE), *warehouse.other_names(TABLE)]
    assert (f"snowflake://{in_url}", "DB.MAIN.ORDERS") in names


def test_without_a_database_or_a_schema_a_name_is_shorter() -> None:
    warehouse = name_warehouse("bigquery", None)
    assert warehouse.dataset(TableParts("", "main", "t")) == ("bigquery", "main.t")


class TestProfiles:
    @pytest.fixture
    def target(self, tmp_path: Path) -> Path:
        project = small_project()
        project.ran()
        return project.write(tmp_path / "shop" / "target")

    def find(self, target: Path, text: str, **settings: Any) -> str:
        (target.parent / "profiles.yml").write_text(text)
        found = find_warehouse(DbtSettings(target=target, **settings), read_project(target))
        return found.namespace

    def test_variables_and_filters_are_resolved(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SHOP_DB_HOST", "db.internal")
        text = """
shop:
  target: dev
  outputs:
    dev:
      type: postgres
      host: "{{ env_var('SHOP_DB_HOST') }}"
      port: "{{ env_var('SHOP_DB_PORT', '5433') | as_number }}"
      password: "{{ env_var('NO_SUCH_VARIABLE') }}"
"""
        assert self.find(target, text) == "postgres://db.internal:5433"

    def test_the_targets_of_a_run_and_of_the_settings(self, target: Path) -> None:
        text = """
shop:
  target: dev
  outputs:
    dev: {type: postgres, host: dev}
    prod: {type: postgres, host: prod}
other: {outputs: {default: {type: postgres, host: other}}}
"""
        (target.parent / "dbt_project.yml").write_text("name: shop\nprofile: shop\n")
        assert self.find(target, text) == "postgres://dev:5432"
        assert self.find(target, text, profile_target="prod") == "postgres://prod:5432"
        assert self.find(target, text, profile="other") == "postgres://other:5432"

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("shop: [", "is no YAML in line"),
            ("shop: {outputs: {default: {type: postgres}}}", "has no 'host'"),
            ("shop: {outputs: {default: {type: duckdb, path: a}}}", "made with postgres"),
            ("shop: {target: x, outputs: {dev: {}}}", "has no target 'x'; it has dev"),
            ("{a: {}, b: {}}", "has no profile ''; it has a, b"),
            ("shop: {outputs: {default: {type: postgres, host: '{{ var(1) }}'}}}", "template"),
            (
                "shop: {outputs: {default: {type: postgres, host: \"{{ env_var('NO_V') }}\"}}}",
                "needs the variable NO_V",
            ),
        ],
    )
    def test_what_is_wrong_is_said_with_what_to_do(
        self, target: Path, text: str, reason: str
    ) -> None:
        with pytest.raises(BadConfig) as raised:
            self.find(target, text)
        assert reason in raised.value.message
        assert "--" in raised.value.message

    def test_a_namespace_that_is_given_needs_no_profile(self, target: Path) -> None:
        assert self.find(target, "[", namespace="postgres://x:1") == "postgres://x:1"

    def test_a_namespace_with_a_password_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no password"):
            DbtSettings(namespace="postgres://me:secret@db:5432")
