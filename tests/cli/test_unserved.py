"""A Service without endpoints, from the view of healthy Pods: it is named and requested economically, and
nothing else is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_scan_live import unseen
from tests.kube.small import (
    Doc,
    Small,
    make_healthy_cluster,
    make_node,
    make_object,
    make_pod,
    make_pod_with_map,
    read_json,
    small,
)
from unstuck.cli.run import run

Err = pytest.CaptureFixture[str]
LABELS = {"app": "web"}
PORTS = [{"name": "http", "containerPort": 8080}]


def served(selector: dict[str, str], target: str | int = "http", name: str = "front") -> Doc:
    return make_object(
        "Service", name, "default", spec={"selector": selector, "ports": [{"port": 80, "targetPort": target}]}
    )


def web(name: str = "web-1") -> Doc:
    one = make_pod(name, "default", labels=LABELS)
    one["spec"]["containers"][0]["ports"] = PORTS
    return one


def deployment(ready: int = 1) -> Doc:
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "c", "ports": PORTS}]}}
    status = {"replicas": 1, "updatedReplicas": 1, "readyReplicas": ready, "availableReplicas": ready}
    return make_object(
        "Deployment", "web", "default", ("1/1",), spec={"replicas": 1, "template": template}, status=status
    )


def why(objects: list[Doc], path: Path, *args: str, before: Any = None) -> tuple[int, Small]:
    cluster = (
        Small([*make_healthy_cluster(), make_node("n-2"), *objects], before)
        if before
        else Small([*make_healthy_cluster(), make_node("n-2"), *objects])
    )
    with small(cluster, path) as (_, kubeconfig):
        return run(["why", *args, "--kubeconfig", str(kubeconfig)], "unstuck"), cluster


def paths(cluster: Small) -> list[str]:
    return [p.removeprefix("/api/v1/namespaces/default/") for p, _ in cluster.asked]


@pytest.mark.parametrize("subject", ["pod/web-1", "deploy/web"])
def test_a_service_that_misses_the_label_by_a_letter(subject: str, tmp_path: Path, capsys: Err) -> None:
    objects = [web(), deployment(), served({"app": "wbe"})]
    assert why(objects, tmp_path, subject)[0] == 1
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "likely Service front selects app=wbe, and no Pod has these labels service.selector-matches-nothing"
        in out
    )
    assert "app=web, and get" in out
    why(objects, tmp_path, subject, "--lang", "zh")
    assert "Service front 选择 app=wbe，而没有 Pod 带有这些标签" in capsys.readouterr().out


def test_a_named_port_that_the_pods_do_not_have(tmp_path: Path, capsys: Err) -> None:
    assert why([web(), served(LABELS, "web")], tmp_path, "pod/web-1")[0] == 1
    assert "service.port-mismatch" in capsys.readouterr().out


def test_a_number_that_they_do_not_declare_is_possible_and_named(tmp_path: Path, capsys: Err) -> None:
    assert why([web(), served(LABELS, 9090)], tmp_path, "pod/web-1")[0] == 0
    out = capsys.readouterr().out
    assert "possible" in out or "undecided" in out
    assert "front selects app=web, sends 80 to 9090" in out and "proven" not in out and "likely" not in out


def test_a_service_that_selects_other_pods_is_not_named(tmp_path: Path, capsys: Err) -> None:
    other = make_pod("other", "default", labels={"app": "wbe"})
    assert why([web(), other, served({"app": "wbe"})], tmp_path, "pod/web-1")[0] == 0
    out = capsys.readouterr().out
    assert "front" not in out and len(out.splitlines()) == 1


def test_what_is_asked_of_a_pod_that_is_well_and_of_one_that_is_not(tmp_path: Path, capsys: Err) -> None:
    _, cluster = why([web(), served(LABELS)], tmp_path, "pod/web-1")
    assert sorted(paths(cluster)) == ["events", "pods/web-1", "services"]
    _, cluster = why([make_pod_with_map("ill", "default")], tmp_path, "pod/ill", "--no-node")
    assert sorted(paths(cluster)) == [
        # The types show whether anything here makes ConfigMaps in Namespaces.
        *("/api", "/api/v1/configmaps", "/api/v1/nodes/n-1", "/apis"),
        "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n-1",
        *("configmaps", "configmaps/app-conf", "events", "pods/ill"),
    ]
    capsys.readouterr()


def test_who_may_not_list_services_is_asked_for_nothing(tmp_path: Path, capsys: Err) -> None:
    assert why([web()], tmp_path, "pod/web-1", before=unseen("services"))[0] == 0
    assert "Running and ready" in capsys.readouterr().out
    why([web()], tmp_path, "pod/web-1", "-o", "json", before=unseen("services"))
    (answer,) = read_json(capsys.readouterr().out)["diagnoses"]
    wanted = {(o["id"], w["fact"], w["why_open"]) for o in answer["undecided"] for w in o["wants"]}
    assert ("service.selector-matches-nothing", "ServicesBeside", "denied") in wanted


def test_the_worst_thing_of_a_namespace_in_which_all_runs(tmp_path: Path, capsys: Err) -> None:
    assert why([web(), served({"app": "wbe"})], tmp_path)[0] == 1
    out = capsys.readouterr().out
    assert "Service default/front — no Pod to send to" in out and "service.selector-matches-nothing" in out
    # Ill objects come first.
    why([web(), served({"app": "wbe"}), make_pod_with_map("ill", "default")], tmp_path)
    assert "Pod default/ill" in capsys.readouterr().out
    # A Service not intended for any Pod here does not rank first.
    assert why([web(), served({"app": "db"}, name="db")], tmp_path)[0] == 0
    assert "db" not in capsys.readouterr().out
