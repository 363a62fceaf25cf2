"""TLS of a broker's port: whether it speaks it, and whether its certificate can be trusted.

A client and a port that differ in this only time out, and of a certificate that is not trusted
Java's client has many words; here each has one sentence.
"""

import socket
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.config import resolve_secret
from headwater.errors import BadConfig, SourceUnavailable
from headwater.kafka_clients import read_certificates, read_key
from headwater.pipeline.feeds.kafka_errors import advise, with_advice

if TYPE_CHECKING:
    from headwater.access import KafkaAccess
    from headwater.pipeline.feeds.kafka import KafkaSource

WAIT_SECONDS = 5.0
_TLS = frozenset(("SSL", "SASL_SSL"))
_PLAIN = frozenset(("", "PLAINTEXT", "SASL_PLAINTEXT"))


def find_mismatch(address: tuple[str, int], protocol: str) -> str | None:
    """What is wrong if a client of this security.protocol meets this port; None if nothing is."""
    protocol = protocol.upper()
    if protocol not in _TLS | _PLAIN or (speaks_tls := find_tls(address)) is None:
        return None
    if speaks_tls and protocol in _PLAIN:
        needed = "SASL_SSL" if protocol.startswith("SASL") else "SSL"
        return (
            f"expects TLS, and this client sends plain text ({protocol or 'PLAINTEXT'}): "
            f"give --security-protocol {needed}, or a plain port"
        )
    if not speaks_tls and protocol in _TLS:
        needed = "SASL_PLAINTEXT" if protocol.startswith("SASL") else "PLAINTEXT"
        return (
            f"does not speak TLS, and this client does ({protocol}): "
            f"give the broker's TLS port, or --security-protocol {needed}"
        )
    return None


def find_tls(address: tuple[str, int]) -> bool | None:
    """Whether a port answers a TLS handshake; None where that is unknown.

    A plain listener of Kafka reads the handshake as the length of a huge request, and hangs up.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Only how the port speaks is looked at: nothing is sent, and nobody is trusted.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection(address, WAIT_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=address[0]),
        ):
            return True
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionError):
        return False
    except ssl.SSLError as error:
        # Bytes that are no TLS; any other complaint is one that a TLS peer makes.
        return error.reason not in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")
    except OSError:
        return None


def check_certificate(source: "KafkaSource") -> str:
    """Whether each broker's certificate is in force and of a known CA, whatever its name."""
    if _has_own_stores(source):
        return "of Java's own stores; the client looks at it"
    ends = [_handshake(source, broker, check_name=False) for broker in _addresses(source)]
    return f"valid until {min(ends)}"


def check_host_name(source: "KafkaSource") -> str:
    """Whether each broker's certificate is for the name by which it is reached."""
    if _has_own_stores(source) or _is_unchecked(source):
        return "left to the client"
    for broker in _addresses(source):
        _handshake(source, broker, check_name=True)
    return "as in the certificate"


def _has_own_stores(source: "KafkaSource") -> bool:
    return any(key.startswith(("ssl.truststore", "ssl.keystore")) for key in source.settings)


def _is_unchecked(source: "KafkaSource") -> bool:
    return source.settings.get("ssl.endpoint.identification.algorithm", "https") == ""


def _addresses(source: "KafkaSource") -> Iterator[tuple[str, int]]:
    for broker in source.brokers.split(","):
        host, _, port = broker.strip().rpartition(":")
        yield host.strip("[]"), int(port)


def _handshake(source: "KafkaSource", address: tuple[str, int], *, check_name: bool) -> str:
    """Until when the certificate of a port is valid; raises if it cannot be trusted."""
    context = _context(source.access)
    context.check_hostname = check_name
    try:
        with (
            socket.create_connection(address, WAIT_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=address[0]) as secure,
        ):
            return str((secure.getpeercert() or {}).get("notAfter", "any time"))
    except ssl.SSLCertVerificationError as error:
        raise SourceUnavailable(source.brokers, _explain_verification(error)) from error
    except OSError as error:
        reason = getattr(error, "reason", None) or error.strerror or "no answer"
        raise SourceUnavailable(source.brokers, with_advice(f"TLS: {reason}".lower())) from error


def _explain_verification(error: ssl.SSLCertVerificationError) -> str:
    """OpenSSL's reasons in the words for which there is advice."""
    signs = {10: "NotAfter", 62: "No name matching", 64: "No name matching"}
    sign = signs.get(error.verify_code, "certification path")
    return f"{error.verify_message}; {advise(sign)}"


def _context(access: "KafkaAccess") -> ssl.SSLContext:
    """As a client of this cluster has it: with its CA, and its own certificate."""
    try:
        context = ssl.create_default_context(
            cadata=read_certificates(access.ca, "ca") if access.ca else None
        )
    except ssl.SSLError as error:
        raise BadConfig("ca", f"it cannot be read: {error.reason}") from error
    if access.certificate:
        with _as_file(access) as file:
            _load_own(context, file, access)
    return context


def _load_own(context: ssl.SSLContext, file: Path, access: "KafkaAccess") -> None:
    secret = resolve_secret(access.key_password).get_secret_value() if access.key_password else ""
    try:
        context.load_cert_chain(file, password=lambda: secret)
    except ssl.SSLError as error:
        reason = "the key is not that of the certificate, or its password is wrong"
        raise BadConfig("key", f"{reason} ({error.reason})") from error


@contextmanager
def _as_file(access: "KafkaAccess") -> Iterator[Path]:
    """Certificate and key in a file that only this user reads: OpenSSL takes no text."""
    with tempfile.NamedTemporaryFile("w", prefix="headwater-", suffix=".pem") as file:
        file.write(read_certificates(access.certificate, "certificate") + "\n" + read_key(access))
        file.flush()
        yield Path(file.name)
