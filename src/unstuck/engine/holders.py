"""Names each finalizer that holds an object, with the finalizer's owner, independent of any cause found."""

from __future__ import annotations

from unstuck.diagnosis.holder import Holder
from unstuck.diagnosis.sign import unique
from unstuck.facts.aspects.objects import Finalizers
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.knowledge.finalizers import find_known
from unstuck.stages.lines import is_being_deleted


def find_holders(subject: Ref, snap: Snapshot) -> tuple[Holder, ...]:
    """Return the finalizers of an object that is being deleted, in their order."""
    if not is_being_deleted(subject, snap):
        return ()
    names = unique(name for f in snap.of(Finalizers, subject) for name in f.names if name)
    return tuple(Holder(name, row.owner if (row := find_known(name)) else "") for name in names)
