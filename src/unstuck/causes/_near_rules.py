"""Compares the rules of roles with a request that RBAC refused: the rule that lacks the least is told, with
what it has and what it would need.

Source: rbac/v1 PolicyRule; documentation "Using RBAC Authorization", "Referring to resources".
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.text import Messages, Text, list_names, who
from unstuck.facts.aspects.grants import RoleRule, Rules
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

_SHOWN = 6


@record()
class Request(Record):
    """A refused request. resource: with its subresource, as `pods/log`. group: "" for the core group."""

    verb: str
    resource: str
    group: str


@record()
class NearRule(Record):
    """A rule that would allow a request but for one field. says: a clause to follow the role's name. change:
    the fix.
    """

    role: Ref
    says: Text
    change: Text


@record()
class _Lack(Record):
    """field: below the role. has: its values there. wants: the one that it would need, "" for none at all."""

    field: str
    has: tuple[str, ...]
    wants: str
    named: bool = False


def find_near_rule(roles: Sequence[Ref], asked: Request, snap: Facts) -> NearRule | None:
    """Return the rule that lacks the least, of those for the resource; None if no rule is for it."""
    rules = [(role, i, r) for role in roles for f in snap.of(Rules, role) for i, r in enumerate(f.items)]
    found = [(len(lacks), role, lacks[0]) for role, i, r in rules if (lacks := _list_lacks(i, r, asked))]
    if not found:
        return None
    _, role, lack = min(found, key=lambda one: one[0])
    return _describe(role, lack, asked)


def _list_lacks(i: int, rule: RoleRule, asked: Request) -> list[_Lack]:
    """Return the fields that do not allow the request, of a rule for this resource, or for the one that its
    subresource belongs to.
    """
    whole = asked.resource.partition("/")[0]
    if not {asked.resource, whole} & set(rule.resources):
        return []
    at, lacks = f"rules[{i}]", list[_Lack]()
    if not {asked.group, "*"} & set(rule.groups):
        lacks.append(_Lack(f"{at}.apiGroups", rule.groups, asked.group))
    if asked.resource not in rule.resources:
        lacks.append(_Lack(f"{at}.resources", rule.resources, asked.resource))
    if not {asked.verb, "*"} & set(rule.verbs):
        lacks.append(_Lack(f"{at}.verbs", rule.verbs, asked.verb))
    if rule.names:
        lacks.append(_Lack(f"{at}.resourceNames", rule.names, "", named=True))
    return lacks


def _describe(role: Ref, lack: _Lack, asked: Request) -> NearRule:
    has, to = list_names([v or '""' for v in lack.has[:_SHOWN]]), who(role)
    if lack.named:
        says = say(
            ", whose rule for {resource} is only for the names {has} ({field}); list and create have none",
            resource=asked.resource,
            has=has,
            field=lack.field,
        )
        change = say(
            "add a rule without resourceNames for {verb} on {resource} to {role}, or let the program ask for "
            "{has} by name",
            verb=asked.verb,
            resource=asked.resource,
            role=to,
            has=has,
        )
        return NearRule(role, says, change)
    wants = lack.wants or '""'
    return NearRule(
        role,
        say(", which has {has} in {field}, and not {wants}", has=has, field=lack.field, wants=wants),
        say("add {wants} to {field} of {role}", wants=wants, field=lack.field, role=to),
    )
