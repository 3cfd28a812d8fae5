"""The program ends because RBAC denies its request

## How it happens

The program makes a request to the API server that its ServiceAccount is not allowed, and gives up: no Role or
ClusterRole is bound to that account, the rule lacks the verb, the resource or its group, it holds in another
Namespace, or the Pod runs as `default` and not as the intended account.

## How to tell

The run ended with an error and was not ended from outside, and its last lines have the API server's own
message: account, verb, resource, Namespace. It is proven if the account in this message is the Pod's own. The
bindings of that Namespace for the account are looked up: one may give a Role that does not exist, which the
API server accepts, name the account of another Namespace, or give a Role whose rule for this resource lacks
the group, the verb or the subresource, or is only for objects of certain names.

## Known limits

A right that was given since is not seen: the next run shows it. For a refusal in one Namespace, the
ClusterRoleBindings count only if they were read anyway. A program that uses another identity than the Pod's
stays likely.

## References

- Kubernetes staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go; documentation
  "Using RBAC Authorization"
"""

from __future__ import annotations

from unstuck.causes._near_rules import Request
from unstuck.causes._rbac import NO_ADMIN, advise_binding, find_account, look_at_grants
from unstuck.causes._rbac import READS as OF_GRANTS
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    find_program_messages,
    make_finding,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(
        pod,
        snap,
        ("forbidden",),
        lambda one: _make_finding(pod, one, snap),
        {"the account in the API server's words is the Pod's own": _own(pod, snap)}
        if pod.kind == "Pod"
        else None,
    )


def _own(pod: Ref, snap: Facts) -> Sign[ProgramMessage]:
    def mine(one: ProgramMessage) -> Sign[ProgramMessage]:
        return some(
            snap, Needs, pod, lambda f: [one] if find_account(one.complaint.name) in _runs_as(pod, f) else []
        )

    hits = find_program_messages(pod, snap, "forbidden").hits
    return any_of([mine(t) for t in hits]) if hits else Sign(None)


def _runs_as(pod: Ref, needs: Needs) -> list[Ref]:
    """Return the Pod's own account: the one in its spec, else `default`, if the whole spec was read."""
    named = [n.object for n in needs.items if n.by == "service-account"]
    return named or ([Ref("ServiceAccount", pod.within, "default")] if needs.whole else [])


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    c = one.complaint
    account = find_account(c.name)
    what = f"{c.resource}.{c.group}" if c.group else c.resource
    who = account.name if account else c.name
    where = (
        say(" in Namespace {namespace}", namespace=c.namespace)
        if c.namespace
        else say(" in the whole cluster")
    )
    means = (
        say("ServiceAccount {who} may not {verb} {what}", who=who, verb=c.verb, what=what)
        if account
        else say("{who} may not {verb} {what}", who=who, verb=c.verb, what=what)
    ) + where
    asked = say("{verb} on {what}", verb=c.verb, what=what)
    step = mend(advise_binding(asked, c.namespace, of_pod=True))
    if account is None:
        role = "Role" if c.namespace else "ClusterRole"
        of_user = say(
            "bind a {role} that allows {asked} to this user or one of its groups, or log in as the intended "
            "user",
            role=role,
            asked=asked,
        )
        return make_finding(pod, one, means, (mend(of_user),), do_not=(NO_ADMIN,))
    grants = look_at_grants(account, c.namespace, asked, snap, Request(c.verb, c.resource, c.group))
    return make_finding(
        pod,
        one,
        means + grants.says,
        grants.steps or (step,),
        do_not=(NO_ADMIN,),
        culprit=grants.role or account,
        enrich=grants.wants,
    )


CAUSE = Cause(
    id="program.forbidden-by-rbac",
    title=say("the program ends because RBAC denies its request"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | OF_GRANTS | {Needs},
    rule=_rule,
)
