"""A node that an autoscaler could add would not fit the Pod

## How it happens

For a Pod that no node fits, cluster-autoscaler and Karpenter try it on a node that they could add. The new
node would not fit either: its machine is too small, it has a taint that the Pod does not tolerate, or it
lacks the labels, zone or architecture that the Pod requires. So none is added.

## How to tell

cluster-autoscaler: `Pod … can't be scheduled on GROUP, predicate checking error: …`. Karpenter:
`incompatible with nodepool "…", …`.

## Known limits

Each group has its own reason, and only that of the Pod's intended group matters: the message does not tell
which group that is. A group at its limit is another cause (program.limit-reached).

## References

- kubernetes/autoscaler cluster-autoscaler/FAQ.md; Karpenter documentation: Troubleshooting
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_TAINT = regex(r"taint")
_ROOM = regex(r"Insufficient|resources|Too many pods")


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "group-unfit", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    pod = Ref("Pod", c.namespace or None, c.name) if c.name else one.of or Ref("Pod")
    means = say(
        "a new node of group {group} would not fit Pod {pod}, so none is added for it: {reason}",
        group=c.group,
        pod=f"{pod.within}/{pod.name}" if pod.within else pod.name or "POD",
        reason=c.reason.rstrip(" ."),
    )
    look = Step(
        say("see its requests, nodeSelector, affinity and tolerations, and what the scheduler says"),
        command=command("kubectl describe {pod} {space}", pod=given.of(pod), space=given.space(pod)),
    )
    return make_finding(text, one, means, (look, mend(_remedy(c.reason))))


def _remedy(reason: str) -> Text:
    """Return the change that fits the reason of this group."""
    if _TAINT.search(reason):
        return say(
            "if the Pod belongs on this group: let it tolerate that taint; else give it a group without one"
        )
    if _ROOM.search(reason):
        return say(
            "lower the Pod's requests, or give the group a larger type of machine: the system and the "
            "DaemonSets' Pods already use a part of each node"
        )
    return say(
        "let the Pod's nodeSelector, affinity and topology spread require what the group's nodes have, or "
        "give the group these labels, zones or architectures"
    )


CAUSE = Cause(
    id="program.node-group-unfit",
    title=say("a node that an autoscaler could add would not fit the Pod"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
