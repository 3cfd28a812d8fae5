"""Pods: their requests, tolerations and selectors, and existing Pods."""

from __future__ import annotations

from tests.scheduling.generate.draw import Draw, Json, put
from tests.scheduling.generate.neighbours import draw_affinity_terms, spread_constraints
from tests.scheduling.generate.nodes import ATTACHABLE, EXTENDED, HOST, HUGE, NAMES, UNSCHEDULABLE, ZONE
from tests.scheduling.generate.selectors import (
    NAMESPACES,
    draw_node_requirement,
    draw_node_terms,
    draw_pod_labels,
)

CPU = (
    "100m",
    "250m",
    "500m",
    "1",
    "0.1",
    "1500m",
    "2",
    "3",
    "5",
    "0",
    "1u",
    "1.0001",
    "1999500u",
    "2E-1",
    "1e-1",
)
MEMORY = (
    "64Mi",
    "256Mi",
    "1Gi",
    "500M",
    "2Gi",
    "3Gi",
    "8Gi",
    "1.5Gi",
    "0",
    "1e8",
    "128974848",
    "1500m",
    "0.3Ki",
    "1048576k",
    "1M",
)
LATER = "2026-11-21T00:00:00Z"

# The topics of a case: each adds its part to the Pod to place, and to the others.
THEMES = (
    "amounts",
    "ports",
    "taints",
    "node-affinity",
    "spread",
    "affinity",
    "storage",
    "devices",
    "name",
    "gates",
)


def draw_pod_to_place(draw: Draw, themes: frozenset[str]) -> Json:
    made = _draw_pod(draw, "wanted", themes, draw.weighted({"default": 80, "team-a": 20}))
    spec: Json = made["spec"]
    if "node-affinity" in themes or ("spread" in themes and draw.chance(25)):
        put(spec, **_draw_node_selection(draw, spec))
    if "name" in themes and draw.chance(50):
        spec["nodeName"] = draw.pick((*NAMES, "gone"))
    if "gates" in themes:
        spec["schedulingGates"] = [
            {"name": f"example.com/{name}"} for name in draw.some(("quota", "storage"), 1)
        ]
    if draw.chance(3):
        made["status"]["nominatedNodeName"] = draw.pick((*NAMES, "gone"))
    if draw.chance(10):
        spec["preemptionPolicy"] = "Never"
    return made


def draw_other_pods(draw: Draw, themes: frozenset[str], nodes: list[str]) -> list[Json]:
    """Draw running, ending, waiting or nominated Pods."""
    made = []
    for i in range(draw.weighted({0: 15, 1: 20, 2: 20, 4: 20, 7: 17, 12: 8})):
        pod = _draw_pod(draw, f"other{i}", themes, draw.weighted({"default": 65, "team-a": 25, "team-b": 10}))
        where = draw.weighted({"placed": 82, "nominated": 13, "waiting": 5})
        if where == "placed" and nodes:
            pod["spec"]["nodeName"] = draw.pick(nodes) if draw.chance(97) else "gone"
            pod["status"]["phase"] = draw.weighted(
                {"Running": 80, "Pending": 10, "Succeeded": 5, "Failed": 5}
            )
        elif where == "nominated" and nodes:
            pod["status"]["nominatedNodeName"] = draw.pick(nodes)
            if draw.chance(10):
                pod["spec"]["schedulerName"] = "another"
            if draw.chance(5):
                pod["spec"]["schedulingGates"] = [{"name": "example.com/quota"}]
        if "nodeName" not in pod["spec"]:
            # No kubelet has seen it, so its containers' allocated resources are not recorded.
            pod["status"].pop("containerStatuses", None)
            pod["status"].pop("conditions", None)
        if draw.chance(8):
            pod["metadata"]["deletionTimestamp"] = LATER
        made.append(pod)
    return made


def _draw_pod(draw: Draw, name: str, themes: frozenset[str], namespace: str) -> Json:
    metadata: Json = {"name": name, "namespace": namespace, "uid": f"uid-{name}"}
    if labels := draw_pod_labels(draw):
        metadata["labels"] = labels
    spec: Json = {"schedulerName": "default-scheduler", "priority": draw.weighted({0: 70, 10: 20, -5: 10})}
    made: Json = {"metadata": metadata, "spec": spec, "status": {}}
    _draw_containers(draw, made, themes)
    if "taints" in themes or draw.chance(10):
        put(spec, tolerations=[_draw_toleration(draw) for _ in range(draw.number(0, 3))] or None)
    affinity: Json = {}
    if "affinity" in themes:
        affinity.update(draw_affinity_terms(draw, labels))
    if affinity:
        spec["affinity"] = affinity
    if "spread" in themes and draw.chance(85):
        spec["topologySpreadConstraints"] = spread_constraints(draw, labels)
    return made


def _draw_node_selection(draw: Draw, spec: Json) -> Json:
    affinity: Json = dict(spec.get("affinity", {}))
    if draw.chance(80):
        affinity["nodeAffinity"] = {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": draw_node_terms(draw, 25)}
        }
    elif draw.chance(50):
        preferred = {"weight": 1, "preference": {"matchExpressions": [draw_node_requirement(draw)]}}
        affinity["nodeAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}
    chosen: Json = {}
    if draw.chance(40):
        chosen["nodeSelector"] = {
            key: draw.pick(values)
            for key, values in draw.some(((ZONE, ("a", "b")), ("disk", ("ssd", "hdd")), (HOST, NAMES)), 1, 2)
        }
    return put(chosen, affinity=affinity or None)


def _draw_toleration(draw: Draw) -> Json:
    if draw.chance(10):
        return {"operator": "Exists"}
    made: Json = {
        "key": draw.pick(
            (
                "dedicated",
                "gpu",
                "node.kubernetes.io/not-ready",
                "node.kubernetes.io/memory-pressure",
                UNSCHEDULABLE,
            )
        )
    }
    if draw.chance(45):
        made["operator"] = "Exists"
    else:
        put(made, operator=draw.pick((None, "Equal")), value=draw.pick((None, "a", "b")))
    effect = draw.pick((None, "NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule"))
    return put(made, effect=effect)


def _draw_amounts(draw: Draw, percent: float) -> Json:
    amounts: Json = {}
    if draw.chance(percent):
        amounts["cpu"] = draw.pick(CPU)
    if draw.chance(percent):
        amounts["memory"] = draw.pick(MEMORY)
    if draw.chance(percent / 4):
        amounts["ephemeral-storage"] = draw.pick(("10Mi", "1Gi", "20Gi", "0"))
    if draw.chance(percent / 4):
        amounts[EXTENDED] = draw.pick(("1", "2", "0", "8"))
    if draw.chance(percent / 6):
        amounts[HUGE] = draw.pick(("2Mi", "4Mi", "16Mi"))
    if draw.chance(percent / 20):
        amounts[draw.pick((ATTACHABLE, "kubernetes.io/batch-cpu", "requests.example.com/x"))] = "1"
    return amounts


def _draw_container(draw: Draw, name: str, themes: frozenset[str], asks: float) -> Json:
    made: Json = {"name": name, "image": "busybox"}
    if amounts := _draw_amounts(draw, asks):
        made["resources"] = {"requests": amounts}
        if draw.chance(15):
            made["resources"]["limits"] = {
                key: value for key, value in amounts.items() if "/" in key or draw.chance(50)
            }
    if "ports" in themes and draw.chance(75):
        made["ports"] = [_draw_port(draw) for _ in range(draw.number(1, 2))]
    return made


def _draw_port(draw: Draw) -> Json:
    made: Json = put(
        {"containerPort": 80}, protocol=draw.weighted({"TCP": 70, "UDP": 20, "SCTP": 5, None: 5})
    )
    if draw.chance(90):
        made["hostPort"] = draw.pick((80, 80, 443, 8080))
    every = "0.0.0.0"  # noqa: S104 - a hostPort, opened nowhere
    return put(
        made, hostIP=draw.weighted({None: 45, every: 15, "127.0.0.1": 15, "10.0.0.1": 15, "::": 5, "": 5})
    )


def _draw_containers(draw: Draw, pod: Json, themes: frozenset[str]) -> None:
    spec: Json = pod["spec"]
    asks = 80 if "amounts" in themes else 25
    spec["containers"] = [
        _draw_container(draw, f"c{i}", themes, asks) for i in range(draw.weighted({1: 70, 2: 25, 3: 5}))
    ]
    if draw.chance(40 * ("amounts" in themes) + 20 * ("ports" in themes)):
        spec["initContainers"] = []
        for i in range(draw.number(1, 3)):
            one = _draw_container(draw, f"i{i}", themes, asks)
            if draw.chance(45):
                one["restartPolicy"] = "Always"
            spec["initContainers"].append(one)
    if "amounts" not in themes:
        return
    if draw.chance(15):
        spec["overhead"] = {
            "cpu": draw.pick(("100m", "1")),
            **({"memory": "100Mi"} if draw.chance(50) else {}),
        }
    if draw.chance(15):
        level = {
            key: value for key, value in _draw_amounts(draw, 70).items() if key in ("cpu", "memory", HUGE)
        }
        if level:
            spec["resources"] = {"requests": level}
    if draw.chance(20):
        _resize(draw, pod)


def _resize(draw: Draw, pod: Json) -> None:
    """Resize a Pod in place: the kubelet's allocation may differ from the requests."""
    statuses = []
    for container in pod["spec"]["containers"]:
        status: Json = {
            "name": container["name"],
            "ready": True,
            "restartCount": 0,
            "image": "",
            "imageID": "",
        }
        if draw.chance(80):
            status["allocatedResources"] = _draw_amounts(draw, 80)
        if draw.chance(80):
            status["resources"] = {"requests": _draw_amounts(draw, 80)}
        statuses.append(status)
    pod["status"]["containerStatuses"] = statuses
    if draw.chance(40):
        condition = {
            "type": "PodResizePending",
            "status": "True",
            "reason": draw.pick(("Infeasible", "Deferred")),
        }
        pod["status"]["conditions"] = [condition]


def draw_namespaces(draw: Draw) -> list[Json]:
    made = []
    for name in NAMESPACES:
        labels = {"kubernetes.io/metadata.name": name}
        if name != "default" and draw.chance(80):
            labels["team"] = draw.pick(("a", "b"))
        if draw.chance(97):
            made.append({"metadata": {"name": name, "labels": labels}})
    return made
