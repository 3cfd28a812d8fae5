"""Finds out whether objects of a type get a status, and the workloads that may be its controller."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unstuck.collect.kube.questions.finalizers import (
    CLIENTS,
    LOOKED_AT,
    Marks,
    SearchedLists,
    is_group_served,
    rank_workloads,
    search,
    with_replicas,
    words,
)
from unstuck.collect.kube.questions.objects import object_facts
from unstuck.collect.kube.questions.resources import kind_of_ref, resources
from unstuck.collect.kube.questions.status_writers import find_status_writers
from unstuck.collect.kube.questions.unlike import find_unlike
from unstuck.collect.kube.questions.watched import with_watched
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind
from unstuck.collect.objects.reported import is_unwritten
from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.aspects.reported import TypeStatus
from unstuck.facts.core import Fact, Want
from unstuck.facts.vocabulary.kinds import JOB_CONTROLLER

_PAGES = 1
# A shared Namespace alone ties nothing to a type (`finalizers.tie`).
_LABELLED = 2


def type_status(session: Session, want: Want) -> list[Fact]:
    """Return how many others of its type have a status, and the workloads tied to it with their facts."""
    about = want.about
    kind = kind_of_ref(session, about.kind)
    if kind is None or not about.name:
        return [make_unanswered(want, "not-asked", "its type or its name is not known")]
    read = session.object(kind, about)
    if not read.reply.ok:
        return object_facts(session, want)
    if manager := _foreign_manager(kind, read.reply.doc):
        return _list_managed_status(session, want, manager)
    found = session.listing(kind, None, most=_PAGES)
    uid = doc.text(read.reply.doc, "metadata", "uid")
    others = [i for i in found.items if doc.text(i, "metadata", "uid") != uid]
    written = [i for i in others if not is_unwritten(i)]
    lists = session.remember(SearchedLists, lambda: search(session))
    candidates = _list_controllers(session, kind, written, lists)
    offered = kind.status or bool((own := resources(session).by_ref_kind(kind.ref_kind)) and own.status)
    src = found.read.src(
        f"{len(written)} of {len(others)} others have a status; its controller may be "
        f"{_names(candidates) or 'none here'}"
    )
    whole = (
        found.whole
        and found.read.reply.ok
        and all(one.whole and one.read.reply.ok for one in lists.workloads)
    )
    told = TypeStatus(
        about=about,
        src=src,
        offered=offered,
        others=len(others),
        written=len(written),
        controllers=candidates,
        unlike=find_unlike(read.reply.doc, written, kind) if is_unwritten(read.reply.doc) else (),
        whole=whole,
    )
    return [told, *(f for c in candidates for f in object_facts(session, Want(TypeStatus, c.ref)))]


def _foreign_manager(kind: Kind, item: doc.Doc) -> str:
    """Return the controller to which a Job is handed instead of Kubernetes' own, "" for none."""
    manager = doc.text(item, "spec", "managedBy") if kind.ref_kind == "Job" else ""
    return "" if manager == JOB_CONTROLLER else manager


def _list_managed_status(session: Session, want: Want, manager: str) -> list[Fact]:
    """Return the workloads tied to the name of the controller that a Job is delegated to: no other one writes
    its status.
    """
    lists = session.remember(SearchedLists, lambda: search(session))
    domain, _, path = manager.partition("/")
    candidates = find_tied(
        session,
        [Marks(frozenset(words(part, "")), "", None) for part in (path, ".".join(own_part(domain)))],
        lists,
    )
    served, sure = is_group_served(domain, lists.resources)
    src = lists.resources.read.src(
        f"{domain} {'is' if served else 'is not'} served; the controller {manager} may be "
        f"{_names(candidates) or 'none here'}"
    )
    whole = all(one.whole and one.read.reply.ok for one in lists.workloads)
    told = TypeStatus(
        about=want.about,
        src=src,
        offered=True,
        others=0,
        written=0,
        controllers=candidates,
        grouped=served if served or sure else None,
        whole=whole,
    )
    return [told, *(f for c in candidates for f in object_facts(session, Want(TypeStatus, c.ref)))]


def own_part(group: str) -> list[str]:
    """Return a group without its last two parts, which mostly are whose it is."""
    return group.split(".")[:-2] or group.split(".")[:-1]


def _list_controllers(
    session: Session, kind: Kind, written: Sequence[doc.Doc], lists: SearchedLists
) -> tuple[Candidate, ...]:
    """Return the workloads with the closest ties to the type: writers of the others' status, else by its
    kind's name, else its group's, else by the rights of their accounts.
    """
    managers = {m for i in written for m in _list_writers(i)}
    marks = [
        *(Marks(frozenset(), manager, None) for manager in sorted(managers)),
        Marks(frozenset(words(f"{kind.name} {kind.plural}", "")), "", None),
        Marks(frozenset(words(" ".join(own_part(kind.group)), "")), "", None),
    ]
    if tied := find_tied(session, marks, lists):
        return tied
    writers = find_status_writers(session, kind)
    return tuple(run_each(lambda c: with_watched(session, with_replicas(session, c)), writers))


def find_tied(session: Session, marks: Sequence[Marks], lists: SearchedLists) -> tuple[Candidate, ...]:
    """Return the workloads with the strongest tie to the first of the marks that ties any."""
    for one in marks:
        best = [tied for tied in rank_workloads(lists, one) if tied[0] >= _LABELLED]
        if best:
            strongest = best[0][0]
            tied = [Candidate(ref, why) for strength, ref, why in best[:LOOKED_AT] if strength == strongest]
            return tuple(run_each(lambda c: with_watched(session, with_replicas(session, c)), tied))
    return ()


def _list_writers(item: doc.Doc) -> Iterable[str]:
    rows = doc.rows(item, "metadata", "managedFields")
    names = (doc.text(r, "manager") for r in rows if doc.section(r, "fieldsV1", "f:status"))
    return (name for name in names if name and not CLIENTS.match(name))


def _names(candidates: Sequence[Candidate]) -> str:
    return ", ".join(str(c.ref) for c in candidates)
