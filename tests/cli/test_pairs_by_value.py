"""Comparisons of two facts: labels with Nodes, a class with its controller, watched Namespaces with the
object's own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_named import SPACE, ask, deployment, roots
from tests.kube import small as server
from tests.kube.small import LONG_AGO, Small, make_healthy_cluster, make_object, read_json, small
from unstuck.cli.run import run

Err = pytest.CaptureFixture[str]
Doc = dict[str, Any]
KINDS = {
    "ingresses": ("Ingress", "networking.k8s.io/v1", True),
    "ingressclasses": ("IngressClass", "networking.k8s.io/v1", False),
    "depots": ("Depot", "stores.example.org/v1", True),
    "servicemonitors": ("ServiceMonitor", "monitoring.coreos.com/v1", True),
}


@pytest.fixture(autouse=True)
def _more_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    for plural, kind in KINDS.items():
        monkeypatch.setitem(server.KINDS, plural, kind)
    monkeypatch.setitem(
        server.COLUMNS,
        "daemonsets",
        ("Name", "Desired", "Current", "Ready", "Up-to-date", "Available", "Node Selector"),
    )


def labelled(name: str, **labels: str) -> Doc:
    """Return a healthy Node with labels."""
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": LONG_AGO}]
    return make_object(
        "Node", name, None, ("Ready",), meta={"labels": labels}, status={"conditions": conditions}
    )


def nowhere(name: str, labels: Doc) -> Doc:
    """Return a DaemonSet that desires no Pods."""
    template = {"metadata": {"labels": {"app": name}}, "spec": {"nodeSelector": labels, "containers": []}}
    chosen = ",".join(f"{k}={v}" for k, v in labels.items()) or "<none>"
    return make_object(
        "DaemonSet",
        name,
        SPACE,
        ("0", "0", "0", "0", "0", chosen),
        spec={"selector": {"matchLabels": {"app": name}}, "template": template},
        status={"observedGeneration": 1, "desiredNumberScheduled": 0, "numberReady": 0},
        meta={"generation": 1},
    )


@pytest.mark.parametrize(
    ("labels", "state", "found"),
    [
        ({"disk": "SSD"}, "unknown", ["reference.selects-nothing"]),
        ({"pool": "storge"}, "unknown", ["reference.selects-nothing"]),
        ({"kubernetes.io/os": "windows"}, "fine", []),
        ({"example.com/gpu": "true"}, "fine", []),
        ({}, "fine", []),
    ],
)
def test_a_daemonset_for_a_label_that_looks_misspelt(
    labels: Doc, state: str, found: list[str], tmp_path: Path, capsys: Err
) -> None:
    nodes = [labelled("n-2", disk="ssd", pool="storage", **{"kubernetes.io/os": "linux"})]
    status, answer, _ = ask([nowhere("sniffer", labels), *nodes], tmp_path, capsys, "ds/sniffer")
    assert (status, answer["state"], roots(answer)) == (int(bool(found)), state, found)


@pytest.mark.parametrize(("value", "told"), [("SSD", 1), ("tape", 0)])
def test_a_scan_lists_such_a_daemonset(value: str, told: int, tmp_path: Path, capsys: Err) -> None:
    objects = [*make_healthy_cluster(), labelled("n-2", disk="ssd"), nowhere("sniffer", {"disk": value})]
    with small(Small(objects), tmp_path) as (_, kubeconfig):
        status = run(["scan", "-n", SPACE, "-o", "json", "--kubeconfig", str(kubeconfig)], "unstuck")
    assert (status, len(read_json(capsys.readouterr().out)["incidents"])) == (told, told)


def depot(name: str, within: str, **fields: Any) -> Doc:
    return make_object("Depot", name, within, meta={"generation": 1}, spec={"size": 3}, **fields)


def operator(env: list[Doc], args: list[str]) -> Doc:
    """Return the running controller of depots."""
    one = deployment("depot-operator", 1, {"app": "depot-operator"}, replicas=1, updatedReplicas=1)
    one["status"] |= {"readyReplicas": 1, "availableReplicas": 1}
    one["spec"]["template"]["spec"] = {"containers": [{"name": "c", "image": "x", "env": env, "args": args}]}
    one["spec"]["template"]["metadata"]["annotations"] = {"olm.targetNamespaces": "east,west"}
    return one


def from_key(name: str) -> Doc:
    return {"name": name, "valueFrom": {"configMapKeyRef": {"name": "conf", "key": "spaces"}}}


@pytest.mark.parametrize(
    ("env", "args", "by"),
    [
        ([{"name": "WATCH_NAMESPACE", "value": "east,west"}], [], "WATCH_NAMESPACE"),
        ([from_key("DEPOT_WATCHED_NAMESPACES")], [], "DEPOT_WATCHED_NAMESPACES"),
        (
            [
                {
                    "name": "WATCH_NAMESPACE",
                    "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['olm.targetNamespaces']"}},
                }
            ],
            [],
            "WATCH_NAMESPACE",
        ),
        ([], ["--watch-namespaces=east,west"], "--watch-namespaces"),
        ([], ["--leader-elect", "--namespaces", "east"], "--namespaces"),
        ([], ["--namespaces="], ""),
        ([{"name": "WATCH_NAMESPACE", "value": ""}], [], ""),
        ([{"name": "WATCH_NAMESPACE", "value": "east, north"}], [], ""),
        (
            [{"name": "WATCH_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}],
            [],
            "WATCH_NAMESPACE",
        ),
    ],
)
def test_a_controller_that_watches_other_namespaces(
    env: list[Doc], args: list[str], by: str, tmp_path: Path, capsys: Err
) -> None:
    conf = make_object("ConfigMap", "conf", SPACE, data={"spaces": "east west"})
    others = [depot("quay", "east", status={"phase": "Ready"}), operator(env, args), conf]
    status, answer, _ = ask([depot("pier", "north"), *others], tmp_path, capsys, "depot/pier", "-n", "north")
    (cause,) = answer["causes"]
    assert (status, cause["id"]) == (1, "controller.status-unwritten")
    assert (f"({by})" in cause["says"]["en"]) is bool(by)
    assert ("add north to" in cause["help"][0]["says"]["en"]) is bool(by)


def edge(**spec: Any) -> Doc:
    ports = [{"port": 80, "targetPort": 8080}]
    return make_object(
        "Service",
        "edge",
        SPACE,
        spec={"type": "LoadBalancer", "selector": {"app": "edge"}, "ports": ports, **spec},
        status={"loadBalancer": {}},
    )


def in_service(name: str, space: str, ready: int) -> Doc:
    one = deployment(name, 1, {"app": name}, replicas=1, readyReplicas=ready)
    one["metadata"]["namespace"] = space
    return one


@pytest.mark.parametrize(
    ("spec", "others", "culprit"),
    [
        ({}, [], "Controller"),
        ({"loadBalancerClass": "example.com/metal"}, [], "Controller"),
        ({}, [in_service("controller", "metallb-system", 0)], "Deployment"),
        ({}, [in_service("controller", "metallb-system", 1)], ""),
        ({}, [make_object("Node", "n-9", None, spec={"providerID": "aws:///a/i-1"}, status={})], ""),
        ({"loadBalancerClass": "example.com/metal"}, [in_service("metal-giver", "kube-system", 1)], ""),
    ],
)
def test_a_service_to_which_nobody_gives_an_address(
    spec: Doc, others: list[Doc], culprit: str, tmp_path: Path, capsys: Err
) -> None:
    backend = server.make_pod("edge-1", SPACE, labels={"app": "edge"})
    status, answer, _ = ask([edge(**spec), backend, *others], tmp_path, capsys, "svc/edge")
    found = [c for c in answer["causes"] if c["id"] == "controller.class-unserved"]
    assert status == (1 if culprit else 2)
    assert [c["culprit"]["kind"] for c in found] == ([culprit] if culprit else [])


@pytest.mark.parametrize("served", [False, True])
def test_a_class_whose_controller_is_not_there(served: bool, tmp_path: Path, capsys: Err) -> None:
    rule = {
        "http": {"paths": [{"path": "/", "backend": {"service": {"name": "web", "port": {"number": 80}}}}]}
    }

    def ingress(name: str, **status: Any) -> Doc:
        return make_object(
            "Ingress",
            name,
            SPACE,
            spec={"ingressClassName": "inner", "rules": [{"host": f"{name}.example.com", **rule}]},
            status={"loadBalancer": status},
        )

    class_ = make_object("IngressClass", "inner", spec={"controller": "example.com/inner-controller"})
    web = make_object(
        "Service",
        "web",
        SPACE,
        spec={"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]},
        status={},
    )
    other = ingress("other", **({"ingress": [{"ip": "192.0.2.4"}]} if served else {}))
    pods = [server.make_pod("web-1", SPACE, labels={"app": "web"})]
    status, answer, _ = ask([ingress("web"), other, class_, web, *pods], tmp_path, capsys, "ing/web")
    assert status == (2 if served else 1)
    assert [c["id"] for c in answer["causes"]] == ([] if served else ["controller.class-unserved"])


@pytest.mark.parametrize(
    ("port", "selector", "spaces", "found"),
    [
        ("metric", {"app": "quote"}, {}, ["field.monitor-port-missing"]),
        ("metric", {"app": "quote"}, {"any": True}, ["field.monitor-port-missing"]),
        ("metrics", {"app": "quotes"}, {}, ["reference.selects-nothing"]),
        ("metrics", {"app": "quote"}, {"matchNames": ["other"]}, ["reference.selects-nothing"]),
        (
            *("metrics", {"app": "quote"}, {"matchNames": ["gone"]}),
            ["reference.target-missing", "reference.selects-nothing"],
        ),
        ("metrics", {"app": "quote"}, {}, []),
    ],
)
def test_a_monitor_is_held_against_the_services(
    port: str, selector: Doc, spaces: Doc, found: list[str], tmp_path: Path, capsys: Err
) -> None:
    monitor = make_object(
        "ServiceMonitor",
        "quote",
        SPACE,
        spec={
            "selector": {"matchLabels": selector},
            "namespaceSelector": spaces,
            "endpoints": [{"port": port}, {"targetPort": 9091}],
        },
    )
    ports = [{"name": "http", "port": 80}, {"name": "metrics", "port": 9090}]
    quote = make_object("Service", "quote", SPACE, meta={"labels": {"app": "quote"}}, spec={"ports": ports})
    objects = [monitor, quote, make_object("Namespace", "other", status={"phase": "Active"})]
    status, answer, _ = ask(objects, tmp_path, capsys, "servicemonitor/quote")
    assert [c["id"] for c in answer["causes"]] == found and (status == 1) is bool(found)


@pytest.mark.parametrize(("healthy", "found"), [(2, ["field.budget-above-scale"]), (1, [])])
def test_a_budget_that_requires_more_than_there_are(
    healthy: int, found: list[str], tmp_path: Path, capsys: Err
) -> None:
    counts = {"disruptionsAllowed": 0, "currentHealthy": healthy, "desiredHealthy": 3, "expectedPods": 2}
    stops = {"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods"}
    conditions = [{**stops, "lastTransitionTime": LONG_AGO}]
    pods = [server.make_pod(f"quote-{n}", SPACE, labels={"app": "quote"}) for n in range(2)]
    budget = make_object(
        "PodDisruptionBudget",
        "quote",
        SPACE,
        spec={"minAvailable": 3, "selector": {"matchLabels": {"app": "quote"}}},
        status={**counts, "observedGeneration": 1, "conditions": conditions},
    )
    _, answer, _ = ask([budget, *pods], tmp_path, capsys, "pdb/quote")
    assert [c["id"] for c in answer["causes"]] == found
