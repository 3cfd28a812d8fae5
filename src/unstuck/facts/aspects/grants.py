"""The roles of an account, and the bindings that grant them."""

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
