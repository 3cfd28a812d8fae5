"""Another owner's Pod has the name of a StatefulSet's next Pod

## How it happens

A StatefulSet names its Pods NAME-0, NAME-1 and so on. Where another Pod has such a name already, made by
hand, by another controller, or left behind by an earlier StatefulSet with other labels, the StatefulSet can
neither take that Pod over nor make its own: it takes over only Pods without a controller whose labels match
its selector. It keeps trying. With the usual order of one Pod after the other none of the later ones is made
either, and its status has no reason.

## How to tell

The StatefulSet has fewer Pods than it wants, and a Pod with the name of the first missing one exists, whose
`metadata.ownerReferences` names another controller, or none. The controller's own log reports that the Pod
exists.

## Known limits

A Pod that was created within the last minute is not counted. Whether a Pod without a controller has the
labels of the selector is inferred from the controller's having looked (`status.observedGeneration`) and not
taken it.

## References

- pkg/controller/statefulset/stateful_pod_control.go, pkg/controller/controller_ref_manager.go (Kubernetes
  1.34)
"""

from __future__ import annotations

from datetime import timedelta
from itertools import islice

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, only_yes, some
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Below, Owners, Presence
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_AFTER = timedelta(minutes=1)
# One after the other: the first decides. With podManagementPolicy Parallel any of them may be held up.
_ASKED = {True: 1, False: 3}


def _rule(subject: Ref, snap: Facts) -> Signs:
    short = some(snap, Workload, subject, lambda f: [f] if f.created < f.wanted else [])
    listed = some(snap, Below, subject, lambda f: [f] if f.kind == "Pod" else [])
    names = _list_missing_names(subject, short.hits[0], listed.hits) if short.value and listed.value else ()
    taken = any_of([_find_foreign(Ref("Pod", subject.within, name), subject, snap) for name in names])
    return Signs(
        applies=short,
        decisive={
            "a Pod that does not belong to it has the name of a missing Pod": taken
            if names
            else Sign(None, wants=listed.wants)
        },
        finding=lambda: _make_finding(subject, taken.hits[0], snap),
    )


def _list_missing_names(subject: Ref, workload: Workload, lists: tuple[Below, ...]) -> tuple[str, ...]:
    """Return the names of the first Pods that it lacks, in its order."""
    own = {r.name for f in lists for r in f.refs}
    numbers = range(workload.first, workload.first + min(workload.wanted, 10_000))
    missing = (name for n in numbers if (name := f"{subject.name}-{n}") not in own)
    return tuple(name for name in islice(missing, _ASKED[workload.ordered]))


def _find_foreign(pod: Ref, subject: Ref, snap: Facts) -> Sign[Ref]:
    there = some(
        snap,
        Presence,
        pod,
        lambda f: [pod] if f.exists and f.created is not None and snap.now - f.created >= _AFTER else [],
    )
    if not there.value:
        return there
    of_other = some(
        snap,
        Owners,
        pod,
        lambda f: [pod] if f.controller is not None and not _is_same(f.controller, subject) else [],
    )
    free = some(snap, Owners, pod, lambda f: [pod] if f.controller is None else [])
    looked = only_yes(
        some(
            snap,
            Reported,
            subject,
            lambda f: [pod] if f.observed is not None and f.observed == f.generation else [],
        )
    )
    return all_of([there, any_of([of_other, all_of([free, looked])])])


def _is_same(controller: Ref, subject: Ref) -> bool:
    return (controller.kind, controller.name) == (subject.kind, subject.name) and (
        controller.uid is None or subject.uid is None or controller.uid == subject.uid
    )


def _make_finding(subject: Ref, pod: Ref, snap: Facts) -> Finding:
    owner = next((f.controller for f in snap.of(Owners, pod) if f.controller), None)
    whose = (
        say("it belongs to {owner}", owner=who(owner))
        if owner
        else say("it has no controller: it was made by hand, or left behind")
    )
    return Finding(
        say(
            "{subject} cannot make its Pod {pod}, as another Pod has that name",
            subject=who(subject),
            pod=pod.name,
        ),
        culprit=pod,
        blocks=(subject,),
        notes=(whose,),
        help=(_look(pod), _clear(pod, owner)),
        do_not=(
            DoNot(
                say("delete the StatefulSet to start over"),
                say("the Pod that has the name stays, and the next StatefulSet of that name meets it again"),
            ),
        ),
    )


def _look(pod: Ref) -> Step:
    return Step(
        say("see what this Pod is for, and whether it is still needed"),
        command=command("kubectl describe {pod} {space}", pod=given.of(pod), space=given.space(pod)),
    )


def _clear(pod: Ref, owner: Ref | None) -> Step:
    done = say("the StatefulSet makes its own Pod {pod} within seconds", pod=pod.name)
    if owner:
        says: Text = say(
            (
                "rename {owner} or the StatefulSet, so that their Pods differ in name: "
                "what is renamed is recreated"
            ),
            owner=who(owner),
        )
        return Step(says, where="source", risk="disrupts", verify=done)
    return Step(
        say(
            "only if it is not needed: delete {pod}; its containers end, and no controller recreates it",
            pod=pod.name,
        ),
        command=command("kubectl delete {pod} {space}", pod=given.of(pod), space=given.space(pod)),
        risk="disrupts",
        verify=done,
    )


CAUSE = Cause(
    id="controller.pod-name-taken",
    title=say("another Pod has the name of a StatefulSet's next Pod"),
    subjects=("StatefulSet",),
    reads=frozenset({Workload, Below, Presence, Owners, Reported}),
    rule=_rule,
)
