"""Shared parts of the causes of a request that RBAC forbids: the account as the API server knows it, and the
tempting acts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unstuck.causes._near_rules import NearRule, Request, find_near_rule
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Step
from unstuck.facts.aspects.grants import Binding, Bindings, Rules
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

# Source: staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go (`MakeUsername`).
_USER = regex(r"system:serviceaccount:(?P<space>[a-z0-9-]{1,63}):(?P<name>[a-z0-9.-]{1,253})")
READS: frozenset[type[Fact]] = frozenset({Bindings, Presence, Rules})
_MOST = 2
NO_ADMIN = DoNot(
    say("bind cluster-admin to it"),
    say("anyone who breaks into the program then controls the cluster"),
)


def find_account(user: str) -> Ref | None:
    """Return the ServiceAccount of a user's name; None for a user that is none."""
    found = _USER.fullmatch(user)
    return Ref("ServiceAccount", found["space"], found["name"]) if found else None


def name_user(account: Ref) -> str:
    """Return the user's name of a ServiceAccount."""
    return f"system:serviceaccount:{account.within}:{account.name}"


@record()
class Grants(Record):
    """The evidence of the bindings about a refused request. says: depends on the refused request. role: a
    role that a binding gives and that is missing.

    steps: the fix; none if nothing was found. wants: questions that would tell more.
    """

    says: Text = NO_TEXT
    role: Ref | None = None
    steps: tuple[Step, ...] = ()
    wants: tuple[Want, ...] = ()


def advise_binding(what: Text, namespace: str, *, of_pod: bool) -> Text:
    """Return the advice to bind a role. namespace: of the request, "" for the whole cluster, where a Role
    allows nothing. of_pod: whether the account is a Pod's, which may run as another one.
    """
    bind = (
        say("bind a Role of Namespace {namespace} to it that allows {what}", namespace=namespace, what=what)
        if namespace
        else say("bind a ClusterRole to it that allows {what}, with a ClusterRoleBinding", what=what)
    )
    return bind + (
        say(", or run the Pod as the account that was meant (serviceAccountName)")
        if of_pod
        else say(", or correct the account that the binding names")
    )


def look_at_grants(
    account: Ref, namespace: str, what: Text, snap: Facts, asked: Request | None = None
) -> Grants:
    """Compare the bindings with an account's refused request. namespace: of the request, "" for the whole
    cluster.

    what: the verb and the resource, as `get on deployments.apps`. asked: the request, if its words were read;
    the rules of the roles are then compared with it.
    """
    lists = (*((Ref("RoleBindingList", namespace),) if namespace else ()), Ref("ClusterRoleBindingList"))
    given_to = _find_bindings(lists, lambda b: _gives_to(b, account), snap)
    roles = [
        (one, some(snap, Presence, one.role, lambda f: [] if f.exists else [f]))
        for one in given_to.hits[:_MOST]
    ]
    missing = next((one for one, gone in roles if gone.value), None)
    if missing is not None:
        return _of_missing_role(account, missing)
    if roles:
        open_ = tuple(w for _, gone in roles if not gone.seen for w in gone.wants)
        near = find_near_rule([one.role for one, _ in roles], asked, snap) if asked else None
        if near:
            return _of_near_rule(next(one for one, _ in roles if one.role == near.role), near)
        unread = (Want(Rules, one.role) for one, _ in roles if asked and not snap.of(Rules, one.role))
        return _of_role(roles[0][0], what, (*open_, *unread))
    other = _find_bindings(lists, lambda b: _means(b, account), snap)
    return _of_other_account(account, other.hits[0]) if other.hits else Grants(wants=given_to.wants)


def _find_bindings(lists: Sequence[Ref], fits: Callable[[Binding], bool], snap: Facts) -> Sign[Binding]:
    """Return the bindings that fit: those of the first list are asked for, further ones are only looked at
    where they were seen.
    """
    first, *more = [some(snap, Bindings, one, lambda f: [b for b in f.items if fits(b)]) for one in lists]
    return next((sign for sign in (first, *more) if sign.value), first)


def _gives_to(one: Binding, account: Ref) -> bool:
    return (
        account in one.accounts
        or name_user(account) in one.others
        or f"system:serviceaccounts:{account.within}" in one.others
    )


def _means(one: Binding, account: Ref) -> bool:
    """Tell whether it names an account of this name of another Namespace. Every Namespace has its own
    `default`.
    """
    return account.name != "default" and any(a.name == account.name for a in one.accounts)


def _of_missing_role(account: Ref, one: Binding) -> Grants:
    kind, role, binding = one.role.kind, one.role.name, one.binding
    says = say(
        "; {kind} {binding} gives it {role_kind} {role}, which does not exist",
        kind=binding.kind,
        binding=binding.name,
        role_kind=kind,
        role=role,
    )
    look = Step(
        say("see which there are"),
        command=command("kubectl get {type} {space}", type=given.kind_of(kind), space=given.space(one.role)),
    )
    mend = Step(
        say(
            (
                "create {role_kind} {role}, or delete {kind} {binding} and create it with one that exists: "
                "its roleRef cannot be changed"
            ),
            role_kind=kind,
            role=role,
            kind=binding.kind,
            binding=binding.name,
        ),
        where="source",
        verify=say("ServiceAccount {account} is allowed it at once", account=account.name),
    )
    return Grants(says, one.role, (mend, look))


def _of_role(one: Binding, what: Text, wants: tuple[Want, ...]) -> Grants:
    kind, role, binding = one.role.kind, one.role.name, one.binding
    allow = say(
        "allow {what} in {role_kind} {role}, which {kind} {binding} gives it",
        what=what,
        role_kind=kind,
        role=role,
        kind=binding.kind,
        binding=binding.name,
    )
    if kind == "ClusterRole":
        # Its controller overwrites an aggregated role: documentation "Using RBAC Authorization", "Aggregated
        # ClusterRoles".
        allow += say("; where it has an aggregationRule, in a ClusterRole with the labels that this selects")
    mend = Step(
        allow,
        where="source",
        verify=say("the next run gets past this line"),
    )
    return Grants(steps=(mend,), wants=wants)


def _of_near_rule(one: Binding, near: NearRule) -> Grants:
    kind, binding = one.binding.kind, one.binding.name
    gives = say("; {kind} {binding} gives it {role}", kind=kind, binding=binding, role=who(near.role))
    verify = say("the next run gets past this line")
    return Grants(gives + near.says, steps=(Step(near.change, where="source", verify=verify),))


def _of_other_account(account: Ref, one: Binding) -> Grants:
    other = next(a for a in one.accounts if a.name == account.name)
    says = say(
        "; {kind} {binding} names the ServiceAccount of this name of Namespace {other}, and not of {own}",
        kind=one.binding.kind,
        binding=one.binding.name,
        other=other.within,
        own=account.within,
    )
    mend = Step(
        say(
            (
                "if it was meant for this account, correct the Namespace of the subject in {kind} "
                "{binding}: {own}"
            ),
            kind=one.binding.kind,
            binding=one.binding.name,
            own=account.within,
        ),
        where="source",
        verify=say("ServiceAccount {account} is allowed it at once", account=account.name),
    )
    return Grants(says, steps=(mend,))
