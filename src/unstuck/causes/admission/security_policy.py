"""No security policy available to the Pods allows them

## How it happens

The cluster admits a Pod only by a policy that its service account, or its creator, may use: a
SecurityContextConstraints (OpenShift) or a PodSecurityPolicy (Kubernetes up to 1.24). The template violates
all of them: a fixed user or group outside the Namespace's range, privileges, host paths, a capability. Or the
service account may use no policy at all, as after an installation without its ClusterRole, or in the first
minutes of a cluster that has the check and no policy yet.

## How to tell

No Pod exists; the refusal is in the Events of its ReplicaSet, StatefulSet, DaemonSet or Job, and as the
condition ReplicaFailure: `unable to validate against any security context constraint: […]`, `unable to
validate against any pod security policy: […]`, `PodSecurityPolicy: unable to admit pod: […]` or `no providers
available to validate pod request`. The brackets hold the objections of each usable policy against the Pod;
empty brackets, or `not usable by user or serviceaccount` alone, mean that none may be used.

## Known limits

The policies and their users are not read: the answer is `likely` at most. A Pod created directly is refused
with the same message and leaves no object. A refusal by a Namespace's Pod Security level is another cause:
admission.pod-security.

## References

- OpenShift documentation: Managing security context constraints; openshift/apiserver-library-go
  pkg/securitycontextconstraints/sccadmission
- plugin/pkg/admission/security/podsecuritypolicy/admission.go (1.3–1.24)
"""

from __future__ import annotations

from unstuck.causes.admission._creation import (
    CREATORS,
    READS,
    RETRIES,
    STAGES,
    find_pod_refusals,
    make_finding,
    make_signs,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

_SCC, _PSP = "SecurityContextConstraints", "PodSecurityPolicy"
_MAX_TOLD = 6
# One error of a list: `provider NAME: FIELD: KIND: why`; older servers part them with a blank and name no
# provider.
_EACH = regex(
    r"(?:^|[\[,] ?| )(?:(?:provider|PodSecurityPolicy) \"?(?P<by>[\w.-]{1,253})\"?: )?"
    r"(?P<what>\.?(?:spec|metadata|containers|initContainers|securityContext|fsGroup|supplementalGroups"
    r"|capabilities)[\w.\[\]-]{0,200}"
    r"(?:: |\.)(?:[\w. -]{1,60}: )?(?:Invalid value|Forbidden|Required value|Unsupported value): .{1,400}?)"
    r"(?=,? (?:provider \"?[\w.-]{1,253}\"?: |\.?(?:spec|containers|initContainers|fsGroup)[.\[:])|, no "
    r"access to |\]?$)"
)
_UNUSABLE = regex(r"provider \"(?P<by>[\w.-]{1,253})\": Forbidden: not usable by user or serviceaccount")


@record()
class _ToldRefusal(Record):
    """policy: the kind of policy. against: the usable policies' objections to the Pods. unusable: the others,
    by name.
    """

    policy: str
    against: tuple[str, ...]
    unusable: tuple[str, ...]


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = find_pod_refusals(subject, snap, "security-policy")
    return make_signs(subject, snap, said, {}, lambda: _make_finding(subject, snap, said.hits[0]))


def _parse_refusal(failure: Failure) -> _ToldRefusal:
    words = failure.key or ""
    policy = _SCC if "security context constraint" in words else _PSP
    against = tuple(dict.fromkeys(m["what"].removeprefix(".") for m in _EACH.finditer(words)))
    return _ToldRefusal(policy, against, tuple(dict.fromkeys(_UNUSABLE.findall(words))))


def _make_finding(subject: Ref, snap: Facts, failure: Failure) -> Finding:
    told = _parse_refusal(failure)
    says = say("No {policy} that its Pods may use allows them", policy=told.policy)
    if not told.against:
        says = say("Its Pods may not use any {policy}, so they are rejected", policy=told.policy)
    fields = Step(
        say(
            "fix in the template what the server objects to; a user or group that is not set is filled in "
            "if the policy has a range"
        ),
        where="source",
        verify=RETRIES,
    )
    look = Step(
        say("list each {policy} and its permissions", policy=told.policy),
        command=command("kubectl get securitycontextconstraints")
        if told.policy == _SCC
        else command("kubectl get podsecuritypolicies"),
    )
    grant = Step(
        say(
            "or grant only the Pods' own service account the use of a {policy} that allows it (a Role with "
            "the verb use, and its RoleBinding), if the cluster's owner agrees",
            policy=told.policy,
        ),
        where="source",
        verify=RETRIES,
    )
    return make_finding(
        subject,
        snap,
        says,
        subject,
        notes=_list_notes(told),
        help=(*((fields,) if told.against else ()), look, grant),
        do_not=(
            DoNot(
                say("grant every service account, or the default one, the privileged policy"),
                say("any Pod there could then take over its node"),
            ),
        ),
    )


def _list_notes(told: _ToldRefusal) -> tuple[Text, ...]:
    notes = [same_in_both(what) for what in told.against[:_MAX_TOLD]]
    if told.unusable:
        listed = ", ".join(told.unusable[:_MAX_TOLD])
        more = say(" and more") if len(told.unusable) > _MAX_TOLD else NO_TEXT
        notes.append(say("it may not use {listed}{more}", listed=listed, more=more))
    return tuple(notes)


CAUSE = Cause(
    id="admission.security-policy",
    title=say("no security policy available to the Pods allows them"),
    subjects=CREATORS,
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
