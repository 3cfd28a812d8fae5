"""Shared parts of the readers of counterparts: paths, lists, names of Services."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref

Reader = Callable[[Session, Ref, doc.Doc], Iterable[Counterpart]]
_PAGES = 4


def list_all(
    session: Session, ref_kind: str, space: str | None, selector: str = ""
) -> tuple[doc.Doc, ...] | None:
    """Return all objects of a kind; None if they could not be listed in full, or the kind is not served.

    selector: of labels, as kubectl takes it.
    """
    kind = kind_of_ref(session, ref_kind)
    if kind is None:
        return None
    params = {"labelSelector": selector} if selector else None
    found = session.listing(kind, space if kind.namespaced else None, params, most=_PAGES)
    return found.items if found.read.reply.ok and found.whole else None


def list_names(session: Session, ref_kind: str, space: str | None) -> tuple[str, ...] | None:
    """Return the names of all objects of a kind, without their contents; None as for `list_all`."""
    kind = kind_of_ref(session, ref_kind)
    if kind is None:
        return None
    found = session.listing(kind, space if kind.namespaced else None, metadata=True, most=_PAGES)
    names = sorted(doc.text(i, "metadata", "name") for i in found.items)
    return tuple(names) if found.read.reply.ok and found.whole else None


def read_one(session: Session, ref: Ref) -> doc.Doc | None:
    """Return an object; None if it is not there, or could not be read."""
    kind = kind_of_ref(session, ref.kind)
    read = session.object(kind, ref) if kind and ref.name else None
    return read.reply.doc if read and read.reply.ok else None


def name_of(item: doc.Doc, kind: str) -> Ref:
    """Return the Ref of a listed object."""
    return Ref(kind, doc.text(item, "metadata", "namespace") or None, doc.text(item, "metadata", "name"))


def labels_of(item: doc.Doc, *path: str) -> dict[str, str]:
    """Return its labels. path: to its template, if they are asked for."""
    return dict(doc.pairs(item, *path, "metadata", "labels"))


def write_labels(labels: Iterable[tuple[str, str]]) -> str:
    """Return labels as kubectl takes and shows them: `app=web,tier=back`."""
    return ",".join(f"{key}={value}" for key, value in labels)


def list_container_ports(item: doc.Doc) -> list[tuple[str, str]]:
    """Return the ports that a Pod's containers declare: (number, name)."""
    return [
        (doc.scalar(port, "containerPort"), doc.text(port, "name"))
        for group in ("containers", "initContainers")
        for one in doc.rows(item, "spec", group)
        for port in doc.rows(one, "ports")
    ]
