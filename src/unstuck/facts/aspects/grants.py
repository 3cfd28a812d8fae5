"""The roles of an account, their rules, and the bindings that grant them."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Binding(Record):
    """A RoleBinding or ClusterRoleBinding. accounts: the ServiceAccounts among its subjects. others: names
    of its users and groups.
    """

    binding: Ref
    role: Ref
    accounts: tuple[Ref, ...] = ()
    others: tuple[str, ...] = ()


@record(kw_only=True)
class Bindings(Fact):
    """The bindings of a Namespace, or of the cluster: `Ref("RoleBindingList", NAMESPACE)`,
    `Ref("ClusterRoleBindingList")`.
    """

    items: tuple[Binding, ...]
    ask: ClassVar[str] = "kubectl get {type} {space} -o wide"


@record()
class RoleRule(Record):
    """One rule of a Role: verbs on resources of groups. names: the only objects that it is for; none for all.
    Of rules for paths (`nonResourceURLs`) all are empty but the verbs.
    """

    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@record(kw_only=True)
class Rules(Fact):
    """The rules of a Role or ClusterRole. whole: it has no aggregationRule, whose rules its controller
    writes.
    """

    items: tuple[RoleRule, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"
