"""The deciders about a held object: objects that target it, objects in its annotations, and CronJobs with its
name in their command.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.kube.cluster import answer_missing, cluster, make_list, make_object, pick
from tests.kube.test_near_miss import discovered, groups
from unstuck.facts.aspects.deciders import Decider, Deciders
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.reported import TypeStatus
from unstuck.facts.core import Fact, Ref, Want

GROUP = "scale.example.com"
TYPES = groups(
    discovered(
        GROUP, "v1", ("QueueScaler", "queuescalers", "Namespaced"), ("Palette", "palettes", "Namespaced")
    )
)
SHOP, BATCH, APPS = "namespaces/shop", "/apis/batch/v1/namespaces/shop", "/apis/apps/v1/namespaces/shop"
WEB = Ref("Deployment", "shop", "web")


def kind(version: str, kind_: str, name: str, **parts: Any) -> dict[str, Any]:
    meta = {**make_object(name, "shop")["metadata"], **parts.pop("meta", {})}
    return {"apiVersion": version, "kind": kind_, "metadata": meta, **parts}


def cron(name: str, *command: str) -> dict[str, Any]:
    pod = {"containers": [{"name": "do", "command": [*command]}]}
    return kind(
        "batch/v1",
        "CronJob",
        name,
        spec={"suspend": True, "jobTemplate": {"spec": {"template": {"spec": pod}}}},
    )


def asked(about: Ref, *pages: tuple[str, Any], **annotations: str) -> list[Fact]:
    own = kind(
        "apps/v1",
        "Deployment",
        "web",
        spec={"replicas": 0},
        status={"observedGeneration": 1},
        meta={"annotations": annotations},
    )
    laid = {
        **TYPES,
        f"{APPS}/deployments/web": own,
        f"{BATCH}/cronjobs": make_list(),
        f"/apis/autoscaling/v2/{SHOP}/horizontalpodautoscalers": make_list(),
        f"/apis/{GROUP}/v1/{SHOP}/queuescalers": make_list(),
    }
    with cluster({**laid, **dict(pages)}) as c:
        return c.collector.collect([Want(Deciders, about)])


def deciders(*pages: tuple[str, Any], **annotations: str) -> tuple[Decider, ...]:
    (found,) = pick(asked(WEB, *pages, **annotations), Deciders)
    assert found.whole
    items: tuple[Decider, ...] = found.items
    return items


def scaler(**spec: Any) -> tuple[str, Any]:
    return f"/apis/{GROUP}/v1/{SHOP}/queuescalers", make_list(
        kind(f"{GROUP}/v1", "QueueScaler", "web", spec=spec)
    )


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"scaleTargetRef": {"name": "web"}}, "spec.scaleTargetRef"),
        ({"scale": {"targetRef": {"kind": "Deployment", "name": "web"}}}, "spec.scale.targetRef"),
        ({"targetRef": {"kind": "StatefulSet", "name": "web"}}, ""),
        ({"targetRef": {"name": "web-2"}}, ""),
        ({"queue": "web"}, ""),
    ],
)
def test_what_targets_it_decides_whatever_its_type(spec: dict[str, Any], field: str) -> None:
    assert [(d.ref.kind, d.field) for d in deciders(scaler(**spec))] == (
        [(f"QueueScaler.{GROUP}", field)] if field else []
    )


@pytest.mark.parametrize(
    ("words", "replicas"),
    [
        (["kubectl", "scale", "deploy/web", "--replicas=2"], [2]),
        (["sh", "-c", "kubectl scale deployment web --replicas 0"], [0]),
        (["kubectl", "patch", "deployments.apps/web", "-p", '{"spec":{"replicas":3}}'], [3]),
        (["kubectl", "rollout", "restart", "deployment/web"], [None]),
        (["kubectl", "scale", "deploy/web-2", "--replicas=2"], []),
        (["echo", "deploying web"], []),
    ],
)
def test_a_command_names_it(words: list[str], replicas: list[int | None]) -> None:
    assert [d.replicas for d in deciders((f"{BATCH}/cronjobs", make_list(cron("up", *words))))] == replicas


def test_an_annotation_names_one_that_is_there_or_gone() -> None:
    up = (f"{BATCH}/cronjobs", make_list(cron("up", "kubectl", "scale", "deploy/web", "--replicas=2")))
    one = (f"{BATCH}/cronjobs/up", cron("up", "kubectl", "scale", "deploy/web", "--replicas=2"))
    gone = (f"{BATCH}/cronjobs/down", answer_missing("cronjobs.batch", "down"))
    facts = asked(
        WEB,
        up,
        one,
        gone,
        **{"example.com/woken-by": "cronjob/up", "example.com/put-to-sleep-by": "cronjobs.batch/down"},
    )
    (found,) = pick(facts, Deciders)
    assert [(d.ref.name, d.field, d.replicas) for d in found.items] == [
        ("down", "metadata.annotations[example.com/put-to-sleep-by]", None),
        ("up", "metadata.annotations[example.com/woken-by]", 2),
    ]
    assert [f.about.name for f in pick(facts, Presence) if not f.exists] == ["down"]


@pytest.mark.parametrize(
    "value", ["team/blue", "https://example.com/cronjob/up", "web", "deployment/web", "a: cronjob/"]
)
def test_most_annotations_name_nothing(value: str) -> None:
    assert deciders(**{"example.com/note": value}) == ()


def test_of_a_claim_it_is_the_set_by_whose_template_it_was_made() -> None:
    spec = {"volumeClaimTemplates": [{"metadata": {"name": "data"}}]}
    sets = [kind("apps/v1", "StatefulSet", name, spec=spec) for name in ("db", "db-1", "x")]
    claim = kind("v1", "PersistentVolumeClaim", "data-db-1", spec={}, status={"phase": "Bound"})
    pages = (
        (f"/api/v1/{SHOP}/persistentvolumeclaims/data-db-1", claim),
        (f"{APPS}/statefulsets", make_list(*sets)),
    )
    (found,) = pick(asked(Ref("PersistentVolumeClaim", "shop", "data-db-1"), *pages), Deciders)
    assert [(d.ref.name, d.field) for d in found.items] == [("db", "spec.volumeClaimTemplates[data]")]


@pytest.mark.parametrize(("name", "controllers"), [("fleet-dispatcher", ["fleet-dispatcher"]), ("web", [])])
def test_the_controller_that_a_job_is_handed_to_is_searched_by_its_name(
    name: str, controllers: list[str]
) -> None:
    spec = {"managedBy": "jobs.fleet.example.com/dispatcher"}
    workload = kind(
        "apps/v1", "Deployment", name, spec={"replicas": 1}, status={"replicas": 1, "readyReplicas": 1}
    )
    pages = {
        **TYPES,
        f"{BATCH}/jobs/encode": kind("batch/v1", "Job", "encode", spec=spec),
        "/apis/apps/v1/deployments": make_list(workload),
        "/apis/apps/v1/statefulsets": make_list(),
        "/apis/apps/v1/daemonsets": make_list(),
        "/apis/coordination.k8s.io/v1/leases": make_list(),
        f"{APPS}/deployments/{name}": workload,
    }
    with cluster(pages) as c:
        (found,) = pick(c.collector.collect([Want(TypeStatus, Ref("Job", "shop", "encode"))]), TypeStatus)
    assert ([x.ref.name for x in found.controllers], found.grouped, found.whole) == (controllers, False, True)
