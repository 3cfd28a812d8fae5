"""Finds possible Nodes for a subject that waits for one, and recent changes to its siblings."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.placing import LazyPlacing
from unstuck.diagnosis.text import Text
from unstuck.engine.assessment import Assessment
from unstuck.facts.aspects.history import History
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot

_MAKERS = ("ReplicaSet", "StatefulSet", "DaemonSet", "Job")


def find_lazy_placing(everyone: Sequence[Assessment], snap: Snapshot) -> LazyPlacing | None:
    """Work out where the first subject that waits for a Node might go. The scheduler's filters are imported
    only if the objects were read.
    """
    if not snap.every(PlacingInputs):
        return None
    from unstuck.engine.placing import make_lazy_placing  # with all of the scheduler's filters

    return next((w for a in everyone if (w := make_lazy_placing(a.subject, a.stages, snap))), None)


def find_waiting_controller(asked: Assessment, snap: Snapshot) -> Ref | None:
    """Find the controller of a Pod that waits for a Node, to list the changes since its Pods last got one."""
    if (
        asked.subject.kind != "Pod"
        or asked.state.name != "stuck"
        or not any(s.id == "scheduled" and s.state == "not-done" for s in asked.stages)
    ):
        return None
    return next(
        (
            f.controller
            for f in snap.of(Owners, asked.subject)
            if f.controller and f.controller.kind in _MAKERS
        ),
        None,
    )


def list_placement_changes(everyone: Sequence[Assessment], snap: Snapshot) -> tuple[Text, ...]:
    """List the changes that concern the first subject that waits for a Node."""
    told = (
        h for a in everyone if (owner := find_waiting_controller(a, snap)) for h in snap.of(History, owner)
    )
    if (history := next(told, None)) is None:
        return ()
    from unstuck.scheduling.history import describe_changes

    labels = {n.name: dict(n.labels) for f in snap.every(PlacingInputs) for n in f.nodes}
    return describe_changes(history, labels)
