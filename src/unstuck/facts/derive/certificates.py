"""Parses messages about a certificate: its names, its validity, its owner; and the side that rejects it.

Sources: Go src/crypto/x509/verify.go, src/crypto/tls/alert.go; OpenSSL crypto/x509/x509_txt.c,
ssl/ssl_stat.c; Node.js lib/tls.js; Python Lib/ssl.py; OpenJDK sun/security/util/HostnameChecker.java,
sun/security/ssl/Alert.java.
"""

from __future__ import annotations

import re
from typing import Literal

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

# misnamed: it is for other names. no-address: it has no IP address. no-names: it has no names at all.
# expired, early: by its dates. dates: expired or early, undetermined by the message. self-signed, untrusted:
# by its issuer.
Flaw = Literal["misnamed", "no-address", "no-names", "expired", "early", "dates", "self-signed", "untrusted"]
# refused: without a reason. expired, untrusted: as above. absent: none was presented.
Alert = Literal["refused", "expired", "untrusted", "absent"]


@record()
class CertificateFlaw(Record):
    """The reason for one side's rejection of a certificate.

    names: its valid names, as listed in the message. wanted: the name to match. limit: the end or the
    beginning of its validity. clock: the time of the check. authority: the name of a known authority that did
    not sign it.
    """

    flaw: Flaw
    names: str = ""
    wanted: str = ""
    limit: str = ""
    clock: str = ""
    authority: str = ""


_NAME = r"[\w.:*-]{0,252}[\w*]"
_TIME = r"\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:?\d\d)"
# In order of precedence: the more exact patterns first.
_FLAWS: tuple[tuple[Flaw, re.Pattern[str]], ...] = (
    ("misnamed", regex(rf"certificate is valid for (?P<names>[^\n\"]{{1,600}}?), not (?P<wanted>{_NAME})")),
    ("no-names", regex(rf"certificate is not valid for any names, but wanted to match (?P<wanted>{_NAME})")),
    ("no-names", regex(r"certificate relies on legacy Common Name field")),
    (
        "no-address",
        regex(rf"cannot validate certificate for (?P<wanted>{_NAME}) because it doesn't contain any IP SANs"),
    ),
    ("no-address", regex(r"doesn't contain any IP SANs|No subject alternative names present")),
    (
        "misnamed",
        regex(
            rf"does not match certificate's altnames: (?:Host|IP): (?P<wanted>{_NAME})\.? is not in the "
            r"cert's (?:altnames|list): "
            r"(?P<names>[^\n\"']{0,300})"
        ),
    ),
    (
        "misnamed",
        regex(
            r"No subject alternative (?:DNS |IP address )?names? matching (?:IP address )?"
            rf"(?P<wanted>{_NAME}) found"
        ),
    ),
    (
        "misnamed",
        regex(rf"(?:[Hh]ostname|IP address) mismatch, certificate is not valid for '(?P<wanted>{_NAME})'"),
    ),
    (
        "misnamed",
        regex(rf"no alternative certificate subject name matches target host ?name '(?P<wanted>{_NAME})'"),
    ),
    (
        "expired",
        regex(
            rf"certificate has expired or is not yet valid: current time (?P<clock>{_TIME}) is after "
            rf"(?P<limit>{_TIME})"
        ),
    ),
    (
        "early",
        regex(
            rf"certificate has expired or is not yet valid: current time (?P<clock>{_TIME}) is before "
            rf"(?P<limit>{_TIME})"
        ),
    ),
    ("dates", regex(r"certificate has expired or is not yet valid")),
    (
        "early",
        regex(r"[Cc]ertificate (?:is )?not yet valid|CertificateNotYetValidException|CERT_NOT_YET_VALID"),
    ),
    (
        "expired",
        regex(r"certificate has expired|certificate expired|CertificateExpiredException|CERT_HAS_EXPIRED"),
    ),
    (
        "untrusted",
        regex(
            r"signed by unknown authority \(possibly because of \\*\"[^\"]{1,120}\" while trying to verify "
            r"candidate authority certificate "
            r"\\*\"(?P<authority>[^\"\\]{1,120})"
        ),
    ),
    ("self-signed", regex(r"self.signed certificate\b(?! in certificate chain)|DEPTH_ZERO_SELF_SIGNED_CERT")),
    (
        "untrusted",
        regex(
            r"signed by unknown authority|self.signed certificate in certificate chain|unable to get "
            r"(?:local )?issuer certificate"
            r"|PKIX path building failed|UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN"
            r"|UntrustedRoot|UnknownIssuer"
        ),
    ),
)
ALERT_WORDS = (
    r"\bremote error: (?:tls: )?(?:bad certificate|unsupported certificate|revoked certificate|expired "
    r"certificate"
    r"|unknown certificate authority|unknown certificate\b|certificate required)"
    r"|\balert (?:bad certificate|certificate revoked|certificate expired|certificate unknown|unknown ca"
    r"|certificate required)\b"
    r"|[Rr]eceived fatal alert: (?:bad_certificate|certificate_unknown|unknown_ca|certificate_required"
    r"|certificate_expired"
    r"|BadCertificate|CertificateUnknown|UnknownCA|CertificateRequired|CertificateExpired)\b"
)
_ALERT = regex(rf"(?:{ALERT_WORDS})")
_ALERTS: tuple[tuple[str, Alert], ...] = (
    *(("expiredcertificate", "expired"), ("certificateexpired", "expired")),
    *(("unknowncertificateauthority", "untrusted"), ("unknownca", "untrusted")),
    ("certificaterequired", "absent"),
)


def find_flaw(words: str) -> CertificateFlaw | None:
    """Return a certificate's fault according to a message; None if no pattern matches."""
    for flaw, said in _FLAWS:
        if found := said.search(words):
            return CertificateFlaw(
                flaw, **{name: value for name, value in found.groupdict().items() if value}
            )
    return None


def find_alert(words: str) -> Alert | None:
    """Return why the other side of a connection rejects the presented certificate, None if the message
    reports no such refusal.
    """
    found = _ALERT.search(words)
    if found is None:
        return None
    alert = found[0].lower().replace("_", "").replace(" ", "")
    return next((meant for word, meant in _ALERTS if alert.endswith(word)), "refused")
