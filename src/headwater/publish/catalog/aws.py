"""AWS as a catalog to publish to: what its errors mean for an item, or for the whole pass."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore import exceptions

from headwater.clouds.aws import (
    KEY_ERRORS,
    MISSING_ERRORS,
    AwsSettings,
    error_code,
    error_status,
    in_one_line,
)
from headwater.errors import TargetUnavailable
from headwater.publish.catalog import CatalogSettings, ItemRefused, ItemSkipped, KeyRefused

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


class AwsCatalogSettings(AwsSettings, CatalogSettings):
    """Settings of a catalog in AWS; credentials are those of the AWS command line."""


@contextmanager
def meaning(address: str) -> Iterator[None]:
    """What boto3 raises, as what it means: for the item, or for the whole pass."""
    try:
        yield
    except exceptions.ClientError as error:
        raise _of_answer(address, error) from None
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
        reason = f"{in_one_line(error)}; set them as for the AWS command line"
        raise KeyRefused(address, reason) from None
    except exceptions.ParamValidationError as error:
        raise ItemRefused(in_one_line(error)) from None
    except (exceptions.BotoCoreError, OSError) as error:
        raise TargetUnavailable(address, f"no answer: {in_one_line(error)}") from None


def _of_answer(address: str, error: exceptions.ClientError) -> Exception:
    code, status = error_code(error), error_status(error)
    headers = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    reason = in_one_line(error)
    if code in KEY_ERRORS or status == 401:
        return KeyRefused(address, reason)
    if code in MISSING_ERRORS:
        return ItemSkipped(reason)
    if code in _BUSY or status in (429, 503):
        wait = str(headers.get("retry-after", "1"))
        return TargetUnavailable(address, reason, float(wait) if wait.isdecimal() else 1.0)
    return ItemRefused(reason, is_retriable=code in _PASSING or status >= 500)
