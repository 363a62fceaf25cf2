"""What the errors of Kafka's Java client mean, and what to do about each."""

import re
from typing import NamedTuple

_CLASS = re.compile(r"org\.apache\.kafka\.common\.errors\.(\w+: [^\n]+)")


class Advice(NamedTuple):
    """Part of an error's class or text, and what to do where it occurs."""

    sign: str
    text: str


# The first that fits: what a certificate lacks before that a handshake failed.
ADVICE = (
    Advice(
        "NotAfter",
        "the broker's certificate has expired; have it renewed",
    ),
    Advice(
        "CertificateExpired",
        "the broker's certificate has expired; have it renewed",
    ),
    Advice(
        "certification path",
        "no known CA signed the broker's certificate; give --ca, the file of the right CA (PEM)",
    ),
    Advice(
        "PKIX path",
        "no known CA signed the broker's certificate; give --ca, the file of the right CA (PEM)",
    ),
    Advice(
        "No subject alternative",
        "the broker's certificate is not for this host name; use the name that it has",
    ),
    Advice(
        "No name matching",
        "the broker's certificate is not for this host name; use the name that it has",
    ),
    Advice(
        "certificate_required",
        "the broker wants a client certificate; give --certificate and --key",
    ),
    Advice(
        "bad_certificate",
        "the broker wants a client certificate that its CA signed; give --certificate and --key",
    ),
    Advice(
        "SaslAuthenticationException",
        "the broker refuses user or password; correct --user and --password",
    ),
    Advice(
        "UnsupportedSaslMechanism",
        "the broker has not enabled this mechanism; choose another --sasl-mechanism",
    ),
    Advice(
        "TopicAuthorizationException",
        "the ACLs deny the topic; allow this user DESCRIBE and READ on it",
    ),
    Advice(
        "GroupAuthorizationException",
        "the ACLs deny the group; allow this user READ on it, or give another --group",
    ),
    Advice(
        "ClusterAuthorizationException",
        "the ACLs deny the cluster; allow this user DESCRIBE on it",
    ),
)


def advise(error: str) -> str:
    """What to do about an error, by its class and text; empty where that is unknown."""
    return next((advice.text for advice in ADVICE if advice.sign in error), "")


def with_advice(error: str, cause: str | None = None) -> str:
    """An error, and behind it what to do about it or its cause."""
    return f"{error}; {advice}" if (advice := advise(cause or error)) else error


def find_reason(stack: str) -> str | None:
    """The first error of Kafka's in a stack of Spark's, its class and text."""
    found = _CLASS.search(stack)
    return found[1].rstrip() if found else None
