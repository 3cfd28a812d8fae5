"""A ResourceQuota requires requests or limits that the Pods' containers do not set

## How it happens

A quota that limits `requests.cpu`, `limits.memory` and the like can only count Pods whose every container
names that amount. A template that leaves one out is refused, however much of the quota is free. A LimitRange
with defaults would fill it in; the Namespace has none for it.

## How to tell

No Pod exists; the refusal is in the Events of its ReplicaSet, StatefulSet, DaemonSet or Job, and as the
condition ReplicaFailure: `failed quota: NAME: must specify limits.memory for: CONTAINER; requests.cpu for:
CONTAINER`. It is proven if the quota, read now, still limits one of these.

## Known limits

Up to 1.23 the containers are not named. Whether the template was changed since the last try is not looked at:
the next refusal would show it.

## References

- Kubernetes documentation: Resource Quotas, Limit Ranges
- pkg/quota/v1/evaluator/core/pods.go (`Constraints`)
"""

from __future__ import annotations

from unstuck.causes.admission._creation import (
    CREATORS,
    READS,
    RETRIES,
    STAGES,
    find_pod_refusals,
    keep_unless_gone,
    make_finding,
    make_signs,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.limits import Quota
from unstuck.facts.aspects.objects import Failure, Presence
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_NAMED = regex(r"(?:requests|limits)\.[\w./-]{1,100}|\b(?:cpu|memory|ephemeral-storage)\b(?! for)")


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = find_pod_refusals(subject, snap, "quota-needs-requests")
    demands: Sign[str] = (
        any_of([_find_limited_resources(f, snap) for f in said.hits]) if said.hits else Sign(None)
    )
    return make_signs(
        subject,
        snap,
        said,
        {"the quota limits it now": demands},
        lambda: _make_finding(subject, snap, said.hits[0]),
    )


def _find_limited_resources(failure: Failure, snap: Facts) -> Sign[str]:
    if failure.object is None:
        return Sign(None)
    named = _list_resources(failure)
    limited = some(snap, Quota, failure.object, lambda f: [r for r, _ in f.hard if r in named])
    return keep_unless_gone(limited, failure.object, snap)


def _list_resources(failure: Failure) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_NAMED.findall(failure.key or "")))


def _make_finding(subject: Ref, snap: Facts, failure: Failure) -> Finding:
    quota, named = failure.object or Ref("ResourceQuota", subject.within), ", ".join(_list_resources(failure))
    return make_finding(
        subject,
        snap,
        say(
            "{quota} requires {named} on every container, and its Pods do not set it",
            quota=who(quota),
            named=named,
        ),
        quota,
        notes=(say("the server: must specify {key}", key=failure.key),),
        help=(
            Step(
                say("set {named} on the template's containers", named=named), where="source", verify=RETRIES
            ),
            Step(
                say(
                    "or have a LimitRange provide defaults in this Namespace; they apply to every Pod "
                    "created there from then on"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("set tiny amounts just to satisfy the quota"),
                say(
                    "a limit below what the process needs gets it killed, and a request below its usage "
                    "overcommits the node"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="admission.quota-needs-requests",
    title=say("a ResourceQuota requires requests or limits that the Pods do not set"),
    subjects=CREATORS,
    stages=STAGES,
    reads=READS | {Quota, Presence},
    rule=_rule,
)
