"""kube-controller-manager is not running, and its work is not done

## How it happens

The garbage collector, the job controller, the protection of claims and volumes and the deletion of Namespaces
are all parts of kube-controller-manager. If it is down (its manifest was moved or is wrong, its certificate
expired, etcd is too slow for it to keep its lease), the API server accepts every deletion and no controller
carries it out. Pods keep running, and deleting them works as before.

## How to tell

`metadata.finalizers` holds a finalizer that kube-controller-manager clears
(`batch.kubernetes.io/job-tracking`, `foregroundDeletion`, `kubernetes.io/pvc-protection` …), or a Namespace
is being deleted; and its Lease `kube-system/kube-controller-manager`, which its leader renews every few
seconds, has not been renewed for more than a minute, while others (of Nodes, of API servers) are. Without any
Lease, etcd takes no writes, and that is the cause (apiserver.storage-full).

## Known limits

A cluster whose controller manager elects no leader (`--leader-elect=false`) has no such Lease, and up to 1.19
it may have been kept in an Endpoints object: then this is not reported. A current Lease is no proof that each
of its controllers works. The age is measured by the clocks of two machines. The missing creation of new Pods,
which has the same cause, is not reported here.

## References

- Kubernetes documentation: kube-controller-manager, Leases
- staging/src/k8s.io/client-go/tools/leaderelection; cmd/kube-controller-manager/app/controllermanager.go
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from unstuck.causes.controller._manager import find_manager_finalizers, is_manager_down
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, unique
from unstuck.diagnosis.text import Messages, format_duration, make_text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Contents, Lease
from unstuck.facts.aspects.objects import Below, Deletion, Finalizers, Presence
from unstuck.facts.aspects.stored import LastWrite
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.finalizers import find_known
from unstuck.stages.leader import EndedLease, require_other_writes
from unstuck.stages.overdue import AFTER, is_overdue

say = Messages(__name__)

_NAMESPACE_AFTER = timedelta(seconds=60)


def _rule(subject: Ref, snap: Facts) -> Signs:
    of_namespace = subject.kind == "Namespace"
    waits: Sign[Any] = Sign(True) if of_namespace else find_manager_finalizers(subject, snap)
    late: Sign[Any] = is_overdue(subject, snap, _NAMESPACE_AFTER if of_namespace else AFTER)
    down = is_manager_down(snap)
    return Signs(
        applies=all_of([late, waits]),
        # If all writes fail, its Lease is no evidence (apiserver.storage-full).
        decisive={
            "its Lease has not been renewed for a minute, while others are renewed": require_other_writes(
                down, snap
            )
        },
        finding=lambda: _make_finding(subject, snap, down.hits[0], waits.hits),
    )


def _make_finding(subject: Ref, snap: Facts, down: EndedLease, finalizers: tuple[str, ...]) -> Finding:
    lease, span = down.lease, format_duration(snap.now - down.since)
    what = say("clears {finalizers}", finalizers=", ".join(finalizers)) if finalizers else say("empties it")
    notes = (say("its Lease was last held by {holder}", holder=lease.holder),) if lease.holder else ()
    row = next((k for n in finalizers if (k := find_known(n))), None)
    lost = make_text(row.loses) if row else say("its content would be left in etcd without a Namespace")
    return Finding(
        say(
            (
                "kube-controller-manager has not renewed its Lease for {span}, and nothing else {what}: "
                "{subject} is waiting for it"
            ),
            span=span,
            what=what,
            subject=who(subject),
        ),
        culprit=lease.about,
        blocks=(subject, *_list_remaining_contents(subject, snap)),
        notes=notes,
        help=(
            Step(
                say(
                    "start it again on the control plane nodes; its log, or its manifest there, shows why "
                    "it stopped"
                ),
                command=command(
                    "kubectl get pods -n kube-system -l component=kube-controller-manager -o wide"
                ),
                verify=say(
                    "its Lease is renewed every few seconds, and pending work continues automatically"
                ),
            ),
        ),
        do_not=(
            DoNot(
                say("clear finalizers by hand meanwhile"),
                lost,
            ),
        ),
    )


def _list_remaining_contents(subject: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return the objects of a Namespace that are not being deleted: it waits for the same."""
    if subject.kind != "Namespace":
        return ()
    below = [r for f in snap.of(Below, subject) for r in f.refs]
    content = [r for f in snap.of(Contents, subject) for i in f.items for r in i.first]
    return unique(
        snap.canon(r) for r in (*below, *content) if not any(f.requested for f in snap.of(Deletion, r))
    )


CAUSE = Cause(
    id="controller.manager-down",
    title=say("kube-controller-manager is not running"),
    subjects=("*",),
    stages=("finalizers-cleared", "pods-gone", "content-deleted", "content-finalizers-cleared", "gone"),
    reads=frozenset({Deletion, Finalizers, Lease, LastWrite, Presence, Below, Contents}),
    rule=_rule,
)
