"""The history since an owner's Pods were last scheduled, from the server."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.kube.cluster import answer_missing, cluster, make_list
from unstuck.collect.kube.questions.history import history
from unstuck.collect.kube.transport.session import Session
from unstuck.facts.aspects.history import History
from unstuck.facts.core import Fact, Ref, Refused, Want
from unstuck.scheduling.history import describe_changes

SHOP, APPS = "/api/v1/namespaces/shop", "/apis/apps/v1/namespaces/shop"
OLD, THEN, NEW = "2026-11-01T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-20T02:00:00Z"
SELECTOR = {"matchLabels": {"app": "web"}}


def template(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c"}], **spec}}


def owned(name: str, created: str, by: str = "", **more: Any) -> dict[str, Any]:
    kind = "Deployment" if by == "uid-deploy" else "StatefulSet"
    owners = [{"kind": kind, "name": "web", "uid": by, "controller": True}] if by else []
    return {
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": f"uid-{name}",
            "creationTimestamp": created,
            "ownerReferences": owners,
        },
        **more,
    }


def placed(at: str, **labels: str) -> dict[str, Any]:
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": at}
    return {
        "metadata": {"name": f"web-{at}", "namespace": "shop", "labels": labels},
        "status": {"conditions": [scheduled]},
    }


def aged(name: str, created: str, version: str) -> dict[str, Any]:
    rows = [
        {"manager": "kubelet", "time": NEW, "fieldsV1": {"f:metadata": {"f:labels": {"f:x": {}}}}},
        {"manager": "kubectl-label", "time": NEW, "fieldsV1": {"f:metadata": {"f:labels": {"f:disk": {}}}}},
        {"manager": "other", "time": NEW, "fieldsV1": {"f:status": {}}},
    ]
    meta = {"name": name, "creationTimestamp": created, "managedFields": rows}
    return {"metadata": meta, "status": {"nodeInfo": {"kubeletVersion": version}}}


def asked(kind: str, name: str, pages: dict[str, Any]) -> list[Fact]:
    nodes = make_list(aged("a", OLD, "v1.29.0"), aged("b", NEW, "v1.34.1"))
    with cluster({"/api/v1/nodes": nodes, f"{SHOP}/pods": make_list(), **pages}) as c:
        return history(Session(c.client, "shop"), Want(History, Ref(kind, "shop", name)))


def told(kind: str, name: str, pages: dict[str, Any]) -> History:
    (found,) = asked(kind, name, pages)
    assert isinstance(found, History)
    return found


def english(found: History) -> list[str]:
    return [t.en for t in describe_changes(found, {"a": {}, "b": {}})]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


DEPLOYMENT = owned("deploy", OLD, spec={"selector": SELECTOR}) | {
    "metadata": {"name": "web", "namespace": "shop", "uid": "uid-deploy"}
}
SETS = (
    owned("web-1", OLD, "uid-deploy", spec={"selector": SELECTOR, "template": template()}),
    owned(
        "web-2",
        THEN,
        "uid-deploy",
        spec={"selector": SELECTOR, "template": template(nodeSelector={"disk": "ssd"})},
    ),
    owned("other", OLD, "uid-else", spec={"selector": SELECTOR, "template": template()}),
)


def test_of_a_replicaset_its_deployment_s_others_its_pods_and_the_nodes() -> None:
    pages = {
        f"{APPS}/replicasets": make_list(*SETS),
        f"{APPS}/replicasets/web-2": SETS[1],
        f"{APPS}/deployments/web": DEPLOYMENT,
        f"{SHOP}/pods": make_list(placed(OLD), placed(THEN)),
    }
    found = told("ReplicaSet", "web-2", pages)
    assert [r.name for r in found.revisions] == ["web-1", "web-2"] and found.fitted == at(THEN)
    oldest = found.nodes[0]
    assert (oldest.name, oldest.kubelet, oldest.written) == ("a", "v1.29.0", (("kubectl-label", at(NEW)),))
    nodes, label, wrote, differs = english(found)
    assert "1 of 2 Nodes were made since" in nodes and "v1.29.0 → v1.34.1" in nodes
    assert label.startswith("no Node carries disk=ssd any more")
    assert "kubectl-label wrote labels or taints of 1 Nodes: a" in wrote
    assert differs.endswith("web-2 differs from web-1 before it in nodeSelector")


def test_pods_that_are_lost_leave_the_time_at_which_the_rollout_was_complete() -> None:
    done = {
        "type": "Progressing",
        "reason": "NewReplicaSetAvailable",
        "lastUpdateTime": THEN,
        "message": 'ReplicaSet "web-2" has progressed.',
    }
    pages = {
        f"{APPS}/replicasets": make_list(*SETS),
        f"{APPS}/replicasets/web-2": SETS[1],
        f"{APPS}/deployments/web": {**DEPLOYMENT, "status": {"conditions": [done]}},
    }
    assert told("ReplicaSet", "web-2", pages).fitted == at(THEN)


@pytest.mark.parametrize(
    ("kind", "plural", "hashed"),
    [("StatefulSet", "statefulsets", "web-22"), ("DaemonSet", "daemonsets", "22")],
)
def test_of_a_statefulset_or_daemonset_its_revisions_by_their_number(
    kind: str, plural: str, hashed: str
) -> None:
    mine = owned("web", OLD, spec={"selector": SELECTOR, "template": template(nodeSelector={"disk": "ssd"})})
    first = owned("web-11", OLD, "uid-web", revision=1, data={"spec": {"template": template()}})
    second = owned(
        "web-22",
        THEN,
        "uid-web",
        revision=2,
        data={"spec": {"template": template(nodeSelector={"disk": "ssd"})}},
    )
    pages = {
        f"{APPS}/{plural}/web": mine,
        f"{APPS}/controllerrevisions": make_list(second, first),
        f"{SHOP}/pods": make_list(
            placed(NEW, **{"controller-revision-hash": "web-11"}),
            placed(THEN, **{"controller-revision-hash": hashed}),
        ),
    }
    found = told(kind, "web", pages)
    assert ([r.name for r in found.revisions], found.current, found.fitted) == (
        ["web-11", "web-22"],
        "web-22",
        at(THEN),
    )
    assert english(found)[-1].endswith("web-22 differs from web-11 before it in nodeSelector")
    back = {**pages, f"{APPS}/controllerrevisions": make_list({**first, "revision": 3}, second)}
    assert told(kind, "web", back).current == "web-11"


def test_of_a_job_its_own_template_alone() -> None:
    job = owned("load", OLD, spec={"selector": SELECTOR, "template": template(nodeSelector={"disk": "ssd"})})
    pages = {"/apis/batch/v1/namespaces/shop/jobs/load": job, f"{SHOP}/pods": make_list(placed(THEN))}
    found = told("Job", "load", pages)
    assert [r.name for r in found.revisions] == ["load"] and found.fitted == at(THEN)
    assert any(text.startswith("no Node carries disk=ssd") for text in english(found))


def test_what_cannot_be_told() -> None:
    (gone,) = asked(
        "ReplicaSet", "web-2", {f"{APPS}/replicasets/web-2": answer_missing("replicasets.apps", "web-2")}
    )
    assert isinstance(gone, Refused) and gone.why == "not-offered"
    (other,) = asked("CronJob", "web", {})
    assert isinstance(other, Refused) and other.why == "not-asked"
    (denied,) = asked(
        "ReplicaSet",
        "web-2",
        {f"{APPS}/replicasets/web-2": SETS[1], "/api/v1/nodes": (403, {"kind": "Status"})},
    )
    assert isinstance(denied, Refused) and denied.why == "denied"
