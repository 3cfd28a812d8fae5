"""Lists the objects left in a Namespace, type by type, however broken discovery is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unstuck.collect.kube.questions.objects import read_storage_failure
from unstuck.collect.kube.questions.resources import Resources, discovery_fact, resources
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import METADATA_LIST, ApiRead, Session, make_unanswered
from unstuck.collect.objects import doc, metadata_of
from unstuck.collect.objects.kinds import Kind, ref_of
from unstuck.facts.aspects.cluster import Content, Contents
from unstuck.facts.core import Fact, Ref, Want

FIRST = 100
SHOWN = 5
HELD = 20
# They only report activity and never hold anything up; the namespace controller deletes them last.
_PASSED_OVER = frozenset({("", "events"), ("events.k8s.io", "events")})


def contents(session: Session, want: Want) -> list[Fact]:
    """Return one metadata-only LIST (100 objects, the server counts the rest) for each type that can be
    listed.

    A type is not asked about if all its objects were just listed and none is in this Namespace: nothing new
    is created in a Namespace that is being deleted.
    """
    namespace = want.about.name
    if want.about.kind != "Namespace" or not namespace:
        return [make_unanswered(want, "not-asked", "only a Namespace has contents")]
    found = resources(session)
    kinds = [k for k in _listable(found.kinds) if k.namespaced and session.may_hold(namespace, k)]
    told = run_each(lambda k: _content(session, k, namespace), kinds)
    items = tuple(c for c, _, _ in told if c)
    unlisted = (
        *((f.group_version, f.message) for f in found.failed),
        *_find_unknown_groups(found),
        *(u for _, u, _ in told if u),
    )
    shown = ", ".join(f"{c.count} {c.resource}" for c in items) or "nothing"
    fact = Contents(
        about=want.about,
        src=found.read.src(f"{shown} left"),
        items=items,
        unlisted=unlisted,
        whole=found.read.reply.ok and not unlisted,
    )
    return [fact, discovery_fact(found), *(f for _, _, facts in told for f in facts)]


def _find_unknown_groups(found: Resources) -> Iterator[tuple[str, str]]:
    """Return stale groups that answer but have no known type, so that their objects could not be listed."""
    known = {f"{k.group}/{k.version}" for k in found.kinds} | {f.group_version for f in found.failed}
    return ((gv, f"stale GroupVersion discovery: {gv}") for gv in found.stale if gv not in known)


def listable(session: Session, *, namespaced: bool) -> tuple[list[Kind], tuple[str, ...], ApiRead]:
    """Return every type that can be listed (only those in Namespaces, or all), the groups whose types are
    not known, and the reply.
    """
    found = resources(session)
    kinds = [k for k in _listable(found.kinds) if k.namespaced or not namespaced]
    return kinds, tuple(f.group_version for f in found.failed), found.read


def _listable(kinds: Iterable[Kind]) -> Iterator[Kind]:
    return (k for k in kinds if "list" in k.verbs and (k.group, k.plural) not in _PASSED_OVER)


def _content(
    session: Session, kind: Kind, namespace: str
) -> tuple[Content | None, tuple[str, str] | None, list[Fact]]:
    """Return the remaining objects of one type, or why it could not be listed; and the metadata of those
    held by finalizers.
    """
    path = kind.path(namespace)
    read = session.get(path, {"limit": FIRST}, accept=METADATA_LIST, retries=1)
    resource = f"{kind.plural}.{kind.group}" if kind.group else kind.plural
    if not read.reply.ok:
        if read.reply.status in (
            404,
            405,
        ):  # gone since discovery, or a type that is only created, never listed
            return None, None, []
        said = read.reply.detail or read.reply.message or f"HTTP {read.reply.status}"
        return (
            None,
            (resource, said),
            list(read_storage_failure(read, Ref(f"{kind.ref_kind}List", namespace))),
        )
    own = {"kind": kind.name, "apiVersion": f"{kind.group}/{kind.version}" if kind.group else kind.version}
    items = [{**i, **own} for i in doc.rows(read.reply.doc, "items")]
    if not items:
        return None, None, []
    refs: list[tuple[Ref, doc.Doc]] = [(r, i) for i in items if (r := ref_of(i))]
    held = [
        (r, doc.strings(i, "metadata", "finalizers"), i)
        for r, i in refs
        if doc.strings(i, "metadata", "finalizers")
    ][:HELD]
    count = len(items) + (doc.whole_number(read.reply.doc, "metadata", "remainingItemCount") or 0)
    content = Content(
        resource,
        kind.ref_kind,
        count,
        tuple(r for r, _ in refs[:SHOWN]),
        tuple((r, names) for r, names, _ in held),
    )
    return (
        content,
        None,
        [f for r, _, i in held for f in metadata_of(i, kind.path(namespace, r.name), read.at)],
    )
