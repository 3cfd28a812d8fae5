"""RBAC does not allow a ServiceAccount a request

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

from unstuck.causes._rbac import NO_ADMIN, name_user
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

say = Messages(__name__)

_TOLD = 3
_EVERYWHERE = "at the cluster scope"


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
        finding=lambda: _make_finding(account, said.hits),
    )


def _make_finding(account: Ref, told: tuple[str, ...]) -> Finding:
    # The widest request first: a subject with that right usually has the others.
    first, *more = sorted(told, key=lambda what: not what.endswith(_EVERYWHERE))
    says = say("{account} {what}", account=who(account), what=first)
    for what in more[: _TOLD - 1]:
        says += say(", and {what}", what=what)
    unbound = say(
        "several rights are missing at once: mostly no binding names it, or one names "
        "another account or Namespace"
    )
    return Finding(
        says,
        culprit=account,
        blocks=(),
        notes=(unbound,) if more else (),
        help=(
            Step(
                say("see which bindings name this ServiceAccount, and in which Namespaces"),
                command=command("kubectl get rolebindings,clusterrolebindings -A -o wide"),
            ),
            Step(
                say("see what it may do by now"),
                command=command(
                    "kubectl auth can-i --list --as=system:serviceaccount:{space}:{name} {at}",
                    space=given.bare("namespace", account.within),
                    name=given.bare("serviceaccount", account.name),
                    at=given.namespace(account.within),
                ),
            ),
            Step(
                say(
                    "bind a Role or ClusterRole to it that allows exactly this, or correct the account that "
                    "the binding names"
                ),
                where="source",
                verify=say("the program's next request passes"),
            ),
        ),
        do_not=(NO_ADMIN,),
    )


CAUSE = Cause(
    id="security.request-forbidden",
    title=say("RBAC does not allow a ServiceAccount a request"),
    subjects=("ServiceAccount",),
    reads=frozenset({ForbiddenRequests, LastLines}),
    rule=_rule,
)
