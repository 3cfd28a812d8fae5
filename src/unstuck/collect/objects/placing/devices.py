"""ResourceClaims, as far as placing a Pod depends on them."""

from __future__ import annotations

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.selectors import node_terms
from unstuck.collect.objects.placing.storage import Whole
from unstuck.collect.objects.placing.strict import Part
from unstuck.facts.aspects.placing import DeviceRequest, ResourceClaimInput


def resource_claim_input(obj: doc.Doc) -> ResourceClaimInput:
    """A ResourceClaim."""
    it = Whole(obj, "ResourceClaim")
    allocation, devices = it.status.part("allocation"), it.spec.part("devices")
    return ResourceClaimInput(
        namespace=it.meta.text("namespace") or "default",
        name=it.meta.text("name"),
        uid=it.meta.text("uid"),
        allocated=allocation is not None,
        nodes=node_terms(allocation, "nodeSelector"),
        reserved=tuple(r.text("uid") for r in it.status.parts("reservedFor")),
        requests=tuple(_request(r) for r in devices.parts("requests")) if devices else (),
        owner=it.controller,
        terminating=it.terminating,
        unreadable=tuple(it.unread),
    )


def _request(row: Part) -> DeviceRequest:
    exactly = row.part("exactly")
    alternatives = tuple((a.text("name"), a.text("deviceClassName")) for a in row.parts("firstAvailable"))
    return DeviceRequest(row.text("name"), exactly.text("deviceClassName") if exactly else None, alternatives)
