"""A Lease is held by a Pod that no longer exists

## How it happens

Programs with only one active instance (controllers, operators, schedulers) acquire a Lease and renew it every
few seconds. Its holder was killed or drained without releasing it. The others wait until it runs out: usually
15 seconds, and hours with a long `leaseDurationSeconds`. Until then they run idle, and usually report that
they are not ready.

## How to tell

The Lease names a Pod as its holder that the server does not have, was not renewed for half a minute, and its
duration is not over. A waiting program's last line is `attempting to acquire leader lease NAMESPACE/NAME...`.

## Known limits

Only a holder with the name of a Deployment's Pod is looked up, in the Namespace of the Lease. An idle holder
is not seen here; nor are locks that are kept in a ConfigMap or in Endpoints.

## References

- Kubernetes staging/src/k8s.io/client-go/tools/leaderelection; coordination/v1 LeaseSpec
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, format_duration
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Deletion, Presence
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.lease import KeptLease, find_kept_lease
from unstuck.stages.overdue import stays

say = Messages(__name__)


def _rule(lease: Ref, snap: Facts) -> Signs:
    found = find_kept_lease(lease, snap)
    return Signs(
        applies=stays(lease, snap),
        decisive={"its holder is a Pod that does not exist, and it is neither renewed nor over": found},
        finding=lambda: _make_finding(lease, found.hits[0], snap),
    )


def _make_finding(lease: Ref, one: KeptLease, snap: Facts) -> Finding:
    left = format_duration(one.until - snap.now)
    return Finding(
        say(
            (
                "Lease {lease} is held by Pod {pod}, which no longer exists, and no other Pod can take it "
                "for another {left}"
            ),
            lease=lease.name,
            pod=one.holder.name,
            left=left,
        ),
        culprit=lease,
        blocks=(),
        notes=(say("Pods that wait for the lease run without doing their work"),),
        help=(
            Step(
                say(
                    "be sure that no such program runs elsewhere (what two write at once may be lost), then "
                    "delete the Lease"
                ),
                command=command(
                    "kubectl delete {lease} {space}", lease=given.of(lease), space=given.space(lease)
                ),
                risk="disrupts",
                verify=say("a waiting program recreates it within seconds, and becomes ready"),
            ),
            Step(
                say("set a short leaseDurationSeconds in the program's settings (15 s is usual)"),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("restart the Pods that wait for it"),
                say("they find the same Lease again, and wait for it as long"),
            ),
        ),
    )


CAUSE = Cause(
    id="controller.lease-holder-gone",
    title=say("a Lease is held by a Pod that no longer exists"),
    subjects=("Lease",),
    reads=frozenset({Lease, Presence, Deletion}),
    rule=_rule,
)
