"""The role bindings of accounts."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.facts.aspects.grants import Binding, Bindings
from unstuck.facts.core import Fact, Ref, Want

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


def read_binding(item: doc.Doc) -> Binding | None:
    """Return a binding's role and subjects; None for one without a role."""
    ref, role = ref_of(item), doc.section(item, "roleRef")
    kind, name = doc.text(role, "kind"), doc.text(role, "name")
    if ref is None or not name or kind not in ("Role", "ClusterRole"):
        return None
    subjects = doc.rows(item, "subjects")
    accounts = tuple(
        Ref("ServiceAccount", doc.text(s, "namespace") or ref.within, doc.text(s, "name"))
        for s in subjects
        if doc.text(s, "kind") == "ServiceAccount"
    )
    others = tuple(doc.text(s, "name") for s in subjects if doc.text(s, "kind") in ("User", "Group"))
    return Binding(ref, Ref(kind, ref.within if kind == "Role" else None, name), accounts, others)
