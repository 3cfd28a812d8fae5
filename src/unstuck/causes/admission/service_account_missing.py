"""The ServiceAccount that the Pods name does not exist

## How it happens

The template names a ServiceAccount that was never created in this Namespace, was removed, or is spelled
otherwise. The API server looks it up before it accepts a Pod, and refuses. In a Namespace made a moment ago
`default` itself may be missing until its controller has made it.

## How to tell

No Pod exists; the refusal is in the Events of its ReplicaSet, StatefulSet, DaemonSet or Job, and as the
condition ReplicaFailure: `error looking up service account NS/NAME: serviceaccount "NAME" not found`. The
server's own answer to a GET of it decides.

## Known limits

A Pod that was created while the ServiceAccount was still there, and lost it since, fails in another way (its
token cannot be created), and is not reported here.

## References

- Kubernetes documentation: Configure Service Accounts for Pods
- plugin/pkg/admission/serviceaccount/admission.go
"""

from __future__ import annotations

from unstuck.causes.admission._creation import CREATORS, STAGES
from unstuck.causes.admission._named import NAMED, make_missing_object_signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_DO_NOT = DoNot(
    say("remove serviceAccountName from the template as a workaround"),
    say(
        "the Pods would run as `default`, without their permissions, and fail later with less obvious errors"
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return make_missing_object_signs(subject, snap, "ServiceAccount", _DO_NOT)


CAUSE = Cause(
    id="admission.service-account-missing",
    title=say("the Pods' ServiceAccount does not exist"),
    subjects=CREATORS,
    stages=STAGES,
    reads=NAMED,
    rule=_rule,
)
