"""Reads the certificate in a Secret: its dates and names, never its key.

Source: documentation "TLS Secrets": `tls.crt` holds the server's certificate first, then its issuers'.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.x509 import find_certificates
from unstuck.facts.aspects.tls import ServingCertificate

_KEY = "tls.crt"
_LONGEST = 1 << 20


def certificate_facts(seen: SeenObject) -> Iterator[ServingCertificate]:
    """Yield the certificate of a Secret; nothing if it has none that can be read: the value may have been
    removed.
    """
    held = doc.at(seen.obj, "data", _KEY)
    if not isinstance(held, str) or len(held) > _LONGEST:
        return
    try:
        text = b64decode(held, validate=True).decode("ascii", "replace")
    except (binascii.Error, ValueError):
        return
    for one in find_certificates(text, 1):
        names = ", ".join(one.names) or "no names"
        yield ServingCertificate(
            about=seen.ref,
            src=seen.src(
                f"{_KEY}: {one.subject}, valid from {one.not_before:%Y-%m-%d} to {one.not_after:%Y-%m-%d}, "
                f"for {names}"
            ),
            subject=one.subject,
            issuer=one.issuer,
            not_before=one.not_before,
            not_after=one.not_after,
            names=one.names,
            whole=seen.observed,
        )
