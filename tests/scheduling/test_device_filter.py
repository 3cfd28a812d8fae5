"""ResourceClaims: certain rejections, and open results. `check` verifies the agreement with
kube-scheduler.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.make import Obj, decide_on, list_reasons, make_node, make_pod
from tests.scheduling.volumes import HOST, make_affinity
from unstuck.scheduling.decide import Decision

NODES = (make_node("a"), make_node("b"))
GPU = {"metadata": {"name": "gpu"}, "spec": {}}
PICKY = {
    "metadata": {"name": "picky"},
    "spec": {"selectors": [{"cel": {"expression": "device.driver == 'x'"}}]},
}
CANNOT = "cannot allocate all claims"


def resource_claim(
    name: str = "mine", /, *, count: int = 1, status: Obj | None = None, **exactly: Any
) -> Obj:
    asked = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count, **exactly}
    spec = {"devices": {"requests": [{"name": "r", "exactly": asked}]}}
    return {
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": spec,
        "status": status or {},
    }


def holding(*devices: str, pool: str = "a", nodes: Obj | None = None) -> Obj:
    """Return the status of a claim with these devices."""
    made: Obj = {
        "devices": {"results": [{"request": "r", "driver": "x", "pool": pool, "device": d} for d in devices]}
    }
    return {"allocation": {**made, **({"nodeSelector": nodes} if nodes else {})}}


def devices(pool: str, *names: str, generation: int = 1, **where: Any) -> Obj:
    rows = [{"name": n} for n in names]
    spec = {
        "driver": "x",
        "pool": {"name": pool, "generation": generation, "resourceSliceCount": 1},
        "devices": rows,
    }
    return {"metadata": {"name": f"{pool}-{generation}"}, "spec": {**spec, **(where or {"nodeName": pool})}}


def asked(*claims: Obj, slices: tuple[Obj, ...] = (), **more: Any) -> Decision:
    """Return the decision about a Pod with the claim `mine`."""
    wanted = make_pod(resourceClaims=[{"name": "c", "resourceClaimName": "mine"}])
    return decide_on(
        wanted,
        *NODES,
        resourceclaims=list(claims),
        resourceslices=list(slices),
        deviceclasses=[GPU, PICKY],
        **more,
    )


def test_a_pod_whose_claim_is_not_there_is_not_even_tried() -> None:
    found = asked()
    assert (
        found.held
        and found.held.message == 'could not find ResourceClaim "default/mine"'
        and not found.message
    )
    of_template = make_pod(resourceClaims=[{"name": "c", "resourceClaimTemplateName": "t"}])
    held = decide_on(of_template, *NODES).held
    assert held and held.message == 'pod "default/p": ResourceClaim not created yet'
    needless = {"resourceClaimStatuses": [{"name": "c"}]}
    assert decide_on({**of_template, "status": needless}, *NODES).fits == ("a", "b")


def test_a_class_that_is_not_there() -> None:
    found = asked(resource_claim(deviceClassName="gone"))
    assert found.message == "0/2 nodes are available: request r: device class gone does not exist."


def test_allocated_within_the_reach_of_some_nodes() -> None:
    found = asked(resource_claim(status=holding("d0", nodes=make_affinity(HOST, "b")["required"])))
    assert found.fits == ("b",) and list_reasons(found, "a") == ["resourceclaim not available on the node"]


@pytest.mark.parametrize(
    ("slices", "fits"),
    [
        ((devices("a", "d0"), devices("b", "d0", "d1")), "b"),
        ((devices("a", "d0", "d1"), devices("net", "n0", allNodes=True)), "a"),
        ((devices("a", "d0", "d1", "d2"),), "a"),
        ((devices("net", "n0", "n1", allNodes=True),), "ab"),
        ((devices("net", "n0", "n1", nodeSelector=make_affinity(HOST, "b")["required"]),), "b"),
        ((devices("a", "d0", "d1", "d2"), devices("a", "d0", generation=2)), ""),
        ((), ""),
    ],
)
def test_any_devices_of_a_class_are_counted(slices: tuple[Obj, ...], fits: str) -> None:
    """Two are wanted; another claim holds d0 of pool a."""
    found = asked(resource_claim(count=2), resource_claim("other", status=holding("d0")), slices=slices)
    assert "".join(found.fits) == fits
    assert all(list_reasons(found, n) == [CANNOT] for n in ("a", "b") if n not in fits)


def test_which_devices_a_selector_takes_is_left_open() -> None:
    found = asked(resource_claim(deviceClassName="picky"), slices=(devices("a", "d0"),))
    assert list_reasons(found, "b") == [CANNOT] and not found.fits and not found.message
    assert (
        found.undecided
        and found.undecided["a"][0].outcome == "unknown"
        and "mine" in found.undecided["a"][0].message
    )


GENERATED = make_pod(
    resourceClaims=[{"name": "c", "resourceClaimTemplateName": "t"}],
    status={"resourceClaimStatuses": [{"name": "c", "resourceClaimName": "mine"}]},
)


def test_a_claim_made_of_a_template_must_be_the_pod_s_own() -> None:
    slices = [devices("a", "d0")]
    foreign = decide_on(
        GENERATED, *NODES, resourceclaims=[resource_claim()], resourceslices=slices, deviceclasses=[GPU]
    )
    assert foreign.held and foreign.held.message.startswith(
        "ResourceClaim default/mine was not created for pod default/p"
    )
    for uid, fits in (("uid-p", ("a",)), ("uid-q", ())):
        own = resource_claim()
        own["metadata"]["ownerReferences"] = [{"kind": "Pod", "name": "p", "uid": uid, "controller": True}]
        assert (
            decide_on(
                GENERATED, *NODES, resourceclaims=[own], resourceslices=slices, deviceclasses=[GPU]
            ).fits
            == fits
        )


def test_a_claim_that_is_going() -> None:
    going = resource_claim()
    going["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z"
    found = asked(going)
    assert found.held and found.held.message == 'resourceclaim "mine" is being deleted'


def test_requests_of_no_known_kind_and_without_a_class() -> None:
    odd = resource_claim()
    odd["spec"]["devices"]["requests"] = [{"name": "r"}]
    assert (
        asked(odd).message
        == "0/2 nodes are available: resource claim default/mine, request r: unknown request type."
    )
    nameless = asked(resource_claim(deviceClassName=""))
    assert nameless.stopped and nameless.stopped.message.endswith("request r: unsupported request type")
    odd["spec"]["devices"]["requests"] = [
        {"name": "r", "firstAvailable": [{"name": "s", "deviceClassName": "gone"}]}
    ]
    assert asked(odd).message == "0/2 nodes are available: request r/s: device class gone does not exist."


def test_alternatives_all_devices_and_admin_access_are_left_open() -> None:
    slices = (devices("a", "d0"), devices("b", "d0"))
    either = resource_claim()
    exact = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
    either["spec"]["devices"]["requests"] = [{"name": "r", "firstAvailable": [{"name": "s", **exact}]}]
    assert asked(either).message == "0/2 nodes are available: 2 cannot allocate all claims."
    for claim_ in (either, resource_claim(allocationMode="All"), resource_claim(adminAccess=True)):
        assert set(asked(claim_, slices=slices).undecided or {}) == {"a", "b"}
    # Mode All may mean no devices, and devices held by others are available with admin access: a lack of free
    # ones proves nothing here.
    for claim_ in (resource_claim(allocationMode="All"), resource_claim(adminAccess=True)):
        assert set(asked(claim_).undecided or {}) == {"a", "b"}


def test_slices_that_cannot_be_trusted_leave_it_open() -> None:
    terms = [make_affinity(HOST, n)["required"]["nodeSelectorTerms"][0] for n in ("a", "b")]
    nameless = devices("a", "d0")
    nameless["spec"]["devices"][0]["name"] = 5
    for odd in (
        devices("a", "d0", "d0"),
        devices("a", "d0", nodeSelector={"nodeSelectorTerms": terms}),
        nameless,
    ):
        found = asked(resource_claim(), slices=(odd, devices("net", "n0", allNodes=True)))
        assert "a" not in found.fits and "a" not in found.refused
    numbers = {"key": "x", "operator": "Gt", "values": ["y"]}
    stops = devices("a", "d0", nodeSelector={"nodeSelectorTerms": [{"matchExpressions": [numbers]}]})
    stopped = asked(resource_claim(), slices=(stops,)).stopped
    assert stopped and "failed to perform node selection for slice a-1" in stopped.message


def test_slices_of_one_generation_are_one_pool() -> None:
    first, second = devices("a", "d0"), devices("a", "d1")
    assert asked(resource_claim(count=2), slices=(first, second)).fits == ("a",)


def test_a_device_that_depends_on_a_feature_gate() -> None:
    gated = devices("a", "d0", "d1")
    gated["spec"]["devices"][0]["bindingConditions"] = ["x"]
    assert asked(resource_claim(), slices=(gated,)).fits == ("a",)
    assert set(asked(resource_claim(count=2), slices=(gated,)).undecided or {}) == {"a"}
    assert list_reasons(asked(resource_claim(count=3), slices=(gated,)), "a") == [CANNOT]


def test_an_allocation_whose_nodes_cannot_be_told_stops_the_scheduler() -> None:
    odd = {"nodeSelectorTerms": [{"matchExpressions": [{"key": HOST, "operator": "Near", "values": ["a"]}]}]}
    found = asked(resource_claim(status=holding("d0", nodes=odd)))
    assert found.stopped and "Unsupported value" in found.stopped.message


def test_more_devices_than_a_claim_may_have_stop_the_scheduler() -> None:
    assert list_reasons(asked(resource_claim(count=32)), "a") == [CANNOT]
    found = asked(resource_claim(count=33), slices=(devices("a", "d0"),))
    assert found.stopped and found.stopped.message.endswith(
        "number of requested devices 33 exceeds the claim limit of 32"
    )
