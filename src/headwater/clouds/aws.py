"""AWS by boto3: a client with the user's own credentials, and what its errors mean."""

from typing import Any

import boto3
from botocore import exceptions
from botocore.config import Config
from pydantic import Field

from headwater.config import Section
from headwater.errors import BadConfig

# botocore repeats what the network loses; longer waits are up to who calls.
_RETRIES = {"mode": "standard", "max_attempts": 3}
_MAX_REASON = 500
KEY_ERRORS = frozenset(
    (
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationTokenException",
        "SignatureDoesNotMatch",
        "UnauthorizedException",
        "UnrecognizedClientException",
    )
)
MISSING_ERRORS = frozenset(("EntityNotFoundException", "ResourceNotFoundException"))


class AwsSettings(Section):
    """Settings of what is in AWS; credentials are those of the AWS command line."""

    region: str = Field(
        pattern=r"^[a-z]{2}(-[a-z]+)+-\d$",
        description="Region, such as eu-west-1.",
        json_schema_extra={"metavar": "REGION"},
    )
    profile: str = Field(
        default="",
        description="Profile of AWS's own files; by default as the AWS command line chooses.",
        json_schema_extra={"metavar": "PROFILE"},
    )
    endpoint_url: str = Field(
        default="",
        description="Another address of the service, such as of a VPC endpoint.",
        json_schema_extra={"metavar": "URL"},
    )

    def address_of(self, service: str) -> str:
        return self.endpoint_url or f"https://{service}.{self.region}.amazonaws.com"


def open_client(settings: AwsSettings, service: str) -> Any:
    """A client of a service; raises BadConfig where the profile is not there."""
    try:
        session = boto3.Session(profile_name=settings.profile or None, region_name=settings.region)
        return session.client(
            service,
            endpoint_url=settings.endpoint_url or None,
            config=Config(retries=_RETRIES, connect_timeout=5, read_timeout=30),
        )
    except (exceptions.BotoCoreError, ValueError) as error:
        raise BadConfig("profile", in_one_line(error)) from None


def error_code(error: exceptions.ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def error_status(error: exceptions.ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:_MAX_REASON]
