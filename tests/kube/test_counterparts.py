"""Both sides of the fields that must match another object's: each relation once where they match, and once
where they do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.kube.cluster import answer_missing, cluster, make_list
from unstuck.collect.kube.questions.counterparts import _READERS
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.objects.kinds import builtin, group_of, ref_kind
from unstuck.facts.aspects.counterparts import Counterpart, Counterparts
from unstuck.facts.core import Ref, Refused, Want
from unstuck.stages.counterparts import COMPARED, RELATIONS, is_mismatch

Doc = dict[str, Any]
MESH, GATE = "networking.istio.io/v1", "gateway.networking.k8s.io/v1"
PODS = """
{apiVersion: v1, kind: Service, metadata: {name: till, namespace: shop}, spec: {selector: {app: till},
  ports: [{name: web, port: 80, targetPort: 8080}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: till-1, namespace: shop, labels: {app: till, track: blue}},
  spec: {containers: [{name: main, ports: [{name: http, containerPort: 8080}]}]}}
"""


def read(text: str) -> list[Doc]:
    return [d for d in yaml.safe_load_all(text) if d]


def list_types(objects: list[Doc]) -> Iterator[tuple[str, str, str, bool]]:
    """Yield group, version, kind and whether it is in a Namespace, of what the server is to offer."""
    for o in objects:
        version, group = o["apiVersion"].rpartition("/")[2], group_of(o["apiVersion"])
        yield group, version, o["kind"], "namespace" in o["metadata"]


def make_discovery(objects: list[Doc]) -> Doc:
    groups: dict[str, Doc] = {}
    for group, version, kind, spaced in dict.fromkeys(list_types(objects)):
        row = groups.setdefault(
            group, {"metadata": {"name": group}, "versions": [{"version": version, "resources": []}]}
        )
        row["versions"][0]["resources"].append(
            {
                "resource": f"{kind.lower()}s",
                "responseKind": {"kind": kind},
                "scope": "Namespaced" if spaced else "Cluster",
                "singularResource": kind.lower(),
                "verbs": ["get", "list"],
            }
        )
    return {"kind": "APIGroupDiscoveryList", "items": [*groups.values()]}


def find_path(o: Doc, *, named: bool) -> list[str]:
    known = builtin(ref_kind(group_of(o["apiVersion"]), o["kind"]))
    space, name = o["metadata"].get("namespace"), o["metadata"]["name"] if named else None
    if known:
        spaces = [space] if named else [space, None]
        return [known.path(s, name) for s in dict.fromkeys(spaces)]
    base = f"/apis/{o['apiVersion']}"
    plural = f"{o['kind'].lower()}s" + (f"/{name}" if named else "")
    inside = [f"{base}/namespaces/{space}/{plural}"] if space else []
    return inside if named and inside else [*inside, f"{base}/{plural}"]


def make_page(items: list[Doc]) -> Any:
    def page(query: dict[str, str]) -> tuple[int, Any]:
        asked = [part.partition("=") for part in query.get("labelSelector", "").split(",") if part]
        return 200, make_list(
            *(
                i
                for i in items
                if all(
                    key in (have := i["metadata"].get("labels", {})) and (not eq or have[key] == value)
                    for key, eq, value in asked
                )
            )
        )

    return page


LISTED = (
    *("Pod", "Service", "Ingress", "NetworkPolicy", "EndpointSlice", "RoleBinding", "CSIDriver", "CSINode"),
    *("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Lease", "Namespace", "Node"),
    "PersistentVolume",
)


def compare(text: str, subject: Ref) -> list[Counterpart]:
    objects = read(text)
    lists: dict[str, list[Doc]] = {}
    for kind in LISTED:
        for path in (kind_named(kind).path("shop"), kind_named(kind).path(None)):
            lists.setdefault(path, [])
    pages: dict[str, Any] = {"/api": {"kind": "APIGroupDiscoveryList", "items": []}}
    pages["/apis"] = make_discovery(objects)
    for o in objects:
        for path in find_path(o, named=True):
            pages[path] = o
        for path in find_path(o, named=False):
            lists.setdefault(path, []).append(o)
    pages |= {path: make_page(items) for path, items in lists.items()}
    pages.setdefault("/api/v1/namespaces/shop/secrets/till-tls", answer_missing("secrets", "till-tls"))
    with cluster(pages) as c:
        (found,) = c.collector.collect([Want(Counterparts, subject)])
    assert isinstance(found, Counterparts), found
    return [*found.items]


RULE = f"""
---
{{apiVersion: {MESH}, kind: DestinationRule, metadata: {{name: till, namespace: shop}},
  spec: {{host: till, subsets: [{{name: blue, labels: {{track: TRACK}}}}]}}}}
"""
VIRTUAL = f"""
---
{{apiVersion: {MESH}, kind: VirtualService, metadata: {{name: till, namespace: shop}}, spec: {{hosts: [HOST],
  gateways: [mesh/door], http: [{{route: [{{destination: {{host: till.shop.svc.cluster.local, subset: SUBSET}}}}]}}]}}}}
---
{{apiVersion: {MESH}, kind: Gateway, metadata: {{name: door, namespace: mesh}}, spec: {{selector: {{app: WHO}},
  servers: [{{hosts: ["*/*.shop.example"]}}]}}}}
"""
ROUTE = f"""
{{apiVersion: {GATE}, kind: Gateway, metadata: {{name: front, namespace: shop}}, spec: {{listeners: [
  {{name: web, hostname: "*.shop.example"}}, {{name: other, hostname: "*.bank.example"}}]}}}}
---
{{apiVersion: {GATE}, kind: HTTPRoute, metadata: {{name: till, namespace: shop}}, spec: {{
  parentRefs: [{{name: front, sectionName: web}}], hostnames: [HOST],
  rules: [{{backendRefs: [{{name: safe, namespace: bank, port: 80}}]}}]}}}}
---
{{apiVersion: {GATE}, kind: ReferenceGrant, metadata: {{name: in, namespace: bank}}, spec: {{
  from: [{{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: FROM}}], to: [{{group: "", kind: Service}}]}}}}
"""
POLICY = """
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: guard, namespace: shop},
  spec: {podSelector: {matchLabels: {app: till}}, ingress: [{ports: [{port: PORT}]}]}}
"""
SLICE = """
{apiVersion: v1, kind: Service, metadata: {name: old, namespace: shop}, spec: {ports: [{name: sql, port: 5432}]}}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: old-1, namespace: shop,
  labels: {kubernetes.io/service-name: old}}, ports: [{name: NAME, port: 5432}]}
"""
INGRESS = """
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: till, namespace: shop},
  spec: {ingressClassName: a, tls: [{secretName: till-tls}], rules: [{host: shop.example, http: {paths: [
  {path: /, pathType: Prefix, backend: {service: {name: till, port: {number: 80}}}}]}}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: other, namespace: shop},
  spec: {ingressClassName: CLASS, rules: [{host: shop.example, http: {paths: [
  {path: /, pathType: Prefix, backend: {service: {name: new, port: {number: 80}}}}]}}]}}
---
{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: till, namespace: shop},
  spec: {secretName: SECRET, dnsNames: [shop.example]}}
"""
SNAPSHOT = """
{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshot, metadata: {name: n, namespace: shop},
  spec: {volumeSnapshotClassName: daily, source: {persistentVolumeClaimName: data}}}
---
{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshotClass, metadata: {name: daily}, driver: DRIVER}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}, spec: {volumeName: pv-1}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-1}, spec: {csi: {driver: fast.csi.example}}}
"""
SCALER = """
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: till, namespace: shop}, spec: {
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: till},
  metrics: [{type: ContainerResource, containerResource: {name: cpu, container: NAME}}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: till, namespace: shop},
  spec: {template: {metadata: {labels: {app: till}}, spec: {containers: [{name: main}]}}}}
"""
INJECTED = """
---
{apiVersion: v1, kind: Pod, metadata: {name: till-1, namespace: shop, labels: {app: till}},
  spec: {containers: [{name: main}, {name: proxy}]}}
"""
ADVISER = SCALER.replace("autoscaling/v2", "autoscaling.k8s.io/v1").replace(
    "HorizontalPodAutoscaler", "VerticalPodAutoscaler"
)
ADVISER = ADVISER.replace("scaleTargetRef", "targetRef").replace(
    "metrics: [{type: ContainerResource, containerResource: {name: cpu, container: NAME}}]",
    "resourcePolicy: {containerPolicies: [{containerName: NAME}, {containerName: '*'}]}",
)
ROLE = """
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r, namespace: shop},
  rules: [{apiGroups: [GROUP], resources: [widgets, widgets/status, unknowns], verbs: [get]}]}
---
{apiVersion: toys.example/v1, kind: Widget, metadata: {name: w, namespace: shop}}
"""
BOUND = """
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b, namespace: shop},
  roleRef: {kind: KIND, name: r}, subjects: []}
"""
PROJECT = """
{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: till, namespace: argo}, spec: {project: shops,
  source: {repoURL: "https://git.example/REPO"}, destination: {server: "https://kubernetes.default.svc", namespace: shop}}}
---
{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: shops, namespace: argo}, spec: {
  sourceRepos: ["https://git.example/shops-*", "!https://git.example/shops-old"],
  destinations: [{server: "https://kubernetes.default.svc", namespace: "sh*"}]}}
"""
VS, DR, GW = (
    Ref(f"{kind}.networking.istio.io", space, name)
    for kind, space, name in (
        ("VirtualService", "shop", "till"),
        ("DestinationRule", "shop", "till"),
        ("Gateway", "mesh", "door"),
    )
)
ROUTE_REF = Ref("HTTPRoute.gateway.networking.k8s.io", "shop", "till")
GUARD, TILL, OLD = (
    Ref("NetworkPolicy", "shop", "guard"),
    Ref("Service", "shop", "till"),
    Ref("Service", "shop", "old"),
)
ING = Ref("Ingress", "shop", "till")
WELL = {"TRACK": "blue", "SUBSET": "blue", "HOST": "till.shop.example", "WHO": "till"}


def fill(text: str, **values: str) -> str:
    for word, value in values.items():
        text = text.replace(word, f'"{value}"')
    return text


def mesh(**other: str) -> str:
    return fill(PODS + RULE + VIRTUAL, **{**WELL, **other})


@pytest.mark.parametrize(
    ("text", "subject", "wrong"),
    [
        (mesh(), VS, []),
        (mesh(SUBSET="green"), VS, ["mesh-subset"]),
        (mesh(HOST="till-shop.example"), VS, ["mesh-gateway-host"]),
        (mesh(SUBSET="green"), DR, ["mesh-subset"]),
        (mesh(), DR, []),
        (mesh(TRACK="v1"), DR, ["mesh-subset-labels"]),
        (mesh(), GW, []),
        (mesh(WHO="proxy"), GW, ["mesh-gateway-selector"]),
        (mesh(HOST="till-shop.example"), GW, ["mesh-gateway-host"]),
        (fill(ROUTE, HOST="till.shop.example", FROM="shop"), ROUTE_REF, []),
        (fill(ROUTE, HOST="till.bank.example", FROM="shop"), ROUTE_REF, ["route-host"]),
        (fill(ROUTE, HOST="till.shop.example", FROM="quay"), ROUTE_REF, ["route-grant"]),
        (
            fill(ROUTE, HOST="till.shop.example", FROM="shop").replace(
                "name: web,", "name: web, protocol: TCP,"
            ),
            ROUTE_REF,
            ["route-kind"],
        ),
        (
            fill(ROUTE, HOST="till.shop.example", FROM="shop").replace(
                "name: web,", "name: web, protocol: HTTP, allowedRoutes: {kinds: [{kind: GRPCRoute}]},"
            ),
            ROUTE_REF,
            ["route-kind"],
        ),
        (PODS + fill(POLICY, PORT="http"), GUARD, []),
        (PODS + fill(POLICY, PORT="web"), GUARD, ["policy-port-name"]),
        (PODS + POLICY.replace("PORT", "8080"), GUARD, []),
        (PODS + POLICY.replace("PORT", "9090"), GUARD, []),
        (PODS + POLICY.replace("PORT", "80"), GUARD, ["policy-service-port"]),
        (PODS + POLICY.replace("PORT", "80"), TILL, ["policy-service-port"]),
        (PODS + POLICY.replace("PORT", "8080"), TILL, []),
        (fill(SLICE, NAME="sql"), OLD, []),
        (fill(SLICE, NAME="postgres"), OLD, ["slice-port"]),
        (fill(SLICE, NAME="postgres"), Ref("EndpointSlice", "shop", "old-1"), ["slice-port"]),
        (fill(INGRESS, CLASS="b", SECRET="till-tls"), ING, []),
        (fill(INGRESS, CLASS="a", SECRET="till-tls"), ING, ["ingress-path"]),
        (fill(INGRESS, CLASS="b", SECRET="till-cert"), ING, ["certificate-secret"]),
        (
            fill(SNAPSHOT, DRIVER="fast.csi.example"),
            Ref("VolumeSnapshot.snapshot.storage.k8s.io", "shop", "n"),
            [],
        ),
        (
            fill(SNAPSHOT, DRIVER="slow.csi.example"),
            Ref("VolumeSnapshot.snapshot.storage.k8s.io", "shop", "n"),
            ["snapshot-driver"],
        ),
        (fill(SCALER, NAME="main"), Ref("HorizontalPodAutoscaler", "shop", "till"), []),
        (fill(SCALER, NAME="app"), Ref("HorizontalPodAutoscaler", "shop", "till"), ["target-container"]),
        (fill(ADVISER, NAME="main"), Ref("VerticalPodAutoscaler.autoscaling.k8s.io", "shop", "till"), []),
        (
            fill(ADVISER, NAME="app"),
            Ref("VerticalPodAutoscaler.autoscaling.k8s.io", "shop", "till"),
            ["target-container"],
        ),
        (fill(ROLE + BOUND, GROUP="toys.example", KIND="Role"), Ref("Role", "shop", "r"), []),
        (fill(ROLE + BOUND, GROUP="toys.example", KIND="ClusterRole"), Ref("Role", "shop", "r"), ["taken"]),
        (fill(ROLE + BOUND, GROUP="other.example", KIND="Role"), Ref("Role", "shop", "r"), []),
        (
            fill(ROLE + BOUND, GROUP="networking.istio.io", KIND="Role") + RULE,
            Ref("Role", "shop", "r"),
            ["role-group"],
        ),
        (SCALER.replace("NAME", "proxy") + INJECTED, Ref("HorizontalPodAutoscaler", "shop", "till"), []),
        (PROJECT.replace("REPO", "shops-till"), Ref("Application.argoproj.io", "argo", "till"), []),
        (PROJECT.replace("REPO", "ops"), Ref("Application.argoproj.io", "argo", "till"), ["project-allows"]),
        (
            PROJECT.replace("REPO", "shops-old"),
            Ref("Application.argoproj.io", "argo", "till"),
            ["project-allows"],
        ),
    ],
)
def test_the_two_sides_are_compared_by_value(text: str, subject: Ref, wrong: list[str]) -> None:
    found = compare(text, subject)
    assert [c.relation for c in found if is_mismatch(c)] == wrong, found


def test_each_kind_that_is_compared_has_a_reader_or_the_other_side() -> None:
    assert set(_READERS) == set(COMPARED)


def test_what_could_not_be_listed_in_full_is_not_compared() -> None:
    with cluster({GUARD_PATH: read(fill(POLICY, PORT="web"))[0]}) as c:
        (found,) = c.collector.collect([Want(Counterparts, GUARD)])
    assert isinstance(found, Counterparts) and not found.items


GUARD_PATH = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/guard"


def test_a_kind_without_such_fields_gets_no_answer() -> None:
    with cluster({}) as c:
        (found,) = c.collector.collect([Want(Counterparts, Ref("ConfigMap", "shop", "c"))])
    assert isinstance(found, Refused)


def test_a_relation_of_a_newer_version_is_not_judged() -> None:
    one = Counterpart("of-tomorrow", GUARD, "spec.x", "a", "Pod", (), "spec.y", ("b",))
    assert "of-tomorrow" not in RELATIONS and not is_mismatch(one)
