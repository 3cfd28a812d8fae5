"""Finds the objects that select an object by its labels: selectors of its API group whose field is named
after its kind (`serviceMonitorSelector`).

An unset selector selects nothing, an empty one everything; an unset namespaceSelector selects the owner's own
Namespace (prometheus-operator monitoring/v1, CommonPrometheusFields).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.collect.kube.questions.objects import kind_named, read_object
from unstuck.collect.kube.questions.resources import kind_of_ref, resources
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind, ref_of
from unstuck.collect.objects.placing.selectors import selector
from unstuck.collect.objects.placing.strict import section
from unstuck.facts.aspects.references import LabelSelector, Selectors
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.requirements import holds, write_requirement

# Types of the group beyond these are left out, and the answer is then not whole.
_TYPES, _PAGES, _MOST = 12, 1, 20
_SUFFIX, _OF_SPACES = "Selector", "NamespaceSelector"


def list_selectors(session: Session, want: Want) -> list[Fact]:
    """Return the selectors for objects of this kind in its group, each with whether it takes this object."""
    about = want.about
    kind = kind_of_ref(session, about.kind)
    if kind is None or not kind.group or not about.name:
        return [make_unanswered(want, "not-offered", f"nothing selects {about.kind}")]
    own = session.object(kind, about)
    if not own.reply.ok:
        return read_object(session, own, about, want)
    family = [
        k
        for k in resources(session).kinds
        if k.group == kind.group and k.plural != kind.plural and "list" in k.verbs
    ]
    lists = run_each(lambda k: session.listing(k, None, most=_PAGES), family[:_TYPES])
    labels = dict(doc.pairs(own.reply.doc, "metadata", "labels"))
    found = [s for one in lists for i in one.items for s in _read_selectors(session, i, kind, about, labels)]
    whole = len(family) <= _TYPES and all(one.whole and one.read.reply.ok for one in lists)
    quote = (
        "; ".join(f"{s.of}: {s.field} {s.selector}" for s in found) or f"no selector in {len(family)} types"
    )
    return [Selectors(about=about, src=own.src(quote), items=tuple(found[:_MOST]), whole=whole)]


def _read_selectors(
    session: Session, item: doc.Doc, kind: Kind, about: Ref, labels: Mapping[str, str]
) -> Iterator[LabelSelector]:
    ref = ref_of(item)
    for field in doc.keys(item, "spec") if ref else ():
        stem = field.removesuffix(_SUFFIX)
        if ref is None or field == stem or not stem or not kind.name.lower().endswith(stem.lower()):
            continue
        by = selector(section(item, "spec", []), field)
        if by is None:
            continue
        spaces = _keeps_away(session, item, f"{stem}{_OF_SPACES}", ref, about)
        takes = not spaces and all(holds(r, labels) for r in by.requirements)
        yield LabelSelector(
            ref, f"spec.{field}", ",".join(write_requirement(r) for r in by.requirements), takes, spaces
        )


def _keeps_away(session: Session, item: doc.Doc, field: str, ref: Ref, about: Ref) -> str:
    """Return the namespaceSelector's requirement that the object's Namespace does not meet; "" if it meets
    all, or that is unknown.
    """
    if (
        ref.within is None
        or about.within is None
        or (ref.within == about.within and field not in doc.keys(item, "spec"))
    ):
        return ""
    by = selector(section(item, "spec", []), field)
    if by is None:
        return "own"
    space = (
        session.object(kind_named("Namespace"), Ref("Namespace", None, about.within))
        if by.requirements
        else None
    )
    if space is None or not space.reply.ok:
        return ""
    labels = dict(doc.pairs(space.reply.doc, "metadata", "labels"))
    return (
        ""
        if all(holds(r, labels) for r in by.requirements)
        else ",".join(write_requirement(r) for r in by.requirements)
    )
