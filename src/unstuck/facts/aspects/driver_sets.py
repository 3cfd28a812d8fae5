"""The DaemonSets that put a CSI driver on Nodes."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.placing_terms import Toleration
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class DriverSet(Record):
    """One DaemonSet, and its template's requirements for Nodes. node_selector: the required labels of a Node.
    affinity: whether it also has required node affinity, which is not kept.
    """

    ref: Ref
    tolerations: tuple[Toleration, ...] = ()
    node_selector: tuple[tuple[str, str], ...] = ()
    affinity: bool = False


@record(kw_only=True)
class DriverSets(Fact):
    """The DaemonSets with a CSI driver's name in their template: in an argument, a variable or a path. about:
    the CSIDriver.

    Whole if all DaemonSets were listed. A driver's own node Pod has its name in the path of its socket, by
    convention (kubernetes-csi/node-driver-registrar, `/var/lib/kubelet/plugins/NAME/csi.sock`).
    """

    items: tuple[DriverSet, ...]
    ask: ClassVar[str] = "kubectl get daemonsets -A -o yaml"
