"""Finds the objects whose controller should write a missing Secret or ConfigMap."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import item_facts
from unstuck.collect.kube.questions.resources import resources
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.collect.objects.makers import MAKERS, MakerKind
from unstuck.facts.aspects.references import Makers
from unstuck.facts.core import Fact, Want

_MOST = 2


def makers(session: Session, want: Want) -> list[Fact]:
    """Return the objects that should cause it to be written, with their facts: one list for each such type
    that the server offers.
    """
    about = want.about
    if not about.name or not about.within:
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    found = resources(session)
    served = [
        (row, kind) for row in MAKERS if about.kind in row.makes and (kind := found.by_ref_kind(row.kind))
    ]
    lists = run_each(
        lambda one: session.listing(one[1], about.within if one[1].namespaced else None, most=_MOST), served
    )
    items = [
        (kind, i, one)
        for (row, kind), one in zip(served, lists, strict=True)
        for i in one.items
        if any(row.makes_named(own, about.name) for own in _names(row, i))
    ]
    refs = tuple(sorted({r for _, i, _ in items if (r := ref_of(i))}, key=lambda r: r.key))
    quote = ", ".join(map(str, refs)) or f"none of {len(served)} types that may make it"
    src = lists[0].read.src(quote) if lists else found.read.src(quote)
    whole = found.read.reply.ok and all(one.whole and one.read.reply.ok for one in lists)
    return [
        Makers(about=about, src=src, refs=refs, whole=whole),
        *(f for kind, i, one in items for f in item_facts(kind, i, one.read)),
    ]


def _names(row: MakerKind, item: doc.Doc) -> tuple[str, ...]:
    """Return the names, or name prefixes, of the objects that this object should have created."""
    if row.each:
        return tuple(doc.text(part, *row.each) for part in doc.rows(item, *row.name))
    return ((doc.text(item, *row.name) if row.name else "") or doc.text(item, "metadata", "name"),)
