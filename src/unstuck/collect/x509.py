"""Reads dates and names from X.509 certificates, with a small DER parser. Pure.

Only the part between BEGIN and END CERTIFICATE is decoded; a private key in the same text is never looked at.
Sources: RFC 5280 §4.1 (Certificate, Validity, Name), §4.2.1.6 (subjectAltName), X.690 §8 (lengths).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import UTC, datetime
from ipaddress import ip_address

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

_BLOCK = regex(r"-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----([A-Za-z0-9+/=\s]{1,40000})-----END")
_COMMON_NAME = bytes.fromhex("550403")
_ORGANIZATION = bytes.fromhex("55040a")
_ALTERNATIVE_NAMES = bytes.fromhex("551d11")
_SEQUENCE, _OID, _OCTETS, _UTC_TIME, _GENERALIZED_TIME, _VERSION, _EXTENSIONS = (
    0x30,
    0x06,
    0x04,
    0x17,
    0x18,
    0xA0,
    0xA3,
)
_DNS_NAME, _ADDRESS = 0x82, 0x87
_MOST_NAMES = 100


@record()
class X509(Record):
    """A certificate's fields. subject, issuer: `CN` or, without one, `O`. names: DNS names and addresses
    of its subjectAltName.
    """

    subject: str
    issuer: str
    not_before: datetime
    not_after: datetime
    sha256: str
    names: tuple[str, ...] = ()


def find_certificates(text: str, most: int) -> Iterator[X509]:
    """Yield the certificates of a PEM text, the first ones; invalid ones are left out."""
    for block in _BLOCK.findall(text)[:most]:
        try:
            yield parse_certificate(base64.b64decode("".join(block.split()), validate=True))
        except (ValueError, IndexError):
            continue


def parse_certificate(der: bytes) -> X509:
    """Return the fields of one certificate.

    Errors: ValueError or IndexError for anything else.
    """
    body = _parse_content(_parse_content(der, _SEQUENCE), _SEQUENCE)
    parts = list(_parse_elements(body))
    at = 1 if parts[0][0] == _VERSION else 0
    # serialNumber, signature, issuer, validity, subject
    issuer, validity, subject = parts[at + 2][1], parts[at + 3][1], parts[at + 4][1]
    begin, end = (_parse_time(tag, value) for tag, value in list(_parse_elements(validity))[:2])
    names = tuple(
        name for tag, value in parts[at + 5 :] if tag == _EXTENSIONS for name in _parse_extensions(value)
    )
    import hashlib  # brings OpenSSL's library

    return X509(
        _parse_name(subject),
        _parse_name(issuer),
        begin,
        end,
        hashlib.sha256(der).hexdigest(),
        names[:_MOST_NAMES],
    )


def _parse_extensions(data: bytes) -> Iterator[str]:
    for _, extension in _parse_elements(_parse_content(data, _SEQUENCE)):
        parts = list(_parse_elements(extension))
        if parts[0] == (_OID, _ALTERNATIVE_NAMES) and parts[-1][0] == _OCTETS:
            for tag, value in _parse_elements(_parse_content(parts[-1][1], _SEQUENCE)):
                if tag == _DNS_NAME:
                    yield value.decode("ascii", "backslashreplace").lower()[:253]
                elif tag == _ADDRESS:
                    yield str(ip_address(value))


def _parse_element(data: bytes) -> tuple[int, bytes, bytes]:
    """Return the first element's tag and content, and the rest of the data."""
    tag, length, at = data[0], data[1], 2
    if length & 0x80:
        size = length & 0x7F
        if not 1 <= size <= 4:
            raise ValueError("no definite length")
        length, at = int.from_bytes(data[2 : 2 + size], "big"), 2 + size
    if at + length > len(data):
        raise ValueError("cut off")
    return tag, data[at : at + length], data[at + length :]


def _parse_elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        tag, content, data = _parse_element(data)
        yield tag, content


def _parse_content(data: bytes, tag: int) -> bytes:
    found, content, _ = _parse_element(data)
    if found != tag:
        raise ValueError("another element was expected")
    return content


def _parse_time(tag: int, value: bytes) -> datetime:
    text = value.decode("ascii")
    if tag == _UTC_TIME:
        text = ("19" if text[:2] >= "50" else "20") + text
    elif tag != _GENERALIZED_TIME:
        raise ValueError("no time")
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)


def _parse_name(data: bytes) -> str:
    found = {}
    for _, group in _parse_elements(data):
        for _, pair in _parse_elements(group):
            (tag, oid), (_, value) = list(_parse_elements(pair))[:2]
            if tag == _OID:
                found[oid] = value.decode("utf-8", "backslashreplace")[:300]
    return found.get(_COMMON_NAME) or found.get(_ORGANIZATION, "")
