"""Nodes: labels for selectors and topologies, taints, cordons, amounts."""

from __future__ import annotations

from tests.scheduling.generate.draw import Draw, Json, put

NAMES = ("n1", "n2", "n3", "n4", "n5")
ZONE, REGION, HOST = "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "kubernetes.io/hostname"
OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
EBS_ZONE, PD_ZONE = "topology.ebs.csi.aws.com/zone", "topology.gke.io/zone"
EXTENDED, HUGE, ATTACHABLE = "example.com/gpu", "hugepages-2Mi", "attachable-volumes-aws-ebs"

CPU = ("2", "1500m", "0.5", "4", "1", "250m", "3000m", "1.9999", "2e0")
MEMORY = ("4Gi", "1Gi", "2G", "512Mi", "4294967296", "1.5Gi", "1e9", "128974848", "3000000Ki", "0.7Gi", "1Pi")
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


def make_nodes(draw: Draw) -> list[Json]:
    count = draw.weighted({1: 20, 2: 25, 3: 30, 4: 15, 5: 9, 0: 1})
    return [_draw_node(draw, name) for name in NAMES[:count]]


def draw_taint(draw: Draw) -> Json:
    kind = draw.weighted({"own": 70, "not-ready": 10, "pressure": 10, "unschedulable": 10})
    if kind == "not-ready":
        return {"key": "node.kubernetes.io/not-ready", "effect": draw.pick(("NoSchedule", "NoExecute"))}
    if kind == "pressure":
        return {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}
    if kind == "unschedulable":
        return {"key": UNSCHEDULABLE, "effect": "NoSchedule"}
    made: Json = {
        "key": draw.pick(("dedicated", "gpu")),
        "effect": draw.pick(("NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule")),
    }
    return put(made, value=draw.pick((None, "a", "b")))


def _draw_labels(draw: Draw, name: str) -> dict[str, str]:
    labels: dict[str, str] = {}
    if draw.chance(92):
        labels[HOST] = name if draw.chance(95) else f"{name}.example"
    if draw.chance(88):
        labels[ZONE] = draw.pick(("a", "b", "c"))
    if draw.chance(25):
        labels[OLD_ZONE] = draw.pick(("a", "b"))
    if draw.chance(15):
        labels[draw.pick((EBS_ZONE, PD_ZONE))] = draw.pick(("a", "b"))
    if draw.chance(25):
        labels[REGION] = draw.pick(("r1", "r2"))
    if draw.chance(50):
        labels["disk"] = draw.pick(("ssd", "hdd", ""))
    if draw.chance(40):
        labels["size"] = draw.pick(("4", "8", "16", "x", "-3", "04"))
    if draw.chance(65):
        labels["rack"] = draw.pick(("k1", "k2"))
    return labels


def _draw_allocatable(draw: Draw) -> Json:
    amounts = {
        "cpu": draw.pick(CPU),
        "memory": draw.pick(MEMORY),
        "pods": draw.weighted({"110": 80, "1": 7, "2": 7, "0": 3, "3": 3}),
    }
    if draw.chance(60):
        amounts["ephemeral-storage"] = draw.pick(("10Gi", "1Gi", "100M", "0"))
    if draw.chance(40):
        amounts[EXTENDED] = draw.pick(("1", "2", "4", "0", "1k"))
    if draw.chance(30):
        amounts[HUGE] = draw.pick(("0", "4Mi", "8Mi", "1Gi"))
    if draw.chance(10):
        amounts[ATTACHABLE] = draw.pick(("1", "39"))
    if draw.chance(3):
        del amounts[draw.pick(tuple(amounts))]
    return amounts


def _draw_node(draw: Draw, name: str) -> Json:
    spec: Json = {}
    if draw.chance(12):
        spec["unschedulable"] = True
        if draw.chance(70):
            spec["taints"] = [{"key": UNSCHEDULABLE, "effect": "NoSchedule"}]
    if draw.chance(30):
        spec["taints"] = [*spec.get("taints", ()), *(draw_taint(draw) for _ in range(draw.number(1, 2)))]
    metadata: Json = {"name": name}
    if labels := _draw_labels(draw, name):
        metadata["labels"] = labels
    made: Json = {"metadata": metadata, "spec": spec, "status": {}}
    if draw.chance(97):
        made["status"]["allocatable"] = _draw_allocatable(draw)
    return made
