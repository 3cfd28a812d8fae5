"""Dynamic resources: existing, missing, elsewhere allocated or used claims; classes and slices."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.scheduling.generate.draw import Draw, Json, put
from tests.scheduling.generate.nodes import HOST, ZONE
from tests.scheduling.generate.storage import DAY

CLAIMS = ("r1", "r2")
DRIVER = "dra.example.com"


@dataclass
class Devices:
    """The objects of a case related to devices."""

    resourceclaims: list[Json] = field(default_factory=list)
    resourceslices: list[Json] = field(default_factory=list)
    deviceclasses: list[Json] = field(default_factory=list)


def make_devices(draw: Draw, pod: Json, nodes: list[str]) -> Devices:
    """Give the Pod claims, and usually create their prerequisites."""
    made = Devices()
    spec, namespace = pod["spec"], pod["metadata"]["namespace"]
    spec["resourceClaims"] = []
    for i in range(draw.weighted({1: 75, 2: 25})):
        if draw.chance(75):
            spec["resourceClaims"].append(
                {"name": f"q{i}", "resourceClaimName": draw.pick((*CLAIMS, *CLAIMS, "gone"))}
            )
        else:
            spec["resourceClaims"].append({"name": f"q{i}", "resourceClaimTemplateName": "t"})
            if draw.chance(70):
                name = None if draw.chance(10) else "generated"
                pod["status"].setdefault("resourceClaimStatuses", []).append(
                    put({"name": f"q{i}"}, resourceClaimName=name)
                )
    made.resourceclaims = [
        _draw_claim(draw, pod, namespace, name) for name in (*CLAIMS, "generated") if draw.chance(92)
    ]
    made.resourceclaims += [
        _draw_foreign_claim(draw, f"taken{i}", nodes) for i in range(draw.number(0, 2)) if nodes
    ]
    made.deviceclasses = [_draw_class(draw, name) for name in ("gpu", "fpga") if draw.chance(90)]
    made.resourceslices = [_draw_slice(draw, name) for name in nodes if draw.chance(70)]
    if draw.chance(15):
        made.resourceslices.append(_draw_shared_slice(draw))
    return made


def _draw_class(draw: Draw, name: str) -> Json:
    expressions = (
        f'device.driver == "{DRIVER}"',
        'device.driver == "another.example.com"',
        'device.attributes["dra.example.com"].model == "a"',
        "1 +",
    )
    which = draw.weighted({-1: 70, 0: 15, 1: 6, 2: 7, 3: 2})
    return {
        "metadata": {"name": name},
        "spec": {"selectors": [{"cel": {"expression": expressions[which]}}]} if which >= 0 else {},
    }


def _request(draw: Draw, name: str) -> Json:
    made: Json = {
        "deviceClassName": draw.weighted({"gpu": 65, "fpga": 25, "gone": 10}),
        "allocationMode": "ExactCount",
        "count": draw.number(1, 2),
    }
    if draw.chance(10):
        made["allocationMode"] = "All"
        del made["count"]
    if draw.chance(10):
        made["selectors"] = [{"cel": {"expression": 'device.attributes["dra.example.com"].model == "b"'}}]
    if draw.chance(10):
        return {"name": name, "firstAvailable": [{"name": f"s{i}", **made} for i in range(draw.number(1, 2))]}
    return {"name": name, "exactly": made}


def _draw_claim(draw: Draw, pod: Json, namespace: str, name: str) -> Json:
    metadata: Json = {"namespace": namespace, "name": name, "uid": f"uid-{name}"}
    owner = {"name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
    if name == "generated" and draw.chance(85):
        metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "controller": True, **owner}]
    if draw.chance(4):
        metadata.update(deletionTimestamp=DAY, finalizers=["resource.kubernetes.io/delete-protection"])
    requests = [_request(draw, f"q{i}") for i in range(draw.weighted({1: 80, 2: 20}))]
    made: Json = {"metadata": metadata, "spec": {"devices": {"requests": requests}}, "status": {}}
    if draw.chance(40):
        made["status"]["allocation"] = _draw_allocation(draw, draw.pick(("n1", "n2")))
        if draw.chance(60):
            reserved = owner if draw.chance(50) else {"name": "another", "uid": "uid-another"}
            made["status"]["reservedFor"] = [{"resource": "pods", **reserved}]
    return made


def _draw_allocation(draw: Draw, node: str) -> Json:
    made: Json = {
        "devices": {
            "results": [{"request": "q0", "driver": DRIVER, "pool": node, "device": draw.pick(("d0", "d1"))}]
        }
    }
    if draw.chance(70):
        expressions = [{"key": HOST, "operator": "In", "values": [node]}]
        made["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    return made


def _draw_foreign_claim(draw: Draw, name: str, nodes: list[str]) -> Json:
    """Draw a claim of other Pods, which holds a device."""
    made: Json = {
        "metadata": {"namespace": "team-b", "name": name, "uid": f"uid-{name}"},
        "spec": {"devices": {"requests": []}},
    }
    made["spec"]["devices"]["requests"] = [_request(draw, "q0")]
    made["status"] = {
        "allocation": _draw_allocation(draw, draw.pick(nodes)),
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "uid-p"}],
    }
    return made


def _draw_slice(draw: Draw, node: str) -> Json:
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1 if draw.chance(93) else 2}
    spec = {"driver": DRIVER, "pool": pool, "nodeName": node, "devices": _draw_devices(draw)}
    return {"metadata": {"name": f"slice-{node}"}, "spec": spec}


def _draw_shared_slice(draw: Draw) -> Json:
    """Draw devices accessible from more than one Node."""
    spec: Json = {
        "driver": DRIVER,
        "pool": {"name": "shared", "generation": 1, "resourceSliceCount": 1},
        "devices": _draw_devices(draw),
    }
    if draw.chance(50):
        spec["allNodes"] = True
    else:
        expressions = [{"key": ZONE, "operator": "In", "values": ["a"]}]
        spec["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    return {"metadata": {"name": "slice-shared"}, "spec": spec}


def _draw_devices(draw: Draw) -> list[Json]:
    made: list[Json] = []
    for i in range(draw.number(0, 3)):
        attributes = {"model": {"string": draw.pick(("a", "b"))}} if draw.chance(70) else None
        made.append(put({"name": f"d{i}"}, attributes=attributes))
    return made
