"""Whether a port speaks TLS: a client and a port that differ in this only time out."""

import socket
import ssl

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
            f"give --consumer security.protocol={needed}, or a plain port"
        )
    if not speaks_tls and protocol in _TLS:
        needed = "SASL_PLAINTEXT" if protocol.startswith("SASL") else "PLAINTEXT"
        return (
            f"does not speak TLS, and this client does ({protocol}): "
            f"give the broker's TLS port, or --consumer security.protocol={needed}"
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
