"""The rows of objects that have an effect only through others: what takes them, what they select and name.

Sources: admissionregistration/v1 (MatchResources, ParamRef), core/v1 (ScopedResourceSelectorRequirement) of
Kubernetes 1.34; metallb v1beta1, cilium.io v2 and v2alpha1, kueue v1beta1, istio security v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.collect.objects.project_references import MESH
from unstuck.facts.record import Record, record

_METAL, _CILIUM, _QUEUES = "metallb.io", "cilium.io", "kueue.x-k8s.io"
_ISTIO_SECURITY = "security.istio.io"
POOL = f"IPAddressPool.{_METAL}"
BINDING = "AdmissionPolicyBinding"


@record()
class Taker(Record):
    """A kind that gives another its effect. names: its field with the names of those that it takes.

    selectors: its field with selectors of their labels. all: with neither it takes all of its Namespace.
    """

    kind: str
    names: str
    selectors: str = ""
    all: bool = False


@record()
class LabelPick(Record):
    """A selector of labels in an object. field: its place. of: the kind of what it selects. own: of its own
    Namespace only.
    """

    field: str
    of: str
    own: bool = False


@record()
class NameList(Record):
    """A field with names of objects that have to be there. where: a field and its value beside it."""

    field: str
    of: str
    where: tuple[tuple[str, str], ...] = ()


_ADVERTISED = tuple(
    Taker(f"{kind}.{_METAL}", "spec.ipAddressPools[]", "spec.ipAddressPoolSelectors[]", all=True)
    for kind in ("L2Advertisement", "BGPAdvertisement")
)
# What gives each kind its effect.
TAKERS: Mapping[str, tuple[Taker, ...]] = MappingProxyType(
    {
        "ValidatingAdmissionPolicy": (Taker(f"Validating{BINDING}", "spec.policyName"),),
        "MutatingAdmissionPolicy": (Taker(f"Mutating{BINDING}", "spec.policyName"),),
        "Role": (Taker("RoleBinding", "roleRef.name"),),
        POOL: _ADVERTISED,
        f"BGPPeer.{_METAL}": (Taker(f"BGPAdvertisement.{_METAL}", "spec.peers[]", all=True),),
        f"CiliumBGPPeerConfig.{_CILIUM}": (
            Taker(f"CiliumBGPClusterConfig.{_CILIUM}", "spec.bgpInstances[].peers[].peerConfigRef.name"),
        ),
    }
)
# What gives a Service its address, and selects the Services.
POOLS = (
    Taker(f"CiliumLoadBalancerIPPool.{_CILIUM}", "", "spec.serviceSelector", all=True),
    Taker(POOL, "", "spec.serviceAllocation.serviceSelectors[]", all=True),
)
# What each kind names, and which Namespaces that takes from.
ADMITS: Mapping[str, Taker] = MappingProxyType(
    {f"LocalQueue.{_QUEUES}": Taker(f"ClusterQueue.{_QUEUES}", "spec.clusterQueue", "spec.namespaceSelector")}
)
_OF_PODS = ("spec.selector", "Pod", True)
# What each kind selects by labels.
CHOICES: Mapping[str, tuple[LabelPick, ...]] = MappingProxyType(
    {
        **{
            f"{kind}{BINDING}": (LabelPick("spec.matchResources.namespaceSelector", "Namespace"),)
            for kind in ("Validating", "Mutating")
        },
        **{
            f"{kind}AdmissionPolicy": (LabelPick("spec.matchConstraints.namespaceSelector", "Namespace"),)
            for kind in ("Validating", "Mutating")
        },
        **{
            f"{kind}.{_METAL}": (LabelPick("spec.nodeSelectors[]", "Node"),)
            for kind in ("L2Advertisement", "BGPAdvertisement", "BGPPeer")
        },
        POOL: (
            LabelPick("spec.serviceAllocation.namespaceSelectors[]", "Namespace"),
            LabelPick("spec.serviceAllocation.serviceSelectors[]", "Service"),
        ),
        f"CiliumLoadBalancerIPPool.{_CILIUM}": (LabelPick("spec.serviceSelector", "Service"),),
        f"CiliumL2AnnouncementPolicy.{_CILIUM}": (
            LabelPick("spec.nodeSelector", "Node"),
            LabelPick("spec.serviceSelector", "Service"),
        ),
        f"CiliumBGPClusterConfig.{_CILIUM}": (LabelPick("spec.nodeSelector", "Node"),),
        f"ClusterQueue.{_QUEUES}": (LabelPick("spec.namespaceSelector", "Namespace"),),
        **{
            f"{kind}.{_ISTIO_SECURITY}": (LabelPick(*_OF_PODS),)
            for kind in ("PeerAuthentication", "AuthorizationPolicy", "RequestAuthentication")
        },
        f"Sidecar.{MESH}": (LabelPick("spec.workloadSelector", "Pod", own=True),),
        f"EnvoyFilter.{MESH}": (LabelPick("spec.workloadSelector", "Pod", own=True),),
        "MachineHealthCheck.cluster.x-k8s.io": (
            LabelPick("spec.selector", "Machine.cluster.x-k8s.io", own=True),
        ),
    }
)
# The objects that each kind names.
NAMES: Mapping[str, tuple[NameList, ...]] = MappingProxyType(
    {
        f"BGPAdvertisement.{_METAL}": (
            NameList("spec.peers[]", f"BGPPeer.{_METAL}"),
            NameList("spec.ipAddressPools[]", POOL),
        ),
        f"L2Advertisement.{_METAL}": (NameList("spec.ipAddressPools[]", POOL),),
        POOL: (NameList("spec.serviceAllocation.namespaces[]", "Namespace"),),
        f"ClusterQueue.{_QUEUES}": (
            NameList("spec.resourceGroups[].flavors[].name", f"ResourceFlavor.{_QUEUES}"),
        ),
        "ResourceQuota": (
            NameList(
                "spec.scopeSelector.matchExpressions[].values[]",
                "PriorityClass",
                (("scopeName", "PriorityClass"), ("operator", "In")),
            ),
        ),
    }
)
