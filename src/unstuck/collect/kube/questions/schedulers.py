"""A scheduler's activity: one list of the Pods that name it."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.collect.objects.segments import field_requirement
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.core import Fact, Want

_DEFAULT = "default-scheduler"
_GATED = "SchedulingGated"


def work(session: Session, want: Want) -> list[Fact]:
    """Return SchedulerWork, of 500 Pods at the most; of the default scheduler, whose Pods are most of a
    cluster's, those without a Node alone.
    """
    name = want.about.name
    if not name:
        return [make_unanswered(want, "not-asked", "its name is not known")]
    selector = field_requirement("spec.schedulerName", name) + (",spec.nodeName=" if name == _DEFAULT else "")
    found = session.listing(kind_named("Pod"), None, {"fieldSelector": selector}, most=1)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    # For a gated Pod the API server itself writes the condition.
    said = [
        (p, doc.time(c, "lastTransitionTime"))
        for p in found.items
        if (c := _find_scheduled(p)) and doc.text(c, "reason") != _GATED
    ]
    untried = tuple(
        r
        for p in found.items
        if not _find_scheduled(p) and not doc.text(p, "spec", "nodeName") and (r := ref_of(p))
    )
    latest = max((at for _, at in said if at), default=None)
    shown = f"{len(found.items)} Pods, {len(said)} of them bound or refused"
    return [
        SchedulerWork(
            about=want.about, src=found.read.src(shown), untried=untried, latest=latest, whole=found.whole
        )
    ]


def _find_scheduled(pod: doc.Doc) -> doc.Doc | None:
    return next(
        (c for c in doc.rows(pod, "status", "conditions") if doc.text(c, "type") == "PodScheduled"), None
    )
