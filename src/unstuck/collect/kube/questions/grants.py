"""The role bindings of accounts."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects.grants import read_binding
from unstuck.facts.aspects.grants import Bindings
from unstuck.facts.core import Fact, Want

_LISTS = ("RoleBindingList", "ClusterRoleBindingList")


def read_bindings(session: Session, want: Want) -> list[Fact]:
    """Return the bindings of a Namespace, or of the whole cluster."""
    if want.about.kind not in _LISTS:
        return [make_unanswered(want, "not-offered", f"{want.about.kind} is no list of bindings")]
    kind = kind_named(want.about.kind.removesuffix("List"))
    if kind.namespaced and not want.about.within:
        return [make_unanswered(want, "not-asked", "the Namespace is not known")]
    found = session.listing(kind, want.about.within)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    items = tuple(b for item in found.items if (b := read_binding(item)))
    return [
        Bindings(
            about=want.about, src=found.read.src(f"{len(items)} bindings"), items=items, whole=found.whole
        )
    ]
