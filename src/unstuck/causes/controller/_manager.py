"""What is known of kube-controller-manager: what waits for it, and whether it lives, by the Lease that its leader renews."""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Finalizers, Presence
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.knowledge.finalizers import KUBERNETES, known

# staging/src/k8s.io/component-base/config/v1alpha1/defaults.go: held for 15 s, renewed every 2 s; since 1.20 always a Lease.
MANAGER = Ref("Lease", "kube-system", "kube-controller-manager")
# A standby takes over within seconds: after so long there is none.
_DOWN = timedelta(seconds=60)


def kept_for_it(subject: Ref, snap: Snapshot) -> Sign[str]:
    """The finalizers of the subject that kube-controller-manager clears."""
    return some(snap, Finalizers, subject, lambda f: [n for n in f.names if (k := known(n)) and k.owner == KUBERNETES])


def manager_down(snap: Snapshot) -> Sign[Lease]:
    """Yes where nobody renewed its Lease for a minute, no where it is in time or the server has none (no election); else unknown."""
    if absent := tuple(f for f in snap.of(Presence, MANAGER) if not f.exists):
        return Sign(False, seen=absent)
    late = some(snap, Lease, MANAGER, lambda f: [f] if f.renewed is not None and snap.now - f.renewed >= _DOWN else [])
    if late.value is not False:
        return late
    in_time = [f for f in snap.of(Lease, MANAGER) if f.renewed is not None and snap.now - f.renewed <= timedelta(seconds=f.duration)]
    return late if in_time else Sign(None, seen=late.seen)
