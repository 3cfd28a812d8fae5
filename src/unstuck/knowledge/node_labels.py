"""Labels written by the creators of Nodes: they are not set by hand, or setting them by hand does not change
the Node.

Sources: karpenter.sh documentation "NodePools", well-known labels; Amazon EKS, GKE and AKS documentation of
node groups and pools; staging/src/k8s.io/api/core/v1/well_known_labels.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Maker = Literal["Karpenter", "EKS", "GKE", "AKS", "kops", "the cloud provider"]
_MAKERS: Mapping[str, Maker] = MappingProxyType[str, Maker](
    {
        "karpenter.sh": "Karpenter",
        "karpenter.k8s.aws": "Karpenter",
        "karpenter.azure.com": "Karpenter",
        "eks.amazonaws.com": "EKS",
        "alpha.eksctl.io": "EKS",
        "cloud.google.com": "GKE",
        "kubernetes.azure.com": "AKS",
        "agentpool": "AKS",
        "kops.k8s.io": "kops",
        "topology.kubernetes.io": "the cloud provider",
        "failure-domain.beta.kubernetes.io": "the cloud provider",
    }
)
_INSTANCE_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")


def find_maker(key: str) -> Maker | None:
    """Return the program that creates Nodes with this label, None if anyone may set it. key: with its
    prefix.
    """
    if key in _INSTANCE_TYPES:
        return "the cloud provider"
    return _MAKERS.get(key.partition("/")[0])
