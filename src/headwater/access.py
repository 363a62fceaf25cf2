"""Settings of how to reach a secured Kafka, or an account of AWS."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from headwater.section import Section, check_secret_reference

_REFERENCE = "env:VARIABLE or file:PATH, never the secret."

SecurityProtocol = Literal["", "PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
SaslMechanism = Literal["", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]


class KinesisAccess(Section):
    """Access to AWS; whatever is not set comes from the usual chain of AWS's own clients."""

    region: str = Field(
        default="", description="Region of AWS; empty: of the environment or the profile."
    )
    endpoint_url: str = Field(
        default="", description="URL of Kinesis, if not the region's: of a VPC or an emulator."
    )
    sts_endpoint_url: str = Field(
        default="", description="URL of STS, which assumes roles, if not the region's."
    )
    profile: str = Field(
        default="", description="Profile of AWS's configuration files; empty: the default chain."
    )
    access_key_id: str = Field(default="", description="Id of an access key; the chain's if empty.")
    secret_access_key: str = Field(default="", description=f"Where its secret is: {_REFERENCE}")
    session_token: str = Field(
        default="", description=f"Where the session token of temporary keys is: {_REFERENCE}"
    )
    role_arn: str = Field(default="", description="Role to assume with these credentials.")
    role_session_name: str = Field(
        default="", description="Name of the role's session, for CloudTrail; `headwater` if empty."
    )
    role_source_identity: str = Field(
        default="", description="Source identity of the role's session, where it requires one."
    )
    external_id: str = Field(default="", description="External id that the role requires, if any.")

    @field_validator("secret_access_key", "session_token")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

    @field_validator("endpoint_url", "sts_endpoint_url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return _check_url(value) if value else value

    @model_validator(mode="after")
    def _are_whole(self) -> "KinesisAccess":
        if bool(self.access_key_id) != bool(self.secret_access_key):
            raise ValueError("access_key_id and secret_access_key belong together: set both")
        if self.session_token and not self.access_key_id:
            raise ValueError("session_token belongs to access_key_id, which is not set")
        return self


class KafkaAccess(Section):
    """How a Kafka cluster is reached, where not in plain text."""

    security_protocol: SecurityProtocol = Field(
        default="",
        description="PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL; empty: SASL_SSL with a user, SSL "
        "with a CA or a certificate.",
    )
    ca: str = Field(
        default="",
        description="CA of the brokers (PEM): a file, env:VARIABLE or the text; empty: known ones.",
    )
    certificate: str = Field(
        default="", description="Client certificate (PEM): a file, env:VARIABLE or the text."
    )
    key: str = Field(
        default="", description="Its private key (PEM, PKCS#8): a file or env:VARIABLE."
    )
    key_password: str = Field(
        default="", description=f"Where the password of the private key is: {_REFERENCE}"
    )
    sasl_mechanism: SaslMechanism = Field(
        default="",
        description="PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER; PLAIN if there is a user.",
    )
    user: str = Field(default="", description="User, or client id of OAUTHBEARER.")
    password: str = Field(
        default="", description=f"Where the password or client secret is: {_REFERENCE}"
    )
    token_url: str = Field(default="", description="OAUTHBEARER: URL that gives tokens.")
    scope: str = Field(default="", description="OAUTHBEARER: scope of the tokens, if any.")

    @property
    def is_tls(self) -> bool:
        return self.security_protocol in ("SSL", "SASL_SSL")

    @property
    def is_sasl(self) -> bool:
        return self.security_protocol.startswith("SASL")

    @property
    def mechanism(self) -> str:
        """The mechanism of SASL in force; empty where others name it."""
        return self.sasl_mechanism or ("PLAIN" if self.user else "")

    @model_validator(mode="before")
    @classmethod
    def _protocol_by_what_is_given(cls, given: object) -> object:
        if not isinstance(given, dict) or given.get("security_protocol"):
            return given
        is_tls = any(given.get(name) for name in ("ca", "certificate", "key"))
        protocol = "SASL_SSL" if given.get("user") else "SSL" if is_tls else ""
        return {**given, "security_protocol": protocol}

    @field_validator("security_protocol", "sasl_mechanism", mode="before")
    @classmethod
    def _is_upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("password", "key_password")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

    @field_validator("key")
    @classmethod
    def _is_no_key(cls, value: str) -> str:
        if "-----BEGIN" in value:
            # Not repeated: it is the secret.
            raise ValueError("only a file or env:VARIABLE with the private key, never the key")
        return value

    @field_validator("token_url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return _check_url(value) if value else value

    @model_validator(mode="after")
    def _are_whole(self) -> "KafkaAccess":
        if reason := _find_gap(self):
            raise ValueError(reason)
        return self


def _find_gap(access: KafkaAccess) -> str | None:
    """What of the settings lacks another, or has no meaning beside it."""
    if (access.ca or access.certificate or access.key) and not access.is_tls:
        return "ca, certificate and key need security_protocol SSL or SASL_SSL"
    if bool(access.certificate) != bool(access.key):
        return "certificate and key belong together: set both"
    if access.key_password and not access.key:
        return "key_password belongs to key, which is not set"
    has_sasl = access.sasl_mechanism or access.user or access.password
    if has_sasl and not access.is_sasl:
        return "user, password and sasl_mechanism need security_protocol SASL_SSL or SASL_PLAINTEXT"
    if access.user and not access.password:
        return "user needs password, a reference such as env:KAFKA_PASSWORD"
    if access.password and not access.user:
        return "password belongs to user, which is not set"
    if access.token_url and access.sasl_mechanism != "OAUTHBEARER":
        return "token_url needs sasl_mechanism OAUTHBEARER"
    if access.sasl_mechanism == "OAUTHBEARER" and access.user and not access.token_url:
        return "sasl_mechanism OAUTHBEARER needs token_url, which gives the tokens"
    return None


def _check_url(value: str) -> str:
    try:
        parsed = urlsplit(value)
        is_url = parsed.scheme in ("http", "https") and bool(parsed.hostname)
    except ValueError:
        is_url = False
    if not is_url:
        raise ValueError(f"'{value}' is not a URL; use https://HOST")
    if parsed.username or parsed.password:
        raise ValueError("no user or password in a URL")
    return value.rstrip("/")
