"""Access to AWS: credentials as configured, and clients of Kinesis by what they are at a moment.

The driver finds the credentials and tasks get them as they are then: an executor needs no profile,
no role and no file of its own, and one request assumes a role for all of them.
"""

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from headwater.access import KinesisAccess
from headwater.config import resolve_secret
from headwater.errors import BadConfig, SourceUnavailable
from headwater.extras import require

_SESSION_NAME = "headwater"
_CONNECT_SECONDS = 10
_ANSWER_SECONDS = 60
# Of the driver's few requests; a task has other shards to read meanwhile.
DRIVER_ATTEMPTS = 5


@dataclass(frozen=True)
class Access:
    """Credentials of a moment, with where they are to be used."""

    region: str
    endpoint: str = ""
    key: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    token: str = field(default="", repr=False)


class AwsCredentials:
    """The credentials that settings name; those of a role are renewed before they end."""

    def __init__(self, settings: KinesisAccess, place: str) -> None:
        require("aws")
        self._settings = settings
        self._place = place
        self._session = self._open_session()
        self._found: Any = self._find()
        self._endpoint = ""

    @property
    def method(self) -> str:
        """How they were found, such as `env` or `shared-credentials-file`."""
        return str(self._found.method)

    def access(self) -> Access:
        """As they are now; what they are renewed by may not answer."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            now = self._found.get_frozen_credentials()
        except (BotoCoreError, ClientError) as error:
            raise SourceUnavailable(self._place, f"no credentials: {error}") from error
        region = self._region()
        # Tasks get it as well: the variable or the file that names it may be the driver's alone.
        self._endpoint = self._endpoint or self._find_endpoint(region)
        return Access(region, self._endpoint, now.access_key, now.secret_key, now.token or "")

    def _find_endpoint(self, region: str) -> str:
        if self._settings.endpoint_url:
            return self._settings.endpoint_url
        client = self._session.client("kinesis", region_name=region)
        return str(client.meta.endpoint_url)

    def _region(self) -> str:
        """Of the settings or the chain; an endpoint of one's own needs one to sign for."""
        region = self._settings.region or self._session.region_name
        if not region:
            raise BadConfig("region", "no region is set; give --region, such as eu-central-1")
        return str(region)

    def _open_session(self) -> Any:
        import boto3
        from botocore.exceptions import BotoCoreError

        settings = self._settings
        given = {
            "aws_access_key_id": settings.access_key_id,
            "aws_secret_access_key": _resolve(settings.secret_access_key),
            "aws_session_token": _resolve(settings.session_token),
            "profile_name": settings.profile,
            "region_name": settings.region,
        }
        try:
            return boto3.Session(**{key: value or None for key, value in given.items()})
        except BotoCoreError as error:
            raise BadConfig("profile", str(error)) from error

    def _find(self) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            found = self._session.get_credentials()
            if found is None:
                raise SourceUnavailable(self._place, _NO_CREDENTIALS)
            return self._assume_role(found) if self._settings.role_arn else found
        except (BotoCoreError, ClientError) as error:
            raise SourceUnavailable(self._place, f"no credentials: {error}") from error

    def _assume_role(self, own: Any) -> Any:
        """Credentials of a role, which renew themselves by those that may assume it."""
        from botocore.credentials import AssumeRoleCredentialFetcher, RefreshableCredentials

        settings = self._settings
        extra = {"RoleSessionName": settings.role_session_name or _SESSION_NAME}
        if settings.external_id:
            extra["ExternalId"] = settings.external_id
        if settings.role_source_identity:
            extra["SourceIdentity"] = settings.role_source_identity
        fetcher = AssumeRoleCredentialFetcher(
            self._make_sts_client(), own, settings.role_arn, extra_args=extra
        )
        fetch = fetcher.fetch_credentials
        return RefreshableCredentials.create_from_metadata(fetch(), fetch, "assume-role")

    def _make_sts_client(self) -> Callable[..., Any]:
        from botocore.config import Config

        region, endpoint = self._region(), self._settings.sts_endpoint_url

        def create(service: str, **given: Any) -> Any:
            own: dict[str, Any] = {"endpoint_url": endpoint} if endpoint else {}
            if endpoint and _is_loopback(endpoint):
                own["config"] = Config(proxies={})
            return self._session.client(service, region_name=region, **own, **given)

        return create


_NO_CREDENTIALS = (
    "no AWS credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, give --profile"
    " or --access-key-id with --secret-access-key env:VARIABLE, or run where a role is attached"
)


def _resolve(reference: str) -> str:
    return resolve_secret(reference).get_secret_value() if reference else ""


@lru_cache(4)
def open_client(access: Access, attempts: int) -> Any:
    """A client of Kinesis; a process keeps it for as long as the credentials stay the same."""
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_ANSWER_SECONDS,
        retries={"mode": "standard", "total_max_attempts": attempts},
        user_agent_extra="headwater",
        # A proxy cannot reach this machine's own loopback address.
        proxies={} if _is_loopback(access.endpoint) else None,
    )
    return boto3.Session().client(
        "kinesis",
        region_name=access.region,
        endpoint_url=access.endpoint or None,
        aws_access_key_id=access.key,
        aws_secret_access_key=access.secret,
        aws_session_token=access.token or None,
        config=config,
    )


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
