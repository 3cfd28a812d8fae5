"""A kubelet's words about its own client certificate, which it reads at its start.

Source: isClientConfigStillValid in pkg/kubelet/certificate/bootstrap/bootstrap.go (1.10–1.34; the path since
1.21).
"""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.facts.aspects.kubelet import Certificate, Certificates
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

_EXPIRED = regex(
    r"[Pp]art of the existing bootstrap client certificate (?:in (?P<path>/\S{1,400}) )?is expired: "
    r"(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \+0000 UTC"
)


def parse_expired_certificate(message: str, about: Ref, src: Source) -> Certificates | None:
    """Return the certificate that a message says has expired; None for every other message. about: the Node
    whose kubelet wrote the message.
    """
    found = _EXPIRED.search(message) if "bootstrap client certificate" in message else None
    if found is None:
        return None
    try:
        end = datetime.fromisoformat(found["at"]).replace(tzinfo=UTC)
    except ValueError:
        return None
    return Certificates(
        about=about,
        src=src,
        items=(Certificate("client", found["path"] or "", "", not_after=end),),
        whole=False,
    )
