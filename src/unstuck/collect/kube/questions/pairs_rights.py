"""Counterparts of rights: the accounts and rules of bindings, and the accounts in a mesh's policies.

Sources: rbac/v1 of Kubernetes 1.34; istio security v1 AuthorizationPolicy (Source.principals).
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.kube.questions.pairs_effects import read_choices
from unstuck.collect.kube.questions.pairs_tools import list_names, read_one
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.targets import walk
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.record import replace
from unstuck.facts.regex import regex

_MOST, _SHOWN = 12, 4
_ACCOUNT = "ServiceAccount"
# A plural, or a capital, makes it a user that nobody is.
_USER = regex(r"(?i:system:serviceaccounts?):(?P<space>[a-z0-9-]{1,63}):(?P<name>[a-z0-9.-]{1,253})")
_PRINCIPAL = regex(r"[^*/]+/ns/(?P<space>[a-z0-9-]{1,63})/sa/(?P<name>[a-z0-9.-]{1,253})")


def read_subjects(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the accounts of a binding with those of their Namespaces, and a role that has no rule."""
    rows = [
        (at, doc.text(row, "namespace") or about.within or "", doc.text(row, "name"))
        for at, row in walk(obj, "subjects[]")
        if doc.text(row, "kind") == _ACCOUNT
    ]
    # A single one is read as a reference.
    yield from _compare_accounts(session, about, rows[:_MOST] if len(rows) > 1 else [])
    yield from _compare_users(session, about, obj)
    given = doc.section(obj, "roleRef")
    kind = doc.text(given, "kind")
    role = Ref(kind, about.within if kind == "Role" else None, doc.text(given, "name"))
    found = read_one(session, role) if kind in ("Role", "ClusterRole") else None
    if found is not None:
        rules = doc.rows(found, "rules")
        yield Counterpart(
            "role-rules", role, "rules", "some" if rules else "none", about.kind, (about,), "roleRef", ()
        )


def _compare_users(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the users of a binding that are written as accounts, with the accounts as the API server knows
    them (apiserver/pkg/authentication/serviceaccount).
    """
    for at, row in [*walk(obj, "subjects[]")][:_MOST]:
        user = _USER.fullmatch(doc.text(row, "name")) if doc.text(row, "kind") == "User" else None
        there = list_names(session, _ACCOUNT, user["space"]) if user else None
        if user is None or there is None:
            continue
        near = (
            (user["name"],) if user["name"] in there else pick_nearest(user["name"], there) or there[:_SHOWN]
        )
        shown = tuple(f"system:serviceaccount:{user['space']}:{one}" for one in near)
        yield Counterpart("named", about, f"{at}.name", user[0], _ACCOUNT, (), "user name", shown)


def read_principals(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield what a policy of a mesh selects, and the accounts that it names with those that are there."""
    yield from read_choices(session, about, obj)
    rows = [
        (f"{at}.principals[{i}]", m["space"], m["name"])
        for at, row in walk(obj, "spec.rules[].from[].source")
        for i, text in enumerate(doc.strings(row, "principals"))
        if (m := _PRINCIPAL.fullmatch(text))
    ]
    for one in _compare_accounts(session, about, rows[:_MOST]):
        # Accounts of another cluster of the mesh may be meant.
        yield replace(one, relation="principal")


def _compare_accounts(
    session: Session, about: Ref, rows: list[tuple[str, str, str]]
) -> Iterator[Counterpart]:
    """Yield each account with those of its Namespace. rows: the fields, Namespaces and names."""
    lists = {space: list_names(session, _ACCOUNT, space) for _, space, _ in rows if space}
    some = any(name in (lists.get(space) or ()) for _, space, name in rows)
    for at, space, name in rows:
        there = lists.get(space)
        if there is None:
            continue
        near = (name,) if name in there else pick_nearest(name, there) or there[:_SHOWN]
        shown = tuple(f"{space}/{one}" for one in near)
        relation = "named-too" if some else "named"
        yield Counterpart(relation, about, at, f"{space}/{name}", _ACCOUNT, (), "metadata.name", shown)
