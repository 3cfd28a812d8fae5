"""A StatefulSet waits for a broken Pod of an older template, and so never updates it to the new one

## How it happens

With the Pod management policy OrderedReady, a StatefulSet changes one Pod at a time, from the highest number
down, and continues only when it is ready. A template that does not work leaves its first Pod broken; the
template is fixed, and the controller keeps waiting for the broken Pod of the previous template. It never
replaces that Pod automatically.

## How to tell

A Pod of the StatefulSet is not ready, its label `controller-revision-hash` is not the StatefulSet's
`status.updateRevision`, and the StatefulSet is of OrderedReady and RollingUpdate without a partition above
that Pod. While its probes and a minute still allow that Pod to get ready, and none of its containers is in
back-off, this is at most possible.

## Known limits

Whether the newest template works is not known before a Pod of it runs. A Pod that is not ready for its own
reason (its node, its volume) keeps the StatefulSet waiting in the same way, and is replaced by the same step;
its own causes are reported beside this one.

## References

- Kubernetes documentation: StatefulSets, Forced rollback; kubernetes issue 67250
- pkg/controller/statefulset/stateful_set_control.go (`updateStatefulSet`)
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Below, Conditions, Deletion, Labels
from unstuck.facts.aspects.pod import Containers, ContainerStatuses
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import list_statuses, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.stages.pod_state import AT_ONCE, find_probe_allowance

say = Messages(__name__)

_HASH = "controller-revision-hash"
_PATIENCE = timedelta(minutes=1)


def _rule(subject: Ref, snap: Facts) -> Signs:
    ordered = some(snap, Workload, subject, lambda f: [f] if f.ordered and f.revision else [])
    listed = some(snap, Below, subject, lambda f: f.refs if f.kind == "Pod" else [])
    pods = unique(snap.canon(r) for r in listed.hits)
    revision = ordered.hits[0].revision if ordered.hits else ""
    told = [_find_older(p, revision, snap) for p in pods]
    old = any_of(told) if told else Sign[Ref](listed.value, wants=listed.wants)
    waiting = tuple(s for s in told if s.hits)
    if old.value is None and waiting:
        old = Sign(
            None,
            unique(h for s in waiting for h in s.hits),
            unique(f for s in waiting for f in s.seen),
            old.wants,
        )
    return Signs(
        applies=ordered,
        decisive={"a Pod of an older template is not ready": old},
        finding=lambda: _make_finding(subject, old.hits[0], revision, _list_containers(old.hits[0], snap)),
    )


def _find_older(pod: Ref, revision: str, snap: Facts) -> Sign[Ref]:
    """Find whether the Pod is not ready and of an older revision. For a Pod that is plainly ready only the
    name is known, and no question is asked.
    """
    conditions = some(
        snap,
        Conditions,
        pod,
        lambda f: [pod] if any(c.type == "Ready" and c.status != "True" for c in f.items) else [],
    )
    if conditions.value is None:
        return Sign(False)
    staying = some(snap, Deletion, pod, lambda f: [pod] if not f.requested else [])
    other = some(snap, Labels, pod, lambda f: [pod] if dict(f.items).get(_HASH, revision) != revision else [])
    older = all_of([conditions, staying, other])
    if not older.value:
        return older
    given_up = _is_failing(pod, snap, conditions.seen)
    return older if given_up.value else Sign(None, older.hits, older.seen, given_up.wants)


def _is_failing(pod: Ref, snap: Facts, conditions: tuple[Fact, ...]) -> Sign[Ref]:
    """Tell whether one of its containers is in back-off, or it has not been ready for longer than its probes
    and the usual minute allow.

    Never a no: a Pod that has just started, or was ready a moment ago, may soon be ready.
    """
    if any(s.reason in AT_ONCE for s in list_statuses(pod, snap)):
        return Sign(True, (pod,))
    unseen = tuple(
        Want(kind, pod)
        for kind in (Containers, ContainerStatuses)
        if not any(f.whole for f in snap.of(kind, pod))
    )
    since = [
        c.since
        for f in conditions
        if isinstance(f, Conditions)
        for c in f.items
        if c.type == "Ready" and c.since
    ]
    if unseen or not since:
        return Sign(None, wants=unseen)
    return (
        Sign(True, (pod,))
        if snap.now - max(since) >= _PATIENCE + find_probe_allowance(pod, snap)
        else Sign(None)
    )


def _list_containers(pod: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return the containers that are not ready: their fault is in the template, which is not reverted."""
    return unique(make_container_ref(pod, s.name) for s in list_statuses(pod, snap) if not s.ready)


def _make_finding(subject: Ref, pod: Ref, revision: str, containers: tuple[Ref, ...]) -> Finding:
    return Finding(
        say(
            "StatefulSet {within}/{subject} waits for {pod}, which has an older template and is not ready",
            within=subject.within,
            subject=subject.name,
            pod=pod.name,
        ),
        culprit=Ref("Revision", subject.within, revision),
        blocks=(subject, pod, *containers),
        notes=(
            say("the newest template is {revision}; {pod} does not have it", revision=revision, pod=pod.name),
        ),
        help=(
            Step(
                say(
                    (
                        "delete {pod}: it is recreated from the newest template, with its own volume; its "
                        "process ends"
                    ),
                    pod=pod.name,
                ),
                command=command(
                    "kubectl delete {pod} {space}", pod=given.of(pod), space=given.namespace(subject.within)
                ),
                risk="disrupts",
                verify=say("it becomes ready, and the next one follows"),
            ),
        ),
        do_not=(
            DoNot(
                say("delete the StatefulSet or the Pod's PVC to start over"),
                say("the PVC's data is lost with it"),
            ),
            DoNot(
                say("force delete the Pod"),
                say(
                    "a second Pod of that name may write to the same volume while the first is still running"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="controller.statefulset-broken-revision",
    title=say("a StatefulSet waits for a broken Pod of an older template"),
    subjects=("StatefulSet",),
    reads=frozenset({Workload, Below, Conditions, Containers, ContainerStatuses, Deletion, Labels}),
    rule=_rule,
)
