"""Finds the workloads that may write the status of a type, by their accounts' rights: a controller's name
may have nothing of its type's.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.grants import read_binding
from unstuck.collect.objects.kinds import Kind
from unstuck.collect.objects.segments import field_requirement
from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.core import Ref

_MOST, _ACCOUNTS = 4, 3
_WRITES = frozenset({"update", "patch"})
# Roles of persons (documentation "User-facing roles"), and of Kubernetes' own parts.
_PERSONS = "rbac.authorization.k8s.io/aggregate-to-"
_SYSTEM = "system:"
_KINDS = ("Deployment", "StatefulSet", "DaemonSet")


def find_status_writers(session: Session, kind: Kind) -> tuple[Candidate, ...]:
    """Return the workloads whose account may write the status of this type by a ClusterRole that names its
    group.
    """
    roles = session.listing(kind_named("ClusterRole"), None, most=_MOST)
    names = {
        doc.text(role, "metadata", "name")
        for role in (roles.items if roles.read.reply.ok else ())
        if _lets_write(role, kind)
    }
    if not names:
        return ()
    kinds = [kind_named(name) for name in ("ClusterRoleBinding", "RoleBinding")]
    lists = run_each(lambda one: session.listing(one, None, most=_MOST), kinds)
    found = (b for one in lists if one.read.reply.ok for i in one.items if (b := read_binding(i)))
    bound = {
        account: binding.role.name or ""
        for binding in found
        if binding.role.kind == "ClusterRole" and binding.role.name in names
        for account in binding.accounts
    }
    accounts = sorted(bound.items(), key=lambda one: one[0].key)[:_ACCOUNTS]
    return tuple(dict.fromkeys(c for account, role in accounts for c in _list_users(session, account, role)))


def _lets_write(role: doc.Doc, kind: Kind) -> bool:
    meta = doc.section(role, "metadata")
    if doc.text(meta, "name").startswith(_SYSTEM) or any(
        key.startswith(_PERSONS) for key, _ in doc.pairs(meta, "labels")
    ):
        return False
    return any(_rule_lets_write(rule, kind) for rule in doc.rows(role, "rules"))


def _rule_lets_write(rule: doc.Doc, kind: Kind) -> bool:
    resources, verbs = set(doc.strings(rule, "resources")), set(doc.strings(rule, "verbs"))
    return (
        kind.group in doc.strings(rule, "apiGroups")
        and bool(resources & {kind.plural, f"{kind.plural}/status", "*", "*/*", "*/status"})
        and bool(verbs & (_WRITES | {"*"}))
    )


def _list_users(session: Session, account: Ref, role: str) -> Iterator[Candidate]:
    """Yield the workloads whose Pods run as this account."""
    selector = {"fieldSelector": field_requirement("spec.serviceAccountName", account.name or "")}
    pods = session.listing(kind_named("Pod"), account.within, selector, most=1)
    for pod in pods.items if pods.read.reply.ok else ():
        if owner := _find_workload(pod, account.within):
            yield Candidate(owner, f"its account may write this type's status (ClusterRole {role})")


def _find_workload(pod: doc.Doc, namespace: str | None) -> Ref | None:
    rows = [r for r in doc.rows(pod, "metadata", "ownerReferences") if r.get("controller")]
    kind, name = (doc.text(rows[0], "kind"), doc.text(rows[0], "name")) if rows else ("", "")
    if kind == "ReplicaSet":
        # A Deployment's ReplicaSet ends in the label of its revision.
        made = doc.text(pod, "metadata", "labels", "pod-template-hash")
        return Ref("Deployment", namespace, name.removesuffix(f"-{made}")) if made else None
    return Ref(kind, namespace, name) if kind in _KINDS else None
