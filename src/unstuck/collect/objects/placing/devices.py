"""ResourceClaims, and the devices and classes that they are allocated from, as far as placing a Pod
depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.selectors import node_terms
from unstuck.collect.objects.placing.storage import WholeStorage
from unstuck.collect.objects.placing.strict import StrictPart
from unstuck.facts.aspects.placing import DeviceClassInput, DeviceRequest, ResourceClaimInput, SliceInput

# Far more than a person compares; a driver may publish 128 devices in a slice.
_MOST = 16


def resource_claim_input(obj: doc.Doc) -> ResourceClaimInput:
    """Return a ResourceClaim."""
    it = WholeStorage(obj, "ResourceClaim")
    allocation, devices = it.status.part("allocation"), it.spec.part("devices")
    held = allocation.part("devices") if allocation else None
    constrained = devices is not None and bool(devices.row.get("constraints"))
    return ResourceClaimInput(
        namespace=it.meta.text("namespace") or "default",
        name=it.meta.text("name"),
        uid=it.meta.text("uid"),
        allocated=allocation is not None,
        nodes=node_terms(allocation, "nodeSelector"),
        devices=tuple(
            (r.text("driver"), r.text("pool"), r.text("device"))
            for r in held.parts("results")
            if not r.flag("adminAccess")
        )
        if held
        else (),
        requests=tuple(_request(r, constrained) for r in devices.parts("requests")) if devices else (),
        owner=it.controller,
        terminating=it.terminating,
        unreadable=tuple(it.unread),
    )


def _request(row: StrictPart, constrained: bool) -> DeviceRequest:
    exactly, name = row.part("exactly"), row.text("name")
    if exactly is None:
        parts = list(row.parts("firstAvailable"))
        classes = tuple((a.text("name"), a.text("deviceClassName")) for a in parts)
        return DeviceRequest(name, None, classes, min(map(_least, parts), default=0))
    picky = constrained or any(exactly.row.get(k) for k in ("selectors", "capacity", "adminAccess"))
    plain = exactly.text("allocationMode") == "ExactCount" and not picky
    return DeviceRequest(
        name, exactly.text("deviceClassName"), (), _least(exactly), plain, _read_selectors(exactly.row)
    )


def _read_selectors(row: doc.Doc) -> tuple[str, ...]:
    return tuple(doc.text(s, "cel", "expression") for s in doc.rows(row, "selectors")[:_MOST])


def _least(asked: StrictPart) -> int:
    """Return how many devices it takes at least: with admin access others may hold them too; of all
    devices there may be any number.
    """
    exact = asked.text("allocationMode") == "ExactCount" and asked.row.get("adminAccess") is not True
    return asked.number("count") or 0 if exact else 0


def device_class_input(obj: doc.Doc) -> DeviceClassInput:
    """Return a DeviceClass."""
    return DeviceClassInput(doc.text(obj, "metadata", "name"), not doc.at(obj, "spec", "selectors"))


# Fields by which a device can be allocated only under some feature gates.
_GATED = ("consumesCounters", "bindingConditions", "taints", "allowMultipleAllocations")


def slice_input(obj: doc.Doc) -> SliceInput:
    """Return a ResourceSlice."""
    it = WholeStorage(obj, "ResourceSlice")
    pool = it.spec.part("pool")
    by_device = it.spec.row.get("perDeviceNodeSelection") is not None
    devices = list(it.spec.parts("devices"))
    gated = {d.text("name") for d in devices if by_device or any(d.row.get(k) for k in _GATED)}
    return SliceInput(
        name=it.meta.text("name"),
        driver=it.spec.text("driver"),
        pool=pool.text("name") if pool else "",
        generation=(pool.number("generation") if pool else None) or 0,
        node=it.spec.text("nodeName"),
        everywhere=it.spec.flag("allNodes") or by_device,
        nodes=node_terms(it.spec, "nodeSelector"),
        devices=tuple(d.text("name") for d in devices),
        uncertain=tuple(sorted(gated)),
        unreadable=tuple(it.unread),
        traits=tuple((d.text("name"), tuple(_read_traits(d.row))) for d in devices[:_MOST]),
    )


def _read_traits(device: doc.Doc) -> Iterator[tuple[str, str]]:
    """Yield a device's capacities, then its attributes."""
    for name, value in [*doc.section(device, "capacity").items()][:_MOST]:
        if isinstance(name, str) and isinstance(value, Mapping):
            yield name, doc.scalar(value, "value")
    for name, value in [*doc.section(device, "attributes").items()][:_MOST]:
        if isinstance(name, str) and isinstance(value, Mapping):
            yield (
                name,
                next(
                    (
                        shown
                        for kind in ("string", "version", "int", "bool")
                        if (shown := doc.scalar(value, kind))
                    ),
                    "",
                ),
            )
