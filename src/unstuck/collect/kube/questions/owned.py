"""Lists the objects that a CustomResource has created: objects with an owner reference to it, of its API's
own groups and of the kinds that create Pods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from unstuck.collect.kube.questions.health import is_healthy
from unstuck.collect.kube.questions.objects import item_facts, kind_named, object_facts
from unstuck.collect.kube.questions.resources import kind_of_ref, resources
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Listing, Session, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind, ref_of
from unstuck.facts.aspects.references import Owned
from unstuck.facts.core import Fact, Want
from unstuck.facts.regex import regex

# Types of one API beyond these are left out, and the list is then not whole.
_TYPES = 6
_PAGES = 1
# Objects of the same whole that are looked at.
_BESIDE = 4
_INSTANCE = "app.kubernetes.io/instance"
_WHOLE = regex(r"^(?:instance|[a-z-]*cluster(?:-name)?|owner|parent)$")
_MAKERS = ("Deployment", "StatefulSet", "Job", "Pod")
# Flux marks what a release or a directory brought with two labels (helm-controller, internal/postrender;
# kustomize-controller).
_LABELLERS = frozenset({"helm.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io"})
_APPLIED = ("Deployment", "StatefulSet", "DaemonSet", "Job")


def list_owned(session: Session, want: Want) -> list[Fact]:
    """Return the objects of its Namespace that it owns, with their facts."""
    about = want.about
    kind = kind_of_ref(session, about.kind)
    if kind is None or not about.name or not about.within:
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    read = session.object(kind, about)
    uid = doc.text(read.reply.doc, "metadata", "uid") if read.reply.ok else ""
    if not uid:
        return object_facts(session, want)
    family = [k for k in resources(session).kinds if _is_akin(k, kind)]
    kinds = [*family[:_TYPES], *(kind_named(k) for k in _MAKERS)]
    lists = run_each(lambda k: session.listing(k, about.within, most=_PAGES), kinds)
    mine = [
        (k, i, one) for k, one in zip(kinds, lists, strict=True) for i in one.items if uid in _list_owners(i)
    ]
    mine += _list_applied(session, kind, read.reply.doc)
    refs = tuple(sorted({r for _, i, _ in mine if (r := ref_of(i))}, key=lambda r: r.key))
    wholes = [*_find_wholes(read.reply.doc, kind)]
    near = [
        (k, i, one)
        for k, one in zip(kinds, lists, strict=True)
        for i in one.items
        if doc.text(i, "metadata", "uid") != uid
        and uid not in _list_owners(i)
        and _belongs(i, k, wholes, one.read.at)
    ][:_BESIDE]
    beside = tuple(sorted({r for _, i, _ in near if (r := ref_of(i))}, key=lambda r: r.key))
    whole = len(family) <= _TYPES and all(one.whole and one.read.reply.ok for one in lists)
    facts = [f for k, i, one in (*mine, *near) for f in item_facts(k, i, one.read)]
    src = read.src(", ".join(map(str, refs)) or f"nothing of {len(kinds)} types")
    return [Owned(about=about, src=src, refs=refs, beside=beside, whole=whole), *facts]


def _list_applied(session: Session, kind: Kind, item: doc.Doc) -> list[tuple[Kind, doc.Doc, Listing]]:
    """Return the workloads that carry this object's name and Namespace in the labels of its group: such a
    controller applies them without an owner reference, perhaps in another Namespace.
    """
    if kind.group not in _LABELLERS:
        return []
    name, space = doc.text(item, "metadata", "name"), doc.text(item, "metadata", "namespace")
    target = doc.text(item, "spec", "targetNamespace") or space
    chosen = {"labelSelector": f"{kind.group}/name={name},{kind.group}/namespace={space}"}
    kinds = [kind_named(k) for k in _APPLIED]
    lists = run_each(lambda k: session.listing(k, target, chosen, most=_PAGES), kinds)
    return [(k, i, one) for k, one in zip(kinds, lists, strict=True) for i in one.items]


def _is_akin(other: Kind, kind: Kind) -> bool:
    """Tell whether two types belong to one project: their groups are equal, or one is a subdomain of the
    other (`acme.cert-manager.io`).
    """
    a, b = other.group, kind.group
    return (
        other.namespaced
        and "list" in other.verbs
        and other != kind
        and (a == b or a.endswith(f".{b}") or b.endswith(f".{a}"))
    )


def _find_wholes(item: doc.Doc, kind: Kind) -> Iterator[tuple[str, str]]:
    """Yield the labels by which an object of its project says to which whole it belongs:
    `strimzi.io/cluster`, `…/cluster-name`.
    """
    for key, value in doc.pairs(item, "metadata", "labels"):
        domain, slash, word = key.partition("/")
        akin = (
            kind.group == domain
            or kind.group.endswith(f".{domain}")
            or domain.endswith(f".{kind.group}")
            or key == _INSTANCE
        )
        if slash and akin and _WHOLE.search(word) and value:
            yield key, value


def _belongs(item: doc.Doc, kind: Kind, wholes: Sequence[tuple[str, str]], at: datetime | None) -> bool:
    """Tell whether a possibly unhealthy object belongs to one of the wholes, or is one itself."""
    labels = dict(doc.pairs(item, "metadata", "labels"))
    part = any(labels.get(key) == value for key, value in wholes)
    whole = (
        kind.group != ""
        and any(doc.text(item, "metadata", "name") == value for _, value in wholes)
        and "." in kind.ref_kind
    )
    return (part and kind.name == "Pod" and not is_healthy(item, at)) or whole


def _list_owners(item: doc.Doc) -> set[str]:
    return {doc.text(o, "uid") for o in doc.rows(item, "metadata", "ownerReferences")}
