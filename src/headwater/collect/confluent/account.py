"""An account of Confluent Cloud: its connections, its keys by resource, the time of each part."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from headwater.collect.confluent.http import AT_ONCE, CloudHttp, Deadline, Endpoint, NoKey
from headwater.collect.confluent.settings import ApiKey, ConfluentSettings
from headwater.collect.schema_registry.fetch import RegistryApi
from headwater.collect.schema_registry.settings import SchemaRegistrySettings
from headwater.durations import parse_duration
from headwater.errors import BadConfig

_KEY_ADVICE = "name its key: --keys {}=KEY:env:VARIABLE"


class CloudAccount:
    """Opens the APIs of an account; it is made for one pass."""

    def __init__(
        self,
        settings: ConfluentSettings,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if settings.cloud_key is None:
            reason = "the Cloud API key is not given: its key, and where its secret is"
            raise BadConfig("--user and --password", reason)
        self.settings = settings
        self.http = CloudHttp(settings, sleep=sleep)
        # For what is needed one by one within a part: its threads wait for no others.
        self.pool = ThreadPoolExecutor(AT_ONCE)
        self.organization = ""
        self.flink_regions: dict[tuple[str, str], str] = {}
        """The gateway's address by cloud and region."""
        self._keys = settings.keys_by_resource
        self._clock = clock
        self._seconds = parse_duration(settings.phase_timeout).total_seconds()

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)
        self.http.close()

    def cloud(self) -> Endpoint:
        """The control plane."""
        return self.endpoint(self.settings.url, self.settings.cloud_key)

    def telemetry(self) -> Endpoint:
        return self.endpoint(self.settings.telemetry_url, self.settings.cloud_key)

    def endpoint(self, url: str, key: ApiKey | None) -> Endpoint:
        """An API for one part of a pass, whose time begins now."""
        return Endpoint(self.http, url, key, self._deadline())

    def registry(self, url: str, key: ApiKey) -> RegistryApi:
        """The API of a schema registry, whose waits end in time as well."""
        settings = SchemaRegistrySettings(
            url=url,
            bootstrap="kafka:9092",
            user=key.key,
            password=key.secret,
            ca=self.settings.ca,
            certificate=self.settings.certificate,
            timeout=self.settings.timeout,
        )
        deadline = self._deadline()

        def sleep(seconds: float) -> None:
            self.http.sleep(min(seconds, deadline.left(url)))

        return RegistryApi(settings, None, sleep)

    def _deadline(self) -> Deadline:
        return Deadline(self._seconds, self._clock)

    def key(self, *resources: str) -> ApiKey:
        """The key of the first of these that has one; raises NoKey where none has."""
        for resource in resources:
            if resource in self._keys:
                return self._keys[resource]
        advice = _KEY_ADVICE.format(resources[0])
        raise NoKey(resources[0], "no API key is given for it", advice)
