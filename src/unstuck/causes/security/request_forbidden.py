"""RBAC denies a request of a ServiceAccount

## How it happens

A controller, an agent or a pipeline makes a request to the API server that its ServiceAccount is not allowed:
no Role or ClusterRole is bound to the account, a binding names another account or another Namespace, the rule
lacks the verb, the resource or its API group (a chart that was upgraded and whose ClusterRole was not), or it
holds in one Namespace while the request is for all of them.

## How to tell

The API server's own message is in the program's log or in the output of a command: account, verb, resource,
and Namespace. A text without any other fault makes it likely. If the Pod that ended by it is known,
program.forbidden-by-rbac reports it.

## Known limits

A later grant is not seen: the command below shows it. Whether the program continues without this right is not
seen either.

## References

- staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go; documentation "Using RBAC
  Authorization"
"""

from __future__ import annotations

from re import Match

from unstuck.causes._near_rules import Request
from unstuck.causes._rbac import NO_ADMIN, advise_binding, look_at_grants, name_user
from unstuck.causes._rbac import READS as OF_GRANTS
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.aspects.refusals import ForbiddenRequests
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_TOLD = 3
_EVERYWHERE = "at the cluster scope"
# Source: `forbiddenMessage`; before 1.14 the API group stood elsewhere.
_REQUEST = regex(
    r"cannot (?P<verb>\w{1,30}) resource \"(?P<resource>[\w./-]{1,253})\""
    r"(?: in API group \"(?P<group>[\w.-]{0,253})\")?"
    r"(?: in the namespace \"(?P<namespace>[a-z0-9-]{1,63})\")?"
)


def _rule(account: Ref, snap: Facts) -> Signs:
    user = name_user(account)
    # The Pod whose program ended for it reports it.
    ended = tuple(
        f
        for f in snap.every(LastLines)
        if f.complaint and f.complaint.error == "forbidden" and f.complaint.name == user
    )
    said = hearsay(snap, ForbiddenRequests, account, lambda f: f.items)
    return Signs(
        applies=Sign(False, seen=ended) if ended else Sign(True),
        decisive={},
        supporting={"the API server says what it may not": said},
        finding=lambda: _make_finding(account, said.hits, snap),
    )


def _make_finding(account: Ref, told: tuple[str, ...], snap: Facts) -> Finding:
    # The widest request first: a subject with that right usually has the others.
    first, *more = sorted(told, key=lambda what: not what.endswith(_EVERYWHERE))
    says = say("{account} {what}", account=who(account), what=first)
    for other in more[: _TOLD - 1]:
        says += say(", and {what}", what=other)
    asked = _REQUEST.match(first)
    what = (
        say("{verb} on {resource}", verb=asked["verb"], resource=_name_resource(asked))
        if asked
        else say("exactly this")
    )
    within = (asked["namespace"] or "") if asked else ""
    request = Request(asked["verb"], asked["resource"], asked["group"] or "") if asked else None
    grants = look_at_grants(account, within, what, snap, request)
    bind = Step(
        advise_binding(what, within, of_pod=False),
        where="source",
        verify=say("the program's next request passes"),
    )
    unbound = say(
        "several rights are missing at once: usually no binding names it, or a binding names another "
        "account or Namespace"
    )
    return Finding(
        says + grants.says,
        culprit=grants.role or account,
        blocks=(),
        notes=(unbound,) if more and not grants.steps else (),
        help=(
            Step(
                say("see which bindings name this ServiceAccount, and in which Namespaces"),
                command=command("kubectl get rolebindings,clusterrolebindings -A -o wide"),
            ),
            Step(
                say("check what it may do by now"),
                command=command(
                    "kubectl auth can-i --list --as=system:serviceaccount:{space}:{name} {at}",
                    space=given.bare("namespace", account.within),
                    name=given.bare("serviceaccount", account.name),
                    at=given.namespace(account.within),
                ),
            ),
            *(grants.steps or (bind,)),
        ),
        do_not=(NO_ADMIN,),
    )


def _name_resource(asked: Match[str]) -> str:
    return f"{asked['resource']}.{asked['group']}" if asked["group"] else asked["resource"]


CAUSE = Cause(
    id="security.request-forbidden",
    title=say("RBAC denies a request of a ServiceAccount"),
    subjects=("ServiceAccount",),
    reads=OF_GRANTS | {ForbiddenRequests, LastLines},
    rule=_rule,
)
