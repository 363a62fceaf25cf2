"""A request for an extraction, and what the settings let it choose."""

import pytest
from pydantic import ValidationError

from headwater.collect.confluent import ConfluentSettings, ExtractionRequest

SETTINGS = ConfluentSettings(
    user="KEY",
    password="env:CLOUD",
    keys=("lkc-1=A:env:ONE", "flink:env-1=B:env:TWO"),
    environment_ids=("env-1", "env-2"),
    sr_endpoints=("env-1=http://registry:8081",),
    enable_ksqldb=False,
)


def test_it_narrows_the_settings() -> None:
    found = ExtractionRequest(environment_ids=("env-1",), enable_flink=False).apply(SETTINGS)
    assert found.environment_ids == ("env-1",)
    assert (found.enable_flink, found.enable_ksqldb, found.enable_connect) == (False, False, True)
    assert ExtractionRequest().apply(SETTINGS).environment_ids == ("env-1", "env-2")


def test_it_names_keys_whose_secrets_the_settings_have() -> None:
    body = {
        "sr_credentials": {"env-1": {"api_key": "S", "api_secret": "env:ONE"}},
        "cluster_credentials": {"lkc-1": {"api_key": "C", "api_secret": "env:TWO"}},
        "sr_endpoints": {"env-1": "http://registry:8081/"},
    }
    found = ExtractionRequest.model_validate(body).apply(SETTINGS).keys_by_resource
    assert found["schema-registry:env-1"] == ("S", "env:ONE")
    assert found["lkc-1"] == ("C", "env:TWO")


def test_ids_are_a_list_or_separated_by_commas() -> None:
    body = {"environment_ids": "env-1, env-2", "cluster_ids": ["lkc-1"]}
    found = ExtractionRequest.model_validate(body)
    assert (found.environment_ids, found.cluster_ids) == (("env-1", "env-2"), ("lkc-1",))


@pytest.mark.parametrize("wrong", [7, {"env-1": True}, None, ["env-1", 7], True])
def test_what_is_no_list_of_ids_is_told_what_is_one(wrong: object) -> None:
    with pytest.raises(ValidationError) as refused:
        ExtractionRequest.model_validate({"environment_ids": wrong})
    (error,) = refused.value.errors()
    assert "not a list of environment ids, nor a comma-separated string" in error["msg"]
    assert "tuple" not in error["msg"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"environment_ids": ["env-9"]}, "'env-9' is not among those"),
        (
            {"cluster_credentials": {"lkc-1": {"api_key": "A", "api_secret": "env:HOME"}}},
            "the secret of 'lkc-1' is none",
        ),
        ({"sr_endpoints": {"env-1": "http://elsewhere"}}, "no registry of the server's settings"),
    ],
)
def test_it_sends_no_secret_elsewhere(body: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        ExtractionRequest.model_validate(body).apply(SETTINGS)


def test_a_secret_in_clear_is_refused_and_not_repeated() -> None:
    body = {"cluster_credentials": {"lkc-1": {"api_key": "A", "api_secret": "hunter2"}}}
    with pytest.raises(ValidationError) as refused:
        ExtractionRequest.model_validate(body)
    assert "only a reference to the secret" in str(refused.value)
    assert "hunter2" not in refused.value.errors(include_input=False)[0]["msg"]


@pytest.mark.parametrize("key", ["lkc-1", "lkc-1=A", "lkc-1=A:secret", "=A:env:B"])
def test_keys_are_references(key: str) -> None:
    with pytest.raises(ValidationError):
        ConfluentSettings(keys=(key,))
