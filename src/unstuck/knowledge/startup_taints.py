"""Taints of a new Node until a controller has prepared it for Pods, each with that controller and a
source.
"""

from __future__ import annotations

from unstuck.facts.record import Record, record


@record()
class StartupTaint(Record):
    """key: of the taint. by: the controller under its project's name. source: the documentation."""

    key: str
    by: str
    source: str


STARTUP_TAINTS: tuple[StartupTaint, ...] = (
    StartupTaint(
        "node.cloudprovider.kubernetes.io/uninitialized",
        "cloud-controller-manager",
        "k8s.io/cloud-provider api/well_known_taints.go (TaintExternalCloudProvider)",
    ),
    StartupTaint(
        "node.cilium.io/agent-not-ready",
        "cilium-operator",
        "docs.cilium.io: Considerations on node pool taints",
    ),
    StartupTaint(
        "ebs.csi.aws.com/agent-not-ready",
        "ebs-csi-node",
        "kubernetes-sigs/aws-ebs-csi-driver docs/install.md",
    ),
    StartupTaint(
        "efs.csi.aws.com/agent-not-ready", "efs-csi-node", "kubernetes-sigs/aws-efs-csi-driver docs/README.md"
    ),
    StartupTaint("karpenter.sh/unregistered", "karpenter", "karpenter.sh: NodePools, startupTaints"),
)


def find_startup_taint(key: str) -> StartupTaint | None:
    """Return the row of a taint's key; None if no program is known to remove the taint automatically."""
    return next((t for t in STARTUP_TAINTS if t.key == key), None)
