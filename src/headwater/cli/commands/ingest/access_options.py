"""The options of reaching a secured Kafka, or an account of AWS; settings have the same names."""

from typing import Annotated, NamedTuple

import typer

_PANEL_KAFKA = "Access to Kafka"
_PANEL_AWS = "Access to AWS"


def _kafka(metavar: str, help: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(
        metavar=metavar, help=help, show_default=False, rich_help_panel=_PANEL_KAFKA
    )
    return found


def _aws(metavar: str, help: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(
        metavar=metavar, help=help, show_default=False, rich_help_panel=_PANEL_AWS
    )
    return found


class KafkaAccessOptions(NamedTuple):
    """How the brokers are reached, where not in plain text."""

    security_protocol: Annotated[
        str | None,
        _kafka("PROTOCOL", "PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL."),
    ] = None
    ca: Annotated[str | None, _kafka("PEM", "CA of the brokers: a file or env:VARIABLE.")] = None
    certificate: Annotated[
        str | None, _kafka("PEM", "Client certificate: a file or env:VARIABLE.")
    ] = None
    key: Annotated[
        str | None, _kafka("PEM", "Its private key (PKCS#8): a file or env:VARIABLE.")
    ] = None
    key_password: Annotated[
        str | None, _kafka("REFERENCE", "Password of the key: env:VARIABLE or file:PATH.")
    ] = None
    sasl_mechanism: Annotated[
        str | None,
        _kafka("MECHANISM", "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER."),
    ] = None
    user: Annotated[str | None, _kafka("NAME", "User, or client id of OAUTHBEARER.")] = None
    password: Annotated[
        str | None,
        _kafka("REFERENCE", "Password or client secret: env:VARIABLE or file:PATH."),
    ] = None
    token_url: Annotated[
        str | None, _kafka("URL", "Where tokens of OAUTHBEARER are given out.")
    ] = None
    scope: Annotated[str | None, _kafka("TEXT", "Scope of tokens of OAUTHBEARER.")] = None

    @property
    def given(self) -> dict[str, str]:
        return {name: value for name, value in self._asdict().items() if value is not None}


class AwsOptions(NamedTuple):
    """How an account of AWS is reached; what is not given comes from AWS's usual chain."""

    region: Annotated[str | None, _aws("NAME", "Region, such as eu-central-1.")] = None
    endpoint_url: Annotated[
        str | None, _aws("URL", "Endpoint of Kinesis: of a VPC or an emulator.")
    ] = None
    profile: Annotated[str | None, _aws("NAME", "Profile of AWS's files.")] = None
    access_key_id: Annotated[str | None, _aws("ID", "Id of an access key.")] = None
    secret_access_key: Annotated[
        str | None, _aws("REFERENCE", "Its secret: env:VARIABLE or file:PATH.")
    ] = None
    session_token: Annotated[
        str | None, _aws("REFERENCE", "Token of temporary keys: env:VARIABLE or file:PATH.")
    ] = None
    role_arn: Annotated[str | None, _aws("ARN", "Role to assume.")] = None
    role_session_name: Annotated[str | None, _aws("NAME", "Name of the role's session.")] = None
    role_source_identity: Annotated[
        str | None, _aws("NAME", "Source identity of the role's session.")
    ] = None
    external_id: Annotated[str | None, _aws("ID", "External id that the role requires.")] = None
    sts_endpoint_url: Annotated[
        str | None, _aws("URL", "Endpoint of STS, which assumes roles.")
    ] = None

    @property
    def given(self) -> dict[str, str]:
        return {name: value for name, value in self._asdict().items() if value is not None}
