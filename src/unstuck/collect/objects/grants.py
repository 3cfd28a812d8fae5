"""The objects that bind roles to accounts."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.kinds import ref_of
from unstuck.facts.aspects.grants import Binding, Bindings
from unstuck.facts.core import Fact, Ref


def binding_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield a binding as one of the list that it belongs to; the others stay unknown."""
    if one := read_binding(seen.obj):
        quote = f"{one.binding.kind} {one.binding.name} gives {one.role.kind} {one.role.name}"
        about = Ref(f"{one.binding.kind}List", one.binding.within)
        yield Bindings(about=about, src=seen.src(quote), items=(one,), whole=False)


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
