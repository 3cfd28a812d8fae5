"""Which DaemonSets put a CSI driver on Nodes."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.placing_terms import Toleration
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class DriverSet(Record):
    """One DaemonSet, and its template's requirements for Nodes. node_selector: labels that a Node must have.

    affinity: it requires more of Nodes by node affinity, which is not kept.
    """

    ref: Ref
    tolerations: tuple[Toleration, ...] = ()
    node_selector: tuple[tuple[str, str], ...] = ()
    affinity: bool = False


@record(kw_only=True)
class DriverSets(Fact):
    """The DaemonSets whose template names a CSI driver: in an argument, a variable or a path. about: the
    CSIDriver.

    Whole where all DaemonSets were listed. A driver's own node Pod has its name in the path of its socket, by
    convention (kubernetes-csi/node-driver-registrar, `/var/lib/kubelet/plugins/NAME/csi.sock`).
    """

    items: tuple[DriverSet, ...]
    ask: ClassVar[str] = "kubectl get daemonsets -A -o yaml"
