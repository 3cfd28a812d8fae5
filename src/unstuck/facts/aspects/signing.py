"""Requests for certificates (CertificateSigningRequest): requester, signer and progress."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import record


@record(kw_only=True)
class SigningRequest(Fact):
    """A request and its progress. signer: `spec.signerName`. requester: `spec.username`.

    approved: whether it was approved. settled: whether it is finished: it was denied, it failed, or its
    certificate exists.
    """

    signer: str
    requester: str
    approved: bool = False
    settled: bool = False
    ask: ClassVar[str] = "kubectl get {object} -o yaml"


@record(kw_only=True)
class NodeRequests(Fact):
    """All existing requests of a Node's kubelet: pending ones are kept for a day, others for an hour."""

    refs: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get certificatesigningrequests"
