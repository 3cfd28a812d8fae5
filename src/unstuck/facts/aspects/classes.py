"""The controller behind an object's class, and signs of its work."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import record


@record(kw_only=True)
class ClassWork(Fact):
    """The controller of one class, and its work on the class's objects. about: an Ingress, a Gateway, a
    Service of type LoadBalancer, a PersistentVolumeClaim, or a CertificateSigningRequest, whose class is its
    signer.

    of: its class; None where that is no object, as a loadBalancerClass. controller: the controller's name in
    the class, of a StorageClass its provisioner; "" for a Service without one. others: further objects of the
    class; served: the number of them with an address, a volume or a certificate. candidates: the workloads
    linked to the controller's name. cloud: the cloud of the Nodes (`aws`, by `spec.providerID`), "" for none:
    its controllers may run outside of this cluster.

    Whole if all workloads and all objects of the kind were seen.
    """

    of: Ref | None
    controller: str
    others: int
    served: int
    candidates: tuple[Candidate, ...] = ()
    cloud: str = ""
    ask: ClassVar[str] = "kubectl get {type} -A -o wide; kubectl get deploy,sts,ds -A"
