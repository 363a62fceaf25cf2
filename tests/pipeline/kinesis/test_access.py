"""Credentials of AWS: from the chain, from references, of a profile; none is shown."""

from pathlib import Path
from typing import NoReturn

import pytest
from botocore.exceptions import ClientError

from headwater.access import KinesisAccess
from headwater.errors import BadConfig, BadSecret, SourceUnavailable
from headwater.pipeline.feeds.kinesis.access import DRIVER_ATTEMPTS, AwsCredentials, open_client
from testing.services.moto import REGION, Moto

PLACE = "kinesis lineage"
ROLE = "arn:aws:iam::123456789012:role/lineage"


@pytest.fixture(autouse=True)
def no_chain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither variables nor files nor a machine's own role."""
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def test_the_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    found = AwsCredentials(KinesisAccess(), PLACE)
    access = found.access()
    assert found.method == "env"
    assert access.endpoint == "https://kinesis.eu-west-1.amazonaws.com"
    assert (access.region, access.key, access.secret, access.token) == (
        *("eu-west-1", "id"),
        *("secret", "token"),
    )


def test_keys_by_reference(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KEY", "secret")
    (tmp_path / "token").write_text("token\n")
    settings = KinesisAccess(
        region="eu-west-1",
        access_key_id="id",
        secret_access_key="env:KEY",
        session_token=f"file:{tmp_path / 'token'}",
    )
    access = AwsCredentials(settings, PLACE).access()
    assert (access.key, access.secret, access.token) == ("id", "secret", "token")
    monkeypatch.delenv("KEY")
    with pytest.raises(BadSecret, match="KEY"):
        AwsCredentials(settings, PLACE)


def test_the_endpoint_of_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found by the driver: executors may have another environment."""
    monkeypatch.setenv("KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:4566")
    settings = KinesisAccess(region="eu-west-1", access_key_id="id", secret_access_key="env:KEY")
    assert AwsCredentials(settings, PLACE).access().endpoint == "http://localhost:4566"


def test_a_profile(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[profile lineage]\nregion = eu-north-1\n")
    text = "[lineage]\naws_access_key_id = id\naws_secret_access_key = secret\n"
    (tmp_path / "credentials").write_text(text)
    access = AwsCredentials(KinesisAccess(profile="lineage"), PLACE).access()
    assert (access.region, access.secret) == ("eu-north-1", "secret")
    with pytest.raises(BadConfig, match="other"):
        AwsCredentials(KinesisAccess(profile="other"), PLACE)


def test_no_credentials_at_all() -> None:
    with pytest.raises(SourceUnavailable, match="no AWS credentials were found: set AWS_ACCESS"):
        AwsCredentials(KinesisAccess(region="eu-west-1"), PLACE)


def test_no_region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "secret")
    settings = KinesisAccess(access_key_id="id", secret_access_key="env:KEY")
    with pytest.raises(BadConfig, match="give --region"):
        AwsCredentials(settings, PLACE).access()


def test_a_role_that_cannot_be_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "secret")
    settings = KinesisAccess(
        region="eu-west-1",
        access_key_id="id",
        secret_access_key="env:KEY",
        role_arn=ROLE,
        sts_endpoint_url="http://127.0.0.1:1",
    )
    with pytest.raises(SourceUnavailable, match="no credentials: Could not connect"):
        AwsCredentials(settings, PLACE)


@pytest.mark.integration
def test_a_role_that_is_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    """By moto: what is given out is of that role's session, and lets one in."""
    monkeypatch.setenv("KEY", "secret")
    with Moto.start() as moto:
        settings = KinesisAccess(
            region=REGION,
            endpoint_url=moto.url,
            access_key_id="id",
            secret_access_key="env:KEY",
            role_arn=ROLE,
            role_session_name="nightly",
            external_id="the-shop",
            sts_endpoint_url=moto.url,
        )
        moto.create_stream("lineage", 1)
        credentials = AwsCredentials(settings, PLACE)
        access = credentials.access()
        assert credentials.method == "assume-role"
        assert access.key.startswith("ASIA") and access.token
        assert moto.identity(access.key, access.secret, access.token).endswith(
            ":assumed-role/lineage/nightly"
        )
        client = open_client(access, DRIVER_ATTEMPTS)
        assert client.list_shards(StreamName="lineage")["Shards"]
        # Asked for again it is the same session, until it is about to end.
        assert credentials.access() == access


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"secret_access_key": "the-secret"}, "only a reference"),
        ({"access_key_id": "id"}, "belong together"),
        ({"session_token": "env:TOKEN"}, "session_token belongs to"),
        ({"endpoint_url": "localhost:4566"}, "is not a URL"),
        ({"endpoint_url": "http://me:pw@host"}, "no user or password"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_settings_that_cannot_be(given: dict[str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        KinesisAccess.model_validate(given)


def test_what_a_role_is_assumed_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "secret")
    assumed: list[dict[str, str]] = []

    def note(*args: object, extra_args: dict[str, str]) -> NoReturn:
        assumed.append(extra_args)
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "AssumeRole")

    monkeypatch.setattr("botocore.credentials.AssumeRoleCredentialFetcher", note)
    settings = KinesisAccess(
        region="eu-west-1",
        access_key_id="id",
        secret_access_key="env:KEY",
        role_arn=ROLE,
        role_source_identity="shop",
        external_id="x",
    )
    with pytest.raises(SourceUnavailable, match="AccessDenied"):
        AwsCredentials(settings, PLACE)
    assert assumed == [
        {"RoleSessionName": "headwater", "ExternalId": "x", "SourceIdentity": "shop"}
    ]
