"""Objects that have an effect only through others, each with its other side once as it should be, and once
not; also classes with the programs that serve them.
"""

from __future__ import annotations

import pytest

from tests.kube.test_counterparts import compare, fill
from unstuck.facts.core import Ref
from unstuck.stages.counterparts import is_mismatch

GUARDED = """
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: few},
  spec: {paramKind: {apiVersion: v1, kind: ConfigMap}, validations: [{expression: "true"}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: few-here},
  spec: {policyName: POLICY, validationActions: [ACTION], paramRef: {name: PARAMS, namespace: shop},
    matchResources: {namespaceSelector: {matchLabels: {stage: STAGE}}}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {stage: live}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: limits, namespace: shop}}
"""
GUARDED_WELL = {"POLICY": "few", "ACTION": "Deny", "PARAMS": "limits", "STAGE": "live"}
BALANCED = """
{apiVersion: v1, kind: Service, metadata: {name: edge, namespace: shop}, spec: {type: LoadBalancer, selector: {a: b}},
  status: {loadBalancer: {ingress: [{ip: 192.0.2.7}]}}}
---
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: dock, namespace: metal, labels: {side: SIDE}},
  spec: {addresses: [192.0.2.5-192.0.2.9]}}
---
{apiVersion: metallb.io/v1beta1, kind: BGPAdvertisement, metadata: {name: out, namespace: metal}, spec: {
  ipAddressPoolSelectors: [{matchLabels: {side: land}}], peers: [PEER], nodeSelectors: [{matchLabels: {rack: RACK}}]}}
---
{apiVersion: metallb.io/v1beta1, kind: L2Advertisement, metadata: {name: other, namespace: metal}, spec: {
  ipAddressPools: [elsewhere]}}
---
{apiVersion: metallb.io/v1beta1, kind: BGPPeer, metadata: {name: switch-a, namespace: metal}, spec: {}}
---
{apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {rack: r1}}}
"""
BALANCED_WELL = {"SIDE": "land", "PEER": "switch-a", "RACK": "r1"}
CILIUM = """
{apiVersion: v1, kind: Service, metadata: {name: edge, namespace: shop, labels: {tier: TIER}},
  spec: {type: LoadBalancer, selector: {a: b}}, status: {loadBalancer: {}}}
---
{apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, metadata: {name: few},
  spec: {serviceSelector: {matchLabels: {tier: front}}}}
"""
QUEUE = """
{apiVersion: kueue.x-k8s.io/v1beta1, kind: LocalQueue, metadata: {name: night, namespace: shop},
  spec: {clusterQueue: all}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue, metadata: {name: all},
  spec: {resourceGroups: [{flavors: [{name: FLAVOR}]}],
    namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [TEAM]}]}}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: ResourceFlavor, metadata: {name: plain}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: till}}}
"""
QUOTA = """
{apiVersion: v1, kind: ResourceQuota, metadata: {name: high, namespace: shop}, spec: {scopeSelector: {matchExpressions: [
  {scopeName: PriorityClass, operator: In, values: [NAME, NEXT]}]}}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 5}
"""
ISSUER = """
{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: own}, spec: {ca: {secretName: own-ca}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: cm, namespace: certs, labels: {app.kubernetes.io/name: cert-manager}},
  spec: {template: {spec: {containers: [{args: ["--cluster-resource-namespace=SPACE"]}]}}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: own-ca, namespace: shop}}
"""
STORED = """
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: quick}, provisioner: quick.csi.example}
---
{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: DRIVER}}
---
{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n-1}, spec: {drivers: [{name: ON, nodeID: n-1}]}}
"""
MADE = """
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: v, annotations: {pv.kubernetes.io/provisioned-by: quick.csi.example}},
  spec: {}}
"""
CLASSED = """
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: out}, spec: {controller: gates.example/keeper}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: keeper, namespace: gates}, spec: {replicas: 1},
  status: {readyReplicas: READY}}
"""
WALLED = """
{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: walled}, handler: HANDLER}
---
{apiVersion: v1, kind: Node, metadata: {name: n-1}, status: {runtimeHandlers: [{name: ""}, {name: runc}, {name: kata}]}}
"""
PLAN = """
{apiVersion: copies.example/v1, kind: Plan, metadata: {name: p, namespace: shop, labels: {app: till}}, spec: {
  copyPlace: PLACE, shelf: {name: SHELF}, mode: fast, nodeSelector: {disk: DISK}, podSelector: {matchLabels: {app: APP}}}}
---
{apiVersion: copies.example/v1, kind: RemoteCopyPlace, metadata: {name: cellar, namespace: shop}}
---
{apiVersion: copies.example/v1, kind: Shelf, metadata: {name: upper, namespace: shop}}
---
{apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {disk: ssd}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: till, namespace: shop}, spec: {replicas: 0,
  template: {metadata: {labels: {app: till}}}}}
"""
PLAN_WELL = {"PLACE": "cellar", "SHELF": "upper", "DISK": "ssd", "APP": "till"}
TOPIC = """
{apiVersion: kafka.strimzi.io/v1beta2, kind: KafkaTopic, metadata: {name: t, namespace: shop,
  labels: {strimzi.io/cluster: BUS}}, spec: {}}
---
{apiVersion: kafka.strimzi.io/v1beta2, kind: Kafka, metadata: {name: bus, namespace: shop}}
"""
FAMILY = """
{apiVersion: v1, kind: Service, metadata: {name: old, namespace: shop}, spec: {ipFamilies: [IPv4], ports: [{port: 1}]}}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: old-1, namespace: shop,
  labels: {kubernetes.io/service-name: old}}, addressType: FAMILY, ports: [{name: "", port: 1}]}
"""
STRICT = """
{apiVersion: v1, kind: Service, metadata: {name: till, namespace: shop}, spec: {selector: {app: till}}}
---
{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: till, namespace: shop},
  spec: {host: till, trafficPolicy: {tls: {mode: MODE}}}}
---
{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: all, namespace: istio-system},
  spec: {mtls: {mode: STRICT}}}
---
{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: one, namespace: shop},
  spec: {selector: {matchLabels: {app: WHO}}, mtls: {mode: PERMISSIVE}}}
"""
LOGIN = """
{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: s, namespace: shop},
  spec: {triggers: [{authenticationRef: {name: l}}]}}
---
{apiVersion: keda.sh/v1alpha1, kind: TriggerAuthentication, metadata: {name: l, namespace: shop},
  spec: {secretTargetRef: [{parameter: host, name: till-tls, key: KEY}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: till-tls, namespace: shop}, data: {url: eA==}}
"""
GIVEN = """
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: g, namespace: shop},
  roleRef: {kind: Role, name: ROLE}, subjects: [{kind: ServiceAccount, name: ONE}, {kind: ServiceAccount, name: TWO}]}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: teller, namespace: shop}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: full, namespace: shop}, rules: [{verbs: [get]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: bare, namespace: shop}, rules: []}
"""
USERS = """
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: g, namespace: shop},
  roleRef: {kind: Role, name: full}, subjects: [{kind: User, name: USER}]}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: teller, namespace: shop}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: full, namespace: shop}, rules: [{verbs: [get]}]}
"""
TRUSTED = """
{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: only, namespace: shop}, spec: {
  rules: [{from: [{source: {principals: [WHO, "*"]}}]}]}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: teller, namespace: shop}}
"""
TELLER, ONLY = "cluster.local/ns/shop/sa/teller", Ref("AuthorizationPolicy.security.istio.io", "shop", "only")
ASKED = """
---
{apiVersion: v1, kind: Service, metadata: {name: quay, namespace: shop, annotations: {metallb.io/address-pool: POOL}},
  spec: {type: LoadBalancer, selector: {a: b}}, status: {}}
"""
BOUND, QUAY = Ref("RoleBinding", "shop", "g"), Ref("Service", "shop", "quay")
PLANNED, TOPICAL = Ref("Plan.copies.example", "shop", "p"), Ref("KafkaTopic.kafka.strimzi.io", "shop", "t")
RULED, OLD = Ref("DestinationRule.networking.istio.io", "shop", "till"), Ref("Service", "shop", "old")
SCALED = Ref("ScaledObject.keda.sh", "shop", "s")
FEW, EDGE, CLASS = (
    Ref("ValidatingAdmissionPolicy", None, "few"),
    Ref("Service", "shop", "edge"),
    Ref("StorageClass", None, "quick"),
)
BINDING, OUT = (
    Ref("ValidatingAdmissionPolicyBinding", None, "few-here"),
    Ref("BGPAdvertisement.metallb.io", "metal", "out"),
)
DOCK, LANE = (
    Ref("IPAddressPool.metallb.io", "metal", "dock"),
    Ref("LocalQueue.kueue.x-k8s.io", "shop", "night"),
)
HIGH, WALL = Ref("ResourceQuota", "shop", "high"), Ref("RuntimeClass", None, "walled")


def guard(**other: str) -> str:
    return fill(GUARDED, **{**GUARDED_WELL, **other})


def balance(**other: str) -> str:
    return fill(BALANCED, **{**BALANCED_WELL, **other})


def plan(**other: str) -> str:
    return fill(PLAN, **{**PLAN_WELL, **other})


@pytest.mark.parametrize(
    ("text", "subject", "wrong"),
    [
        (guard(), FEW, []),
        (guard(POLICY="fewer"), FEW, ["taken"]),
        (guard(ACTION="Audit"), FEW, ["binding-denies"]),
        (guard(PARAMS="limit"), FEW, ["parameters"]),
        (guard(STAGE="alive", PARAMS="limit"), FEW, ["selected", "parameters"]),
        (guard(), BINDING, []),
        (guard(STAGE="alive", ACTION="Warn"), BINDING, ["selected", "binding-denies"]),
        (balance(), EDGE, []),
        (balance(SIDE="sea"), EDGE, ["taken-labels"]),
        (balance(PEER="switch-b"), EDGE, ["named"]),
        (balance(RACK="r2"), EDGE, ["selected"]),
        (balance(), DOCK, []),
        (balance(SIDE="sea"), DOCK, ["taken-labels"]),
        (balance(PEER="switch-b"), OUT, ["named"]),
        (fill(CILIUM, TIER="front"), EDGE, []),
        (fill(CILIUM, TIER="back"), EDGE, ["taken-labels"]),
        (fill(QUEUE, TEAM="till", FLAVOR="plain"), LANE, []),
        (fill(QUEUE, TEAM="shop", FLAVOR="plain"), LANE, ["admitted"]),
        (fill(QUEUE, TEAM="till", FLAVOR="plane"), LANE, ["named"]),
        (fill(QUOTA, NAME="urgent", NEXT="urgent"), HIGH, []),
        (fill(QUOTA, NAME="urgent", NEXT="later"), HIGH, ["named-too"]),
        (fill(QUOTA, NAME="soon", NEXT="later"), HIGH, ["named", "named"]),
        (ISSUER.replace("SPACE", "shop"), Ref("ClusterIssuer.cert-manager.io", None, "own"), []),
        (
            ISSUER.replace("SPACE", "bank"),
            Ref("ClusterIssuer.cert-manager.io", None, "own"),
            ["cluster-secret"],
        ),
        (fill(STORED, DRIVER="quick.csi.example", ON="quick.csi.example"), CLASS, []),
        (fill(STORED, DRIVER="quick.csi.example", ON="slow.csi.example"), CLASS, ["driver-nodes"]),
        (fill(STORED, DRIVER="slow.csi.example", ON="slow.csi.example"), CLASS, ["served-by"]),
        (fill(STORED + MADE, DRIVER="slow.csi.example", ON="slow.csi.example"), CLASS, []),
        (CLASSED.replace("READY", "1"), Ref("IngressClass", None, "out"), []),
        (CLASSED.replace("READY", "0"), Ref("IngressClass", None, "out"), ["served-by"]),
        (plan(), PLANNED, []),
        (plan(PLACE="celler"), PLANNED, ["named-alike"]),
        (plan(SHELF="none-such"), PLANNED, ["named-like"]),
        (
            plan(PLACE="celler")
            .replace("copyPlace", "forProvider: {copyPlace")
            .replace('celler",', 'celler"},'),
            PLANNED,
            [],
        ),
        (plan(DISK="nvme"), PLANNED, ["selected-like"]),
        (plan(APP="bank"), PLANNED, ["selected-like"]),
        (fill(TOPIC, BUS="bus"), TOPICAL, []),
        (fill(TOPIC, BUS="buses"), TOPICAL, ["labelled"]),
        (fill(FAMILY, FAMILY="IPv4"), OLD, []),
        (fill(FAMILY, FAMILY="IPv6"), OLD, ["slice-family"]),
        (fill(STRICT, MODE="ISTIO_MUTUAL", WHO="bank"), RULED, []),
        (fill(STRICT, MODE="DISABLE", WHO="till"), RULED, []),
        (fill(STRICT, MODE="DISABLE", WHO="bank"), RULED, ["mesh-mtls"]),
        (fill(LOGIN, KEY="url"), SCALED, []),
        (fill(LOGIN, KEY="uri"), SCALED, ["secret-key"]),
        (fill(GIVEN, ROLE="full", ONE="teller", TWO="teller"), BOUND, []),
        (fill(GIVEN, ROLE="full", ONE="teller", TWO="tella"), BOUND, ["named-too"]),
        (fill(GIVEN, ROLE="bare", ONE="tela", TWO="tella"), BOUND, ["named", "named", "role-rules"]),
        (fill(USERS, USER="system:serviceaccount:shop:teller"), BOUND, []),
        (fill(USERS, USER="system:serviceaccounts:shop:teller"), BOUND, ["named"]),
        (fill(USERS, USER="system:serviceaccount:shop:tella"), BOUND, ["named"]),
        (fill(USERS, USER="anna"), BOUND, []),
        (fill(TRUSTED, WHO=TELLER), ONLY, []),
        (fill(TRUSTED, WHO=f"{TELLER}s"), ONLY, ["principal"]),
        (fill(BALANCED + ASKED, **BALANCED_WELL, POOL="dock"), QUAY, []),
        (fill(BALANCED + ASKED, **BALANCED_WELL, POOL="docks"), QUAY, ["named"]),
        (fill(WALLED, HANDLER="kata"), WALL, []),
        (fill(WALLED, HANDLER="gvisor"), WALL, ["runtime-handler"]),
    ],
)
def test_what_gives_an_effect_is_compared(text: str, subject: Ref, wrong: list[str]) -> None:
    found = compare(text, subject)
    assert [c.relation for c in found if is_mismatch(c)] == wrong, found
