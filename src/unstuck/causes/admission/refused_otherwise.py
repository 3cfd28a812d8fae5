"""The API server refuses to create the Pods, for a reason of its own

## How it happens

Each request to create a Pod passes validation and every admission plugin that the server runs. One of them
refuses it with a message that no more specific cause here covers: a RuntimeClass whose scheduling contradicts
the Pod's, a plugin of one platform, a field that validation does not accept. The controller tries the same
again, with longer and longer breaks.

## How to tell

The last refusal in the controller's Events, or in its condition ReplicaFailure, is quoted. If a more specific
cause covers the message, that cause is reported instead.

## Known limits

The words are quoted, not understood: which side is to be changed is the reader's decision. A refusal that has
not been repeated for more than twenty minutes may be over. Only the words of a refusal count (`is forbidden`,
`is invalid`, `denied the request`): a server that fails has refused nothing.

## References

- k8s.io/apiserver pkg/admission; kubernetes pkg/controller/controller_utils.go (FailedCreatePodReason)
"""

from __future__ import annotations

from unstuck.causes.admission._creation import CREATORS, READS, RETRIES, STAGES, lacks_pods, make_finding
from unstuck.diagnosis import asking
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, shorten
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.stages.workload_state import find_refused_creations

say = Messages(__name__)
_QUOTED = 600
# The controllers' prefixes of the server's message (pkg/controller/controller_utils.go, statefulset, daemon).
_BEFORE = regex(r"^(?:Error creating: |create (?:Pod|Claim) .{1,400}? (?:failed error|error): )")

# apimachinery pkg/api/errors (NewForbidden, NewInvalid), apiserver pkg/admission/plugin/webhook/errors.
_REFUSES = regex(r"\b(?:forbidden|invalid): |\bdenied the request\b")


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = _find_other_refusals(subject, snap)
    return Signs(
        applies=lacks_pods(subject, snap),
        necessary={"the server refuses its Pods in other words": said},
        decisive={},
        supporting={"the words are the server's": said},
        finding=lambda: _make_finding(subject, said.hits[-1], snap),
    )


def _find_other_refusals(subject: Ref, snap: Facts) -> Sign[Failure]:
    """Find the last refusals if no pattern matches their message."""
    refused = [
        f for workload in snap.of(Workload, subject) for f in find_refused_creations(subject, snap, workload)
    ]
    if not refused:
        return Sign(False, seen=snap.of(Workload, subject)) if snap.of(Workload, subject) else Sign(None)
    last = sorted(refused, key=lambda f: f.src.order)[-1]
    if last.error != "other":
        return Sign(False, seen=(last,))
    if not _REFUSES.search(last.message):
        # A server that was not reached, or that failed itself, has refused nothing.
        return Sign(None)
    return Sign(True, (last,), (last,), sure=snap.sure(last))


def _make_finding(subject: Ref, said: Failure, snap: Facts) -> Finding:
    words = shorten(" ".join(_BEFORE.sub("", said.message).split()), _QUOTED)
    return make_finding(
        subject,
        snap,
        say("the API server refuses the Pods of {subject}: {words}", subject=who(subject), words=words),
        subject,
        help=(
            Step(
                say("see the fields that these words name, in its Pod template"),
                command=asking.get_as_yaml(subject),
            ),
            Step(
                say(
                    "make the two sides that the message contrasts agree: change the template, or the other "
                    "object that it names"
                ),
                where="source",
                verify=RETRIES,
            ),
        ),
    )


CAUSE = Cause(
    id="admission.refused-otherwise",
    title=say("the API server refuses the Pods for another reason"),
    subjects=CREATORS,
    stages=STAGES,
    reads=READS,
    rule=_rule,
    fallback=True,
)
