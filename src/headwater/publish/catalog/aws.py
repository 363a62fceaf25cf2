"""AWS by boto3: a client with the user's own credentials, and what its errors mean."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from botocore import exceptions
from botocore.config import Config
from pydantic import Field

from headwater.errors import BadConfig, TargetUnavailable
from headwater.publish.catalog import CatalogSettings, ItemRefused, ItemSkipped, KeyRefused

# botocore repeats what the network loses; longer waits are up to who publishes.
_RETRIES = {"mode": "standard", "max_attempts": 3}
_MAX_REASON = 500
_OF_THE_KEY = frozenset(
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
_MISSING = frozenset(("EntityNotFoundException", "ResourceNotFoundException"))
_BUSY = frozenset(("Throttling", "ThrottlingException", "TooManyRequestsException"))
_PASSING = frozenset(
    (
        "ConcurrentModificationException",
        "InternalFailure",
        "InternalServerException",
        "InternalServiceException",
        "OperationTimeoutException",
        "ResourceNotReadyException",
        "ServiceUnavailable",
    )
)


class AwsCatalogSettings(CatalogSettings):
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


def open_client(settings: AwsCatalogSettings, service: str) -> Any:
    """A client of a service; raises BadConfig where the profile is not there."""
    try:
        session = boto3.Session(profile_name=settings.profile or None, region_name=settings.region)
        return session.client(
            service,
            endpoint_url=settings.endpoint_url or None,
            config=Config(retries=_RETRIES, connect_timeout=5, read_timeout=30),
        )
    except (exceptions.BotoCoreError, ValueError) as error:
        raise BadConfig("profile", _in_one_line(error)) from None


@contextmanager
def meaning(address: str) -> Iterator[None]:
    """What boto3 raises, as what it means: for the item, or for the whole pass."""
    try:
        yield
    except exceptions.ClientError as error:
        raise _of_answer(address, error) from None
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
        reason = f"{_in_one_line(error)}; set them as for the AWS command line"
        raise KeyRefused(address, reason) from None
    except exceptions.ParamValidationError as error:
        raise ItemRefused(_in_one_line(error)) from None
    except (exceptions.BotoCoreError, OSError) as error:
        raise TargetUnavailable(address, f"no answer: {_in_one_line(error)}") from None


def _of_answer(address: str, error: exceptions.ClientError) -> Exception:
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    headers = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    reason = _in_one_line(error)
    if code in _OF_THE_KEY or status == 401:
        return KeyRefused(address, reason)
    if code in _MISSING:
        return ItemSkipped(reason)
    if code in _BUSY or status in (429, 503):
        wait = str(headers.get("retry-after", "1"))
        return TargetUnavailable(address, reason, float(wait) if wait.isdecimal() else 1.0)
    return ItemRefused(reason, is_retriable=code in _PASSING or status >= 500)


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:_MAX_REASON]
