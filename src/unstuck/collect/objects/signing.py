"""CertificateSigningRequests (staging/src/k8s.io/api/certificates/v1)."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject, condition_rows, status_facts
from unstuck.facts.aspects.signing import SigningRequest
from unstuck.facts.core import Fact


def request_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield the request, and its conditions."""
    signer, requester = doc.text(seen.obj, "spec", "signerName"), doc.text(seen.obj, "spec", "username")
    if seen.observed and signer:
        types = {c.type for c in condition_rows(seen) if c.status == "True"}
        issued = bool(doc.text(seen.obj, "status", "certificate"))
        settled = issued or bool(types & {"Denied", "Failed"})
        word = (
            "settled" if settled else "approved, without a certificate" if "Approved" in types else "pending"
        )
        yield SigningRequest(
            about=seen.ref,
            src=seen.src(f"{signer} {requester} {word}"),
            signer=signer,
            requester=requester,
            approved="Approved" in types,
            settled=settled,
        )
    yield from status_facts(seen)
