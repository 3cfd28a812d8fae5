"""Facts about kube-controller-manager: the objects waiting for it, and its liveness, by the Lease that its
leader renews.
"""

from __future__ import annotations

from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.objects import Finalizers, Presence
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.finalizers import KUBERNETES, find_known
from unstuck.stages.leader import EndedLease, find_ended_lease

MANAGER = Ref("Lease", "kube-system", "kube-controller-manager")


def find_manager_finalizers(subject: Ref, snap: Facts) -> Sign[str]:
    """Find the finalizers of the subject that kube-controller-manager clears."""
    return some(
        snap,
        Finalizers,
        subject,
        lambda f: [n for n in f.names if (k := find_known(n)) and k.owner == KUBERNETES],
    )


def is_manager_down(snap: Facts) -> Sign[EndedLease]:
    """Return yes if its Lease was not renewed for a minute, no if it is in time or the server has none (no
    election); else unknown.
    """
    if absent := tuple(f for f in snap.of(Presence, MANAGER) if not f.exists):
        return Sign(False, seen=absent)
    return find_ended_lease(MANAGER, snap)
