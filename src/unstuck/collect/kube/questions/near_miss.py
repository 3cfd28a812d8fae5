"""What is there in the place of what a field asks for: the versions of a kind, objects of the same name
elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from unstuck.collect.kube.questions.resources import kind_of_ref, resources
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind, builtin
from unstuck.facts.aspects.references import Namesakes, ServedVersions
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.vocabulary.kinds import CLASSES

_PAGES = 4
_SHOWN = 3
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

    Only of custom kinds and of classes their objects everywhere are listed.
    """
    about = want.about
    kind = kind_of_ref(session, about.kind)
    if kind is None or not about.name:
        return [make_unanswered(want, "not-offered", f"the server offers no {about.kind}")]
    refs, near = list[Ref](), tuple[str, ...]()
    found = (
        session.listing(kind, None, metadata=True, most=_PAGES)
        if ("." in about.kind and "list" in kind.verbs) or about.kind in CLASSES
        else None
    )
    if found is not None and found.read.reply.ok:
        named = [(doc.text(i, "metadata", "namespace"), doc.text(i, "metadata", "name")) for i in found.items]
        refs += [
            kind.ref(space, name)
            for space, name in named
            if name == about.name and space != (about.within or "")
        ]
        near = list_near_names(about.name, {n for space, n in named if space == (about.within or "")})
    if (twin := _find_twin(session, kind)) is not None:
        ref = twin.ref(about.within or "", about.name)
        read = session.object(twin, ref)
        if read.reply.ok:
            refs.append(ref)
    src = (found.read if found is not None else session.object(kind, about)).src(
        ", ".join(map(str, refs)) or "none of that name elsewhere"
    )
    return [Namesakes(about=about, src=src, refs=tuple(refs[:_SHOWN]), near=near)]


def list_near_names(name: str, there: Collection[str]) -> tuple[str, ...]:
    """Return the names that are spelt nearly like one, then those that begin with it, or that it begins
    with.
    """
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
