"""Lists the objects that a subject holds or waits for, and finds those that need a look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.diagnosis.sign import unique
from unstuck.engine.evaluator import Evaluator
from unstuck.facts.aspects.cluster import Contents
from unstuck.facts.aspects.objects import Below, Conditions, Owners
from unstuck.facts.aspects.protection import Dependents, Users
from unstuck.facts.aspects.references import Owned
from unstuck.facts.aspects.reported import TypeStatus
from unstuck.facts.aspects.services import ServicePods, ServiceWorkloads
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import is_terminal
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.kinds import APPLIED_TO_OTHERS, NAMED_BY_PODS
from unstuck.stages.consumers import find_waiting_consumers
from unstuck.stages.node_state import find_lost_daemons
from unstuck.stages.references import find_serving_targets
from unstuck.stages.unwritten import find_stopped_controllers

# Pods of one Service mostly share one template.
BEHIND = 2
ILL = ("stuck", "unknown")
_CLAIMS = ("PersistentVolumeClaim", "ResourceClaim")
# A budget holds nothing itself; if it is not met, the selected Pods are to blame.
_HOLDERS = (
    "Namespace",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "PodDisruptionBudget",
    *NAMED_BY_PODS,
    *APPLIED_TO_OTHERS,
)


def list_unhealthy(
    held: Sequence[Ref], snap: Snapshot, after: float | None, evaluator: Evaluator, *, well: bool
) -> Iterator[Ref]:
    """Yield the stuck or unknown objects that it holds, then those within their time; only the former for a
    healthy subject.
    """
    groups: tuple[tuple[str, ...], ...] = (ILL,) if well else (ILL, ("progressing",))
    for states in groups:
        yield from (r for r in held if evaluator.line_of(r, snap, after)[1].name in states)


def is_completed_job(job: Ref, snap: Snapshot) -> bool:
    """Tell whether a Job has completed: its failed Pods hold nothing up."""
    complete = (
        c for f in snap.of(Conditions, job) for c in f.items if c.type == "Complete" and c.status == "True"
    )
    return job.kind == "Job" and next(complete, None) is not None


def was_replaced(ref: Ref, snap: Snapshot) -> bool:
    """Tell whether an ended Pod was replaced by its controller: a healthy controller lacks no Pod."""
    return is_terminal(ref, snap) and any(f.controller for f in snap.of(Owners, ref))


def list_held_objects(subject: Ref, snap: Snapshot) -> tuple[Ref, ...]:
    """Return the objects that the subject holds or waits for, in a fixed order."""
    listed = (r for f in snap.of(Below, subject) for r in f.refs) if subject.kind in _HOLDERS else ()
    held = (ref for f in snap.of(Contents, subject) for i in f.items for ref, _ in i.held)
    users = (r for f in snap.of(Users, subject) for r in f.refs)
    consumers = find_waiting_consumers(subject, snap) if subject.kind in _CLAIMS else ()
    dependents = (d.ref for f in snap.of(Dependents, subject) for d in f.items if d.blocks)
    behind = (
        _list_pods_behind(subject, snap)
        if subject.kind == "Service"
        else [p for p, _ in find_lost_daemons(subject, snap)]
    )
    referred = (r.to for r in find_serving_targets(subject, snap))
    makers = (m.workload for f in snap.of(ServiceWorkloads, subject) for m in f.items if m.wanted)
    made = (r for f in snap.of(Owned, subject) for r in f.refs)
    children = unique(
        snap.canon(r)
        for r in (*listed, *held, *users, *consumers, *dependents, *behind, *referred, *makers, *made)
    )
    # A possible controller runs in another Namespace, and is asked about last.
    stopped = (c.ref for f in snap.of(TypeStatus, subject) for c in find_stopped_controllers(f))
    return unique((*sorted(children, key=lambda r: r.key), *map(snap.canon, stopped)))


def _list_pods_behind(service: Ref, snap: Snapshot) -> list[Ref]:
    """Return the first few Pods of a Service without ready Pods."""
    matched = [b for f in snap.of(ServicePods, service) for b in f.matched]
    return (
        []
        if any(b.ready for b in matched)
        else [Ref("Pod", service.within, b.name) for b in matched[:BEHIND]]
    )
