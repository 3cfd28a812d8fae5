"""Certificates of servers."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact
from unstuck.facts.record import record


@record(kw_only=True)
class ServingCertificate(Fact):
    """The first certificate in `tls.crt` of a Secret, which is the server's own. about: the Secret; its key
    is never read.

    names: its DNS names and addresses (subjectAltName), in lower case; none in an old certificate, which
    today's clients refuse. subject, issuer: `CN` or, without one, `O`.
    """

    subject: str
    issuer: str
    not_before: datetime
    not_after: datetime
    names: tuple[str, ...] = ()
    ask: ClassVar[str] = (
        "kubectl get {object} {space} -o json | jq -r '.data[\"tls.crt\"]' | base64 -d"
        " | openssl x509 -noout -subject -dates -ext subjectAltName"
    )
