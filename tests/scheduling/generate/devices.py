"""Dynamic resources: claims that are there, missing, allocated elsewhere or in use; classes and slices."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.scheduling.generate.draw import Draw, Json, put
from tests.scheduling.generate.nodes import HOST
from tests.scheduling.generate.storage import DAY

CLAIMS = ("r1", "r2")
DRIVER = "dra.example.com"


@dataclass
class Devices:
    """The kinds of a case that have to do with devices."""

    resourceclaims: list[Json] = field(default_factory=list)
    resourceslices: list[Json] = field(default_factory=list)
    deviceclasses: list[Json] = field(default_factory=list)


def make_devices(draw: Draw, pod: Json, nodes: list[str]) -> Devices:
    """Gives the Pod claims, and makes what these need, most of the time."""
    made = Devices()
    spec, namespace = pod["spec"], pod["metadata"]["namespace"]
    spec["resourceClaims"] = []
    for i in range(draw.weighted({1: 75, 2: 25})):
        if draw.chance(75):
            spec["resourceClaims"].append({"name": f"q{i}", "resourceClaimName": draw.pick((*CLAIMS, *CLAIMS, "gone"))})
        else:
            spec["resourceClaims"].append({"name": f"q{i}", "resourceClaimTemplateName": "t"})
            if draw.chance(70):
                name = None if draw.chance(10) else "generated"
                pod["status"].setdefault("resourceClaimStatuses", []).append(put({"name": f"q{i}"}, resourceClaimName=name))
    made.resourceclaims = [_claim(draw, pod, namespace, name) for name in (*CLAIMS, "generated") if draw.chance(92)]
    made.deviceclasses = [{"metadata": {"name": "gpu"}, "spec": {}}] if draw.chance(90) else []
    made.resourceslices = [_slice(draw, name) for name in nodes if draw.chance(60)]
    return made


def _claim(draw: Draw, pod: Json, namespace: str, name: str) -> Json:
    metadata: Json = {"namespace": namespace, "name": name, "uid": f"uid-{name}"}
    if name == "generated" and draw.chance(85):
        owner = {"apiVersion": "v1", "kind": "Pod", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"], "controller": True}
        metadata["ownerReferences"] = [owner]
    if draw.chance(4):
        metadata.update(deletionTimestamp=DAY, finalizers=["resource.kubernetes.io/delete-protection"])
    wanted: Json = {"deviceClassName": draw.pick(("gpu", "gpu", "gpu", "gone")), "allocationMode": "ExactCount", "count": draw.number(1, 2)}
    made: Json = {"metadata": metadata, "spec": {"devices": {"requests": [{"name": "one", "exactly": wanted}]}}, "status": {}}
    if draw.chance(50):
        allocation: Json = {"devices": {"results": [{"request": "one", "driver": DRIVER, "pool": "n1", "device": "d0"}]}}
        if draw.chance(70):
            expressions = [{"key": HOST, "operator": "In", "values": [draw.pick(("n1", "n2"))]}]
            allocation["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
        made["status"]["allocation"] = allocation
        if draw.chance(60):
            name, uid = draw.pick(((pod["metadata"]["name"], pod["metadata"]["uid"]), ("another", "uid-another")))
            made["status"]["reservedFor"] = [{"resource": "pods", "name": name, "uid": uid}]
    return made


def _slice(draw: Draw, node: str) -> Json:
    devices = [{"name": f"d{i}"} for i in range(draw.number(1, 2))]
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
    return {"metadata": {"name": f"slice-{node}"}, "spec": {"driver": DRIVER, "pool": pool, "nodeName": node, "devices": devices}}
