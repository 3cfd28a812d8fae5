"""the Namespace still contains Pods

## How it happens

The namespace controller deletes the Pods first and all other content after them. While a Pod stays, for any
reason, the Namespace stays, and its other content is not even deleted yet.

## How to tell

List the Pods of the Namespace first. From Kubernetes 1.33 on all five conditions of the Namespace may read
well while a Pod remains, because the controller returns before it counts the rest.

## Known limits

This is never the root: each Pod is a separate cause, reported beside it if the Pod could be read. Within the
first minute, or within the Pods' grace periods, a Namespace is on its ordinary way.

## References

- pkg/controller/namespace/deletion/namespaced_resources_deleter.go; KEP-5080 (ordered namespace deletion)
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Below, Deletion
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

NAMESPACE_AFTER = timedelta(seconds=60)


def _rule(ns: Ref, snap: Facts) -> Signs:
    pods = some(snap, Below, ns, lambda f: f.refs if f.kind == "Pod" else [])
    return Signs(
        necessary={"the deletion should be through": is_overdue(ns, snap, NAMESPACE_AFTER)},
        decisive={"it still contains Pods": pods},
        finding=lambda: _make_finding(ns, tuple(snap.canon(p) for p in pods.hits), snap),
    )


def _make_finding(ns: Ref, pods: tuple[Ref, ...], snap: Facts) -> Finding:
    order = sorted(pods, key=lambda p: (_make_due_key(p, snap), p.key))
    names = [p.name or p.uid or "?" for p in order]
    first = order[0]
    more = say(" and {more} more", more=len(pods) - 1) if len(pods) > 1 else NO_TEXT
    return Finding(
        say(
            "Pod {names}{more} remains in Namespace {namespace}", names=names[0], more=more, namespace=ns.name
        ),
        culprit=first,
        blocks=(ns,),
        notes=tuple(say("also: {count}", count=n) for n in names[1:4]),
        help=(
            Step(
                say("see what keeps this Pod"),
                command=ask_why(first),
                verify=say("the Namespace deletion continues automatically once its Pods are gone"),
            ),
        ),
        do_not=(
            DoNot(
                say("clear the Namespace's spec.finalizers"),
                say(
                    "the Pods and everything else in it would stay in etcd without a "
                    "Namespace, and keep running"
                ),
            ),
        ),
    )


def _make_due_key(pod: Ref, snap: Facts) -> str:
    """Return the sort key that puts the Pod whose deletion is longest overdue first."""
    times = [f.due.isoformat() for f in snap.of(Deletion, pod) if f.due]
    return min(times, default="~")


CAUSE = Cause(
    id="namespace.pods-remain",
    title=say("the Namespace still contains Pods"),
    subjects=("Namespace",),
    stages=("pods-gone",),
    reads=frozenset({Below, Deletion}),
    rule=_rule,
)
