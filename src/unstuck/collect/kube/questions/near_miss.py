"""Finds near misses of a field's value: other versions of the kind, objects of the same name elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches

from unstuck.collect.kube.questions.resources import kind_of_ref, resources
from unstuck.collect.kube.transport.session import Listing, Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind, builtin, ref_of
from unstuck.collect.objects.segments import field_requirement
from unstuck.collect.objects.spreaders import SELECTOR_KEY, SPREADERS
from unstuck.facts.aspects.references import Mark, Namesakes, ServedVersions
from unstuck.facts.core import Fact, Ref, Want

_PAGES = 4
_SHOWN = 3
_MARKS, _LONGEST = 16, 500
_DATA = ("Secret", "ConfigMap")
_OWN_DOMAINS = (".kubernetes.io", "helm.sh")
_CLUSTER = "Cluster"
_ALIKE, _STEM = 0.75, 4


def list_served_versions(session: Session, want: Want) -> list[Fact]:
    """Return the versions in which a kind is served, by discovery."""
    found = resources(session)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    versions = tuple(version for version, name in found.served if name == want.about.name)
    src = found.read.src(", ".join(versions) or f"no {want.about.name}")
    return [ServedVersions(about=want.about, src=src, versions=versions, whole=not found.failed)]


def find_namesakes(session: Session, want: Want) -> list[Fact]:
    """Return objects of the missing one's name in other Namespaces, or of its twin kind, and names like its
    own in its Namespace.
    """
    about = want.about
    kind = kind_of_ref(session, about.kind)
    if kind is None or not about.name:
        return [make_unanswered(want, "not-offered", f"the server offers no {about.kind}")]
    lists = [one for one in _list_alike(session, kind, about) if one.read.reply.ok]
    items = [i for one in lists for i in one.items]
    named = [(doc.text(i, "metadata", "namespace"), doc.text(i, "metadata", "name"), i) for i in items]
    here = about.within or ""
    others = [(kind.ref(space, name), i) for space, name, i in named if name == about.name and space != here]
    near = _list_near_names(about.name, {n for space, n, _ in named if space == here})
    marks = [mark for ref, i in others for mark in _read_marks(ref, i)] if kind.name in _DATA else []
    if kind.name in _DATA and about.within:
        marks = [*_list_spread(session, kind.name, about.name), *marks]
    refs = [ref for ref, _ in others]
    if (twin := _find_twin(session, kind)) is not None:
        ref = twin.ref(here, about.name)
        read = session.object(twin, ref)
        if read.reply.ok:
            refs.append(ref)
    src = (lists[0].read if lists else session.object(kind, about)).src(
        ", ".join(map(str, refs)) or "none of that name elsewhere"
    )
    return [
        Namesakes(about=about, src=src, refs=tuple(refs[:_SHOWN]), near=near, marks=tuple(marks[:_MARKS]))
    ]


def _list_alike(session: Session, kind: Kind, about: Ref) -> list[Listing]:
    """List a custom kind everywhere; for Kubernetes' own kinds, which may have many objects, only objects of
    this name or Namespace.
    """
    if builtin(kind.ref_kind) is None:
        return [session.listing(kind, None, metadata=True, most=_PAGES)] if "list" in kind.verbs else []
    found = [session.listing(kind, about.within, metadata=True, most=1)]
    if kind.namespaced:
        same = {"fieldSelector": field_requirement("metadata.name", about.name or "")}
        found.append(session.listing(kind, None, same, metadata=True, most=1))
    return found


def _read_marks(ref: Ref, item: doc.Doc) -> Iterator[Mark]:
    """Yield the annotations and labels with a domain, without Kubernetes' and Helm's own."""
    for field in ("annotations", "labels"):
        for key, value in doc.pairs(item, "metadata", field):
            domain = key.partition("/")[0]
            if "/" in key and len(value) <= _LONGEST and not domain.endswith(_OWN_DOMAINS):
                yield Mark(ref, key, value)


def _list_spread(session: Session, kind: str, name: str) -> Iterator[Mark]:
    """Yield the selectors of Namespaces of the objects that cause an object of this name in each of them."""
    for row in SPREADERS:
        own = resources(session).by_ref_kind(row.kind) if kind in row.makes else None
        found = session.listing(own, None, most=1) if own else None
        for item in found.items if found and found.read.reply.ok else ():
            ref, chosen = ref_of(item), doc.section(item, *row.selector)
            made = next((n for path in row.names if (n := doc.text(item, *path))), ref.name if ref else "")
            pairs = ",".join(f"{k}={v}" for k, v in doc.pairs(chosen, "matchLabels"))
            if ref and made == name and pairs and not chosen.get("matchExpressions"):
                yield Mark(ref, f"{row.kind.partition('.')[2]}/{SELECTOR_KEY}", pairs)


def _list_near_names(name: str, there: Collection[str]) -> tuple[str, ...]:
    """Return the similarly spelt names, then the names that begin with this one or are its beginning."""
    close = get_close_matches(name, sorted(there), _SHOWN, _ALIKE)
    longer = sorted(
        n for n in there if min(len(n), len(name)) >= _STEM and (n.startswith(name) or name.startswith(n))
    )
    return tuple(dict.fromkeys((*close, *longer)))[:_SHOWN]


def _find_twin(session: Session, kind: Kind) -> Kind | None:
    """Return the kind for the whole cluster of a namespaced one, or the other way round."""
    name = kind.name.removeprefix(_CLUSTER) if kind.name.startswith(_CLUSTER) else f"{_CLUSTER}{kind.name}"
    if not kind.group or builtin(kind.ref_kind) is not None:
        own = builtin(name)
        return own if own is not None and own.group == kind.group else None
    return resources(session).by_ref_kind(f"{name}.{kind.group}")
