"""An object shares the state of a required object: the question leads to the root from either end, and never
in a circle.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import ref_of
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import diagnose, list_causes
from unstuck.facts.aspects.objects import Below, Presence
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.services import ServicePods, ServiceWorkloads
from unstuck.facts.core import Fact, Ref, Source, Want
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)
Doc = dict[str, Any]


def made(version: str, kind: str, name: str, namespace: str | None = "shop", **parts: Any) -> Doc:
    within = {"namespace": namespace} if namespace else {}
    meta = {
        "name": name,
        **within,
        "uid": f"{kind}-{name}",
        "creationTimestamp": "2026-11-21T00:00:00Z",
        **parts.pop("meta", {}),
    }
    return {"apiVersion": version, "kind": kind, "metadata": meta, **parts}


def asked(subject: Doc, *others: Doc, gone: tuple[Ref, ...] = (), facts: tuple[Fact, ...] = ()) -> Diagnosis:
    """Return the answer about the first object; the server has reported the objects `gone` as missing."""
    told: list[Fact] = [*facts, *(f for obj in (subject, *others) for f in facts_of(obj, "/apis/x", NOW))]
    told += [Presence(about=r, src=Source("/apis/x", "not found"), exists=False) for r in gone]
    ref = ref_of(subject)
    assert ref is not None
    return diagnose(ref, Snapshot(tuple(told), NOW), list_causes())


def ingress(service: str = "web", **parts: Any) -> Doc:
    address = {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}
    spec = {"defaultBackend": {"service": {"name": service, "port": {"number": 80}}}}
    return made("networking.k8s.io/v1", "Ingress", "front", spec=spec, status=address, **parts)


def autoscaler(target: str = "web") -> Doc:
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target},
        "metrics": [{"type": "Resource", "resource": {"name": "cpu"}}],
    }
    well = {
        "conditions": [{"type": "ScalingActive", "status": "True"}, {"type": "AbleToScale", "status": "True"}]
    }
    return made("autoscaling/v2", "HorizontalPodAutoscaler", "web", spec=spec, status=well)


def deployment(ready: int, **template: Any) -> Doc:
    status = {"replicas": 2, "updatedReplicas": 2, "readyReplicas": ready}
    return made(
        "apps/v1", "Deployment", "web", spec={"replicas": 2, "template": {"spec": template}}, status=status
    )


METRICS = Ref("APIService", None, "v1beta1.metrics.k8s.io")
WEB = Ref("Service", "shop", "web")
BINDING = made(
    "rbac.authorization.k8s.io/v1",
    "RoleBinding",
    "read",
    roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
)
HOOK = {"name": "a.example.com", "clientConfig": {"service": {"namespace": "hooks", "name": "check"}}}
GROUP = "gateway.networking.k8s.io"
MISSING = [
    (ingress(), WEB),
    (autoscaler(), METRICS),
    (autoscaler(), Ref("Deployment", "shop", "web")),
    (BINDING, Ref("Role", "shop", "r")),
    (
        made("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "v", None, webhooks=[HOOK]),
        Ref("Service", "hooks", "check"),
    ),
    (
        made(
            "apiregistration.k8s.io/v1",
            "APIService",
            "v1.x.io",
            None,
            spec={"service": {"namespace": "x", "name": "api"}},
        ),
        Ref("Service", "x", "api"),
    ),
    (deployment(0, nodeName="lab-9"), Ref("Node", None, "lab-9")),
    (deployment(0, runtimeClassName="gvisor"), Ref("RuntimeClass", None, "gvisor")),
    (
        made(f"{GROUP}/v1", "HTTPRoute", "r", spec={"parentRefs": [{"name": "gw"}]}),
        Ref(f"Gateway.{GROUP}", "shop", "gw"),
    ),
    (
        made(
            f"{GROUP}/v1", "HTTPRoute", "r", spec={"rules": [{"backendRefs": [{"name": "web", "port": 80}]}]}
        ),
        WEB,
    ),
    (
        made(f"{GROUP}/v1", "Gateway", "gw", spec={"gatewayClassName": "nginx"}),
        Ref(f"GatewayClass.{GROUP}", None, "nginx"),
    ),
    (
        made(
            "cert-manager.io/v1",
            "Certificate",
            "tls",
            spec={"issuerRef": {"name": "ca", "kind": "ClusterIssuer"}},
        ),
        Ref("ClusterIssuer.cert-manager.io", None, "ca"),
    ),
    (
        made(
            "v1",
            "PersistentVolumeClaim",
            "d",
            spec={"dataSource": {"kind": "PersistentVolumeClaim", "name": "old"}},
        ),
        Ref("PersistentVolumeClaim", "shop", "old"),
    ),
    (
        made("v1", "ServiceAccount", "puller", imagePullSecrets=[{"name": "hub"}]),
        Ref("Secret", "shop", "hub"),
    ),
    (
        made(
            "discovery.k8s.io/v1",
            "EndpointSlice",
            "web-x",
            meta={"labels": {"kubernetes.io/service-name": "web"}},
        ),
        WEB,
    ),
    (made("v1", "Endpoints", "web"), WEB),
    (
        made(
            "storage.k8s.io/v1",
            "VolumeAttachment",
            "csi-1",
            None,
            spec={"nodeName": "lab-9", "source": {"persistentVolumeName": "pv-1"}},
        ),
        Ref("Node", None, "lab-9"),
    ),
    (
        made(
            "rbac.authorization.k8s.io/v1",
            "RoleBinding",
            "read",
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
            subjects=[{"kind": "ServiceAccount", "name": "robot", "namespace": "ops"}],
        ),
        Ref("ServiceAccount", "ops", "robot"),
    ),
    # It blocks nothing: it is silently not called.
    (
        made(
            "admissionregistration.k8s.io/v1",
            "ValidatingWebhookConfiguration",
            "v",
            None,
            webhooks=[{**HOOK, "failurePolicy": "Ignore"}],
        ),
        Ref("Service", "hooks", "check"),
    ),
    (
        made(
            "networking.istio.io/v1",
            "VirtualService",
            "till",
            spec={"hosts": ["till"], "http": [{"route": [{"destination": {"host": "till"}}]}]},
        ),
        Ref("Service", "shop", "till"),
    ),
    (
        made("networking.istio.io/v1", "VirtualService", "till", spec={"gateways": ["mesh", "edge/door"]}),
        Ref("Gateway.networking.istio.io", "edge", "door"),
    ),
    (
        made(
            "traefik.io/v1alpha1",
            "IngressRoute",
            "till",
            spec={"routes": [{"middlewares": [{"name": "strip"}, {"name": "auth@file"}]}]},
        ),
        Ref("Middleware.traefik.io", "shop", "strip"),
    ),
    (
        made(
            "networking.k8s.io/v1",
            "Ingress",
            "till",
            meta={"annotations": {"cert-manager.io/cluster-issuer": "public"}},
        ),
        Ref("ClusterIssuer.cert-manager.io", None, "public"),
    ),
    (
        made(
            "networking.k8s.io/v1",
            "IngressClass",
            "a",
            None,
            spec={"parameters": {"apiGroup": "p.example", "kind": "Setup", "name": "s", "namespace": "ops"}},
        ),
        Ref("Setup.p.example", "ops", "s"),
    ),
]


@pytest.mark.parametrize(
    ("subject", "target"), MISSING, ids=lambda o: o["kind"] if isinstance(o, dict) else o.name
)
def test_what_needs_a_thing_that_is_not_there_is_stuck_and_names_it(subject: Doc, target: Ref) -> None:
    answer = asked(subject, gone=(target,))
    assert answer.state.name == "stuck"
    (root,) = [c for c in answer.causes if c.id == "reference.target-missing"]
    assert (root.confidence, root.finding.culprit) == ("proven", target)
    assert str(target) in root.finding.says.en and str(target) in root.finding.says.zh


@pytest.mark.parametrize(
    ("subject", "target"), MISSING, ids=lambda o: o["kind"] if isinstance(o, dict) else o.name
)
def test_nothing_is_claimed_while_nobody_has_looked(subject: Doc, target: Ref) -> None:
    answer = asked(subject)
    assert not answer.causes
    assert any(w.about == target for w in answer.state.wants)


@pytest.mark.parametrize(
    "subject",
    [
        deployment(2, nodeName="lab-9"),
        ingress(meta={"deletionTimestamp": "2026-11-21T02:00:00Z", "finalizers": ["example.com/keep"]}),
        made("example.com/v1", "Database", "d", spec={"writeConnectionSecretToRef": {"name": "out"}}),
        made(
            "example.com/v1",
            "Database",
            "d",
            spec={"secretKeyRef": {"name": "k", "key": "v", "optional": True}},
        ),
    ],
    ids=[
        "a workload with all its Pods",
        "being deleted",
        "what it writes",
        "optional",
    ],
)
def test_what_is_needed_no_more_or_never_was_is_not_asked_for(subject: Doc) -> None:
    ref = ref_of(subject)
    assert ref is not None
    gone = (
        Ref("Node", None, "lab-9"),
        WEB,
        Ref("Service", "hooks", "check"),
        Ref("Secret", "shop", "out"),
        Ref("Secret", "shop", "k"),
    )
    assert not [c for c in asked(subject, gone=gone).causes if c.id.startswith("reference.")]


@pytest.mark.parametrize(("attached", "state"), [(True, "fine"), (False, "stuck")])
def test_a_volume_is_attached_once_its_attacher_says_so(attached: bool, state: str) -> None:
    told = {"status": {"attached": attached}, "spec": {"nodeName": "lab-9"}}
    assert asked(made("storage.k8s.io/v1", "VolumeAttachment", "csi-1", None, **told)).state.name == state


def test_the_targets_of_an_object_are_a_positive_fact() -> None:
    role = made("rbac.authorization.k8s.io/v1", "Role", "r")
    well = asked(BINDING, role).state
    assert (well.name, well.unjudged) == ("fine", False) and well.headline.en.endswith(
        "what it refers to exists"
    )
    assert asked(BINDING).state.unjudged


@pytest.mark.parametrize(
    "subject",
    [
        made(
            "v1",
            "Endpoints",
            "lock",
            meta={"annotations": {"control-plane.alpha.kubernetes.io/leader": "{}"}},
        ),
        made("discovery.k8s.io/v1", "EndpointSlice", "by-hand"),
    ],
)
def test_without_a_target_of_its_own_nothing_is_asked_for(subject: Doc) -> None:
    assert not [w for w in asked(subject).state.wants if w.fact is Presence]


def test_an_account_is_asked_for_its_pods_alone() -> None:
    account = made("v1", "ServiceAccount", "plain")
    ref = ref_of(account)
    assert ref and asked(account).state.wants == (Want(Below, ref),)


def test_nobody_is_told_to_edit_what_a_controller_writes() -> None:
    answer = asked(made("v1", "Endpoints", "web"), gone=(WEB,))
    (root,) = answer.causes
    assert root.id == "reference.target-missing" and not any(
        step.where == "source" for step in root.finding.help
    )


def test_it_is_no_better_than_what_it_is_served_by() -> None:
    dead = {
        "conditions": [
            {"type": "Available", "status": "False", "reason": "MissingEndpoints", "message": "no endpoints"}
        ]
    }
    api = made(
        "apiregistration.k8s.io/v1", "APIService", "v1beta1.metrics.k8s.io", None, spec={}, status=dead
    )
    answer = asked(autoscaler(), api)
    assert (
        answer.state.name == "stuck"
        and "APIService v1beta1.metrics.k8s.io in spec.metrics[0].type" in answer.state.headline.en
    )
    (said,) = answer.causes
    assert (said.id, said.confidence, said.via and said.via.kind) == (
        "reported.own-words",
        "likely",
        "APIService",
    )
    assert said.finding.says.en.endswith("MissingEndpoints: no endpoints")


def test_the_root_is_told_in_place_of_what_lies_on_the_way() -> None:
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}
    service = made("v1", "Service", "web", spec=spec)
    nobody = ServicePods(about=WEB, src=Source("/pods"), matched=(), total=0)
    answer = asked(
        ingress(), service, facts=(nobody, ServiceWorkloads(about=WEB, src=Source("/deployments"), items=()))
    )
    assert answer.state.name == "stuck" and "Service shop/web" in answer.state.headline.en
    assert [(c.id, c.confidence) for c in answer.causes] == [("service.selector-matches-nothing", "proven")]


def test_a_chain_is_followed_to_its_end() -> None:
    """An HPA, its metrics API, and the Service of that which is not there."""
    dead = {
        "conditions": [
            {
                "type": "Available",
                "status": "False",
                "reason": "ServiceNotFound",
                "message": "service is not present",
            }
        ]
    }
    service = Ref("Service", "kube-system", "metrics-server")
    where = {"service": {"namespace": service.within, "name": service.name}}
    api = made(
        "apiregistration.k8s.io/v1", "APIService", "v1beta1.metrics.k8s.io", None, spec=where, status=dead
    )
    answer = asked(autoscaler(), api, gone=(service,))
    roots = [(c.id, c.confidence, c.finding.culprit) for c in answer.causes if c.consequence_of is None]
    assert roots == [("reference.target-missing", "proven", service)]


def test_references_in_a_circle_end() -> None:
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    first = made(
        "example.com/v1",
        "Box",
        "a",
        spec={"boxRef": {"apiVersion": "example.com/v1", "kind": "Box", "name": "b"}},
        status=ready,
    )
    second = made(
        "example.com/v1",
        "Box",
        "b",
        spec={"boxRef": {"apiVersion": "example.com/v1", "kind": "Box", "name": "a"}},
        status=ready,
    )
    gateway = made(
        f"{GROUP}/v1",
        "HTTPRoute",
        "r",
        spec={"parentRefs": [{"name": "r", "kind": "HTTPRoute"}]},
        status=ready,
    )
    assert asked(first, second).state.name == asked(gateway).state.name == "fine"


@pytest.mark.parametrize(
    "odd", [None, 7, "x", [1], [[{}]], {"name": 3}, {"a": {"b": [{"fooRef": {"name": ["x"]}}]}}]
)
def test_no_shape_is_too_odd(odd: object) -> None:
    kinds = (
        "Ingress",
        "HorizontalPodAutoscaler",
        "RoleBinding",
        "Deployment",
        "CronJob",
        "APIService",
        "PersistentVolumeClaim",
    )
    for kind in kinds:
        told = facts_of({**made("v1", kind, "x"), "spec": odd, "webhooks": odd, "roleRef": odd}, "/x", NOW)
        assert not [f for f in told if isinstance(f, References)]
    facts_of({**made("example.com/v1", "Widget", "x"), "spec": {"deep": odd, "fooRef": odd}}, "/x", NOW)


def test_of_an_unhealthy_object_the_held_target_is_told() -> None:
    stopped = {"type": "Active", "status": "False", "reason": "Stopped", "message": "is stopped"}
    queue = made(
        "kueue.x-k8s.io/v1beta1",
        "ClusterQueue",
        "gpu",
        None,
        spec={"stopPolicy": "Hold"},
        status={"conditions": [{**stopped, "lastTransitionTime": "2026-11-21T00:00:00Z"}]},
    )
    waits = {**stopped, "reason": "ClusterQueueIsInactive", "message": "Can't submit new workloads"}
    team = made(
        "kueue.x-k8s.io/v1beta1",
        "LocalQueue",
        "team",
        spec={"clusterQueue": "gpu"},
        status={"conditions": [{**waits, "lastTransitionTime": "2026-11-21T00:00:00Z"}]},
    )
    assert asked(queue).state.name == "held"
    found = asked(team, queue).state
    assert found.name == "stuck" and found.headline.en.endswith(
        "ClusterQueue.kueue.x-k8s.io gpu in spec.clusterQueue is held: stopped"
    )
