"""ResourceClaims: what is refused for certain, and what is left open. That it agrees with kube-scheduler's is held by `check`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.make import Obj, decided, node, pod, said
from tests.scheduling.volumes import HOST, at
from unstuck.scheduling.decide import Decision

NODES = (node("a"), node("b"))
GPU = {"metadata": {"name": "gpu"}, "spec": {}}
PICKY = {"metadata": {"name": "picky"}, "spec": {"selectors": [{"cel": {"expression": "device.driver == 'x'"}}]}}
CANNOT = "cannot allocate all claims"


def resource_claim(name: str = "mine", /, *, count: int = 1, status: Obj | None = None, **exactly: Any) -> Obj:
    asked = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count, **exactly}
    spec = {"devices": {"requests": [{"name": "r", "exactly": asked}]}}
    return {"metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"}, "spec": spec, "status": status or {}}


def holding(*devices: str, pool: str = "a", nodes: Obj | None = None) -> Obj:
    """The status of a claim that has these devices."""
    made: Obj = {"devices": {"results": [{"request": "r", "driver": "x", "pool": pool, "device": d} for d in devices]}}
    return {"allocation": {**made, **({"nodeSelector": nodes} if nodes else {})}}


def devices(pool: str, *names: str, generation: int = 1, **where: Any) -> Obj:
    rows = [{"name": n} for n in names]
    spec = {"driver": "x", "pool": {"name": pool, "generation": generation, "resourceSliceCount": 1}, "devices": rows}
    return {"metadata": {"name": f"{pool}-{generation}"}, "spec": {**spec, **(where or {"nodeName": pool})}}


def asked(*claims: Obj, slices: tuple[Obj, ...] = (), **more: Any) -> Decision:
    """The Pod wants the claim `mine`."""
    wanted = pod(resourceClaims=[{"name": "c", "resourceClaimName": "mine"}])
    return decided(wanted, *NODES, resourceclaims=list(claims), resourceslices=list(slices), deviceclasses=[GPU, PICKY], **more)


def test_a_pod_whose_claim_is_not_there_is_not_even_tried() -> None:
    found = asked()
    assert found.held and found.held.message == 'could not find ResourceClaim "default/mine"' and not found.message
    of_template = pod(resourceClaims=[{"name": "c", "resourceClaimTemplateName": "t"}])
    held = decided(of_template, *NODES).held
    assert held and held.message == 'pod "default/p": ResourceClaim not created yet'
    needless = {"resourceClaimStatuses": [{"name": "c"}]}
    assert decided({**of_template, "status": needless}, *NODES).fits == ("a", "b")


def test_a_class_that_is_not_there() -> None:
    found = asked(resource_claim(deviceClassName="gone"))
    assert found.message == "0/2 nodes are available: request r: device class gone does not exist."


def test_allocated_within_the_reach_of_some_nodes() -> None:
    found = asked(resource_claim(status=holding("d0", nodes=at(HOST, "b")["required"])))
    assert found.fits == ("b",) and said(found, "a") == ["resourceclaim not available on the node"]


@pytest.mark.parametrize(
    ("slices", "fits"),
    [
        ((devices("a", "d0"), devices("b", "d0", "d1")), "b"),
        ((devices("a", "d0", "d1"), devices("net", "n0", allNodes=True)), "a"),
        ((devices("a", "d0", "d1", "d2"),), "a"),
        ((devices("net", "n0", "n1", allNodes=True),), "ab"),
        ((devices("net", "n0", "n1", nodeSelector=at(HOST, "b")["required"]),), "b"),
        ((devices("a", "d0", "d1", "d2"), devices("a", "d0", generation=2)), ""),
        ((), ""),
    ],
)
def test_any_devices_of_a_class_are_counted(slices: tuple[Obj, ...], fits: str) -> None:
    """Two are wanted; another claim holds d0 of pool a."""
    found = asked(resource_claim(count=2), resource_claim("other", status=holding("d0")), slices=slices)
    assert "".join(found.fits) == fits
    assert all(said(found, n) == [CANNOT] for n in ("a", "b") if n not in fits)


def test_which_devices_a_selector_takes_is_left_open() -> None:
    found = asked(resource_claim(deviceClassName="picky"), slices=(devices("a", "d0"),))
    assert said(found, "b") == [CANNOT] and not found.fits and not found.message
    assert found.undecided and found.undecided["a"][0].outcome == "unknown" and "mine" in found.undecided["a"][0].message


def test_more_devices_than_a_claim_may_have_stop_the_scheduler() -> None:
    found = asked(resource_claim(count=33), slices=(devices("a", "d0"),))
    assert found.stopped and found.stopped.message.endswith("number of requested devices 33 exceeds the claim limit of 32")
