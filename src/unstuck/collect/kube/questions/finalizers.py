"""Finds the owners of finalizers: by managedFields, by names and labels, by leases, and by whether their API
is served.

An empty result lists the places that were searched; that alone never proves that an owner is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from unstuck.collect.kube.questions.objects import kind_named, object_facts
from unstuck.collect.kube.questions.resources import Resources, kind_of_ref, resources
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import (
    CACHED,
    ApiRead,
    Listing,
    Session,
    make_refused,
    make_unanswered,
)
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import OWN_GROUPS, ref_of
from unstuck.facts.aspects.cluster import Candidate, FinalizerOwner, Workload
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.record import Record, record, replace
from unstuck.facts.regex import regex

LOOKED_AT = 5
WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
_OWN_DOMAINS = (OWN_GROUPS | {"kubernetes.io", "batch.kubernetes.io", "service.kubernetes.io"}) - {""}
_PLAIN = frozenset({"foregroundDeletion", "orphan", "kubernetes"})
# Words that many names share and that therefore tie nothing to anything.
_COMMON = frozenset(
    (
        *(
            "cloud",
            "apps",
            "kubernetes",
            "sigs",
            "kube",
            "controller",
            "controllers",
            "operator",
            "operators",
            "manager",
            "main",
        ),
        *(
            "finalizer",
            "finalizers",
            "resource",
            "resources",
            "cleanup",
            "protection",
            "webhook",
            "system",
            "default",
            "node",
            "server",
        ),
    )
)
# Clients, not controllers: a write by a person or a script does not identify the finalizer's controller.
CLIENTS = regex(
    (
        r"^(kubectl|k9s|curl|python|go-http-client|okhttp|node-fetch|helm|unknown|before-first-apply|lens"
        r"|unstuck|manager$|main$)"
    ),
    re.I,
)
# csi-attacher puts its driver's name into its finalizer and its Lease; every driver runs it, mostly under a
# name of its own (kubernetes-csi/external-attacher pkg/controller/util.go, cmd/csi-attacher/main.go).
_ATTACHER, _LEADS = "external-attacher/", "external-attacher-leader-"
# `cut.acme.example`: three labels, of which the second last is the maker's.
_OF_A_MAKER = 2
_PROGRAM = regex(r"-(?:controller|operator|manager|controller-manager)$")
_LABELS = ("app", "k8s-app", "control-plane", "component", "operator", "name")
_NODE_LEASES = "metadata.namespace!=kube-node-lease"


@record()
class Marks(Record):
    """The marks of an owner. words: of the finalizer's name and of its manager's. manager: "" if a client
    wrote it, or a program that many owners run. lease: the one Lease by which its owner leads, "" if unknown.
    makers: those of the words that are its maker's, whose other programs have them too.
    """

    words: frozenset[str]
    manager: str
    touched: datetime | None
    lease: str = ""
    makers: frozenset[str] = frozenset()


@record()
class SearchedLists(Record):
    """The lists that were looked through for all finalizers of the subject."""

    workloads: Sequence[Listing]
    leases: Listing
    resources: Resources

    def places(self) -> list[tuple[str, Listing]]:
        """Return each list by its plural."""
        names = [f"{k.lower()}s" for k in WORKLOADS]
        return [*zip(names, self.workloads, strict=True), ("leases", self.leases)]


def finalizer_owners(session: Session, want: Want) -> list[Fact]:
    """Return one FinalizerOwner for each finalizer of the subject: five requests for all of them, and one
    for each likely owner.
    """
    kind = kind_of_ref(session, want.about.kind)
    if kind is None or not want.about.name or (kind.namespaced and not want.about.within):
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    read = session.object(kind, want.about)
    if not read.reply.ok:
        return object_facts(session, want)
    names = doc.strings(read.reply.doc, "metadata", "finalizers")
    if not names:
        return [make_unanswered(want, "not-offered", "it has no finalizers", read.where)]
    lists = (
        session.remember(SearchedLists, lambda: search(session))
        if any(not is_built_in(n) for n in names)
        else None
    )
    out: list[Fact] = [_owner(session, want, read, name, lists) for name in names]
    if lists:
        failed = [found.read for found in (*lists.workloads, lists.leases) if not found.read.reply.ok]
        out += [make_refused(want, r) for r in failed[:1]]
    return out


def is_built_in(finalizer: str) -> bool:
    """Tell whether the control plane itself clears the finalizer, so that no search for an owner is
    needed.
    """
    domain = finalizer.partition("/")[0]
    return finalizer in _PLAIN or domain in _OWN_DOMAINS


def search(session: Session) -> SearchedLists:
    """List the workloads by their metadata, the Leases of controllers, and the types that are served."""

    def list_one(name: str) -> Listing:
        if name == "Lease":
            return session.listing(kind_named(name), None, {"fieldSelector": _NODE_LEASES, **CACHED})
        return session.listing(kind_named(name), None, CACHED, metadata=True)

    session.looked_up |= {"/api", "/apis", *(kind_named(name).path() for name in (*WORKLOADS, "Lease"))}
    *workloads, leases = run_each(list_one, [*WORKLOADS, "Lease"])
    return SearchedLists(workloads, leases, resources(session))


def _owner(
    session: Session, want: Want, read: ApiRead, finalizer: str, lists: SearchedLists | None
) -> FinalizerOwner:
    manager, touched = manager_of(read.reply.doc, finalizer)
    src = read.src(f"finalizer {finalizer}" + (f", written by {manager}" if manager else ""))
    if lists is None or is_built_in(finalizer):
        return FinalizerOwner(about=want.about, src=src, finalizer=finalizer, manager=manager)
    group = group_in(finalizer)
    served, sure = is_group_served(group, lists.resources)
    marks = marks_of(finalizer, manager, touched)
    candidates = _list_candidates(session, lists, marks)
    searched = tuple(name for name, found in lists.places() if found.read.reply.ok and found.whole) + (
        ("discovery",) if sure else ()
    )
    return FinalizerOwner(
        about=want.about,
        src=src,
        finalizer=finalizer,
        candidates=candidates,
        manager=manager,
        searched=searched,
        group=group,
        group_served=served if served or sure else None,
        whole=len(searched) == len(lists.workloads) + 2,
    )


def marks_of(finalizer: str, manager: str, touched: datetime | None) -> Marks:
    """Return the marks by which this finalizer's owner is recognized."""
    if finalizer.startswith(_ATTACHER):
        driver = finalizer.removeprefix(_ATTACHER)
        return Marks(frozenset(words(driver, "")), "", touched, f"{_LEADS}{driver}")
    found = frozenset(words(finalizer, manager))
    labels = group_in(finalizer).split(".")
    makers = frozenset(words(labels[-2], "")) if len(labels) > _OF_A_MAKER else frozenset[str]()
    if not found - makers:
        # There is no other word to tell its program by.
        makers = frozenset()
    return Marks(found, "" if CLIENTS.match(manager) else manager, touched, makers=makers)


def manager_of(obj: doc.Doc, finalizer: str) -> tuple[str, datetime | None]:
    """Return the writer of this finalizer by managedFields, and its last write to this object; ("", None)
    if they do not say.
    """
    rows = doc.rows(obj, "metadata", "managedFields")
    exact = [
        r for r in rows if f'v:"{finalizer}"' in doc.section(r, "fieldsV1", "f:metadata", "f:finalizers")
    ]
    loose = [r for r in rows if doc.section(r, "fieldsV1", "f:metadata", "f:finalizers")]
    found = exact or loose
    if not found:
        return "", None
    manager = doc.text(found[0], "manager")
    times = [t for r in rows if doc.text(r, "manager") == manager and (t := doc.time(r, "time"))]
    return manager, max(times, default=None)


def group_in(finalizer: str) -> str:
    """Return the domain in a finalizer's name: `example.com/hold` and `hold.example.com` both have one; ""
    if there is none.
    """
    domain, slash, _ = finalizer.partition("/")
    if slash:
        return domain.lower()
    labels = finalizer.lower().split(".")
    return ".".join(labels[1:]) if len(labels) >= 3 else finalizer.lower() if len(labels) == 2 else ""


def words(finalizer: str, manager: str) -> set[str]:
    """Return the words that identify this finalizer's owner: four letters at least, none that all names
    share.
    """
    said = f"{finalizer} {'' if CLIENTS.match(manager) else manager}".lower()
    return {w for w in re.split(r"[^a-z0-9]+", said) if len(w) >= 4 and w not in _COMMON}


def is_group_served(group: str, found: Resources) -> tuple[bool, bool]:
    """Tell whether an API group of this domain is served, and whether all groups were seen."""
    if not group:
        return False, False
    served = any(
        k.group == group or k.group.endswith(f".{group}") or (k.group and group.endswith(f".{k.group}"))
        for k in found.kinds
    )
    return served, found.read.reply.ok and not found.failed


# --- who it may be ------------------------------------------------------------------------------------------


def _list_candidates(session: Session, lists: SearchedLists, marks: Marks) -> tuple[Candidate, ...]:
    if leader := _leader(session, lists, marks):
        return (leader,)
    # The same finalizer is on many objects, and the workloads are thousands.
    by_all = replace(marks, touched=None)
    tied = session.remember(by_all, lambda: rank_workloads(lists, by_all))
    best = [
        Candidate(
            ref,
            why,
            touched=marks.touched if strength >= 3 else None,
            weak=_is_weak(ref, why, marks),
        )
        for strength, ref, why in tied
    ]
    best = [c for c in best if not c.weak] or best
    alive = run_each(lambda c: with_replicas(session, c), best)
    return _add_leases(alive, lists.leases, marks)


def rank_workloads(lists: SearchedLists, marks: Marks) -> list[tuple[int, Ref, str]]:
    """Return the workloads most strongly tied to the finalizer, each with the strength and the evidence."""
    tied: list[tuple[int, Ref, str]] = []
    for found in lists.workloads:
        for item in found.items:
            strength, why = tie(item, marks)
            if strength and (ref := ref_of(item)):
                tied.append((strength, ref, why))
    return sorted(tied, key=lambda t: (-t[0], t[1].key))[:LOOKED_AT]


def _is_weak(ref: Ref, why: str, marks: Marks) -> bool:
    """Tell whether a workload shares no word with a finalizer but its maker's, and is not named by that
    alone. why: its tie.
    """
    if not any(f"has {word!r}" in why for word in marks.makers):
        return False
    name = f"{ref.within} {ref.name}".lower()
    own = replace(marks, words=marks.words - marks.makers)
    alone = _PROGRAM.sub("", (ref.name or "").lower()) in marks.makers
    return not alone and not _find_shared(name, own) and not _is_manager((ref.name or "").lower(), marks)


def _leader(session: Session, lists: SearchedLists, marks: Marks) -> Candidate | None:
    """Return the present or last holder of the owner's own Lease: the workload that the holder's name
    begins with, else the Lease alone.
    """
    own = [(r, i) for i in lists.leases.items if marks.lease and (r := ref_of(i)) and r.name == marks.lease]
    if not own:
        return None
    # A driver that was moved to another Namespace left its old one behind.
    ref, item = max(own, key=lambda one: (doc.text(one[1], "spec", "renewTime"), one[0].key))
    holder = doc.text(item, "spec", "holderIdentity")
    here = [
        r for found in lists.workloads for i in found.items if (r := ref_of(i)) and r.within == ref.within
    ]
    named = [r for r in here if holder.startswith(f"{r.name}-")]
    why = f"holds lease {ref.within}/{ref.name}, which is that of this driver's attacher"
    found = Candidate(
        max(named, key=lambda r: (len(r.name or ""), r.key)) if named else ref, why, touched=marks.touched
    )
    return replace(
        with_replicas(session, found) if named else found,
        renewed=doc.time(item, "spec", "renewTime"),
        lease_seconds=doc.whole_number(item, "spec", "leaseDurationSeconds"),
    )


def tie(item: doc.Doc, marks: Marks) -> tuple[int, str]:
    """Return how strongly a workload is tied to the finalizer (0: not at all), and the evidence in words."""
    meta = doc.section(item, "metadata")
    name, namespace = doc.text(meta, "name").lower(), doc.text(meta, "namespace").lower()
    if _is_manager(name, marks):
        return 4, f"writes this object as {marks.manager}"
    if hit := _find_shared(name, marks):
        return 3, f"its name has {hit!r} as the finalizer has"
    for key, value in doc.pairs(meta, "labels"):
        if (key in _LABELS or key.startswith("app.kubernetes.io/")) and (
            hit := _find_shared(value.lower(), marks)
        ):
            return 2, f"its label {key}={value} has {hit!r} as the finalizer has"
    if hit := _find_shared(namespace, marks):
        return 1, f"its Namespace has {hit!r} as the finalizer has"
    return 0, ""


def _is_manager(name: str, marks: Marks) -> bool:
    manager = marks.manager.lower()
    return bool(manager) and (
        name == manager or name.startswith(f"{manager}-") or manager.startswith(f"{name}-")
    )


def _find_shared(name: str, marks: Marks) -> str:
    held = [w for w in marks.words if w in name]
    if not held:
        return ""
    parts = set(re.split(r"[^a-z0-9]+", name))
    return min((w for w in held if w in parts or len(w) >= 6), default="")


def with_replicas(session: Session, candidate: Candidate) -> Candidate:
    """Return the candidate with the number of its ready Pods, if it can be read."""
    kind = kind_named(candidate.ref.kind)
    session.looked_up.add(kind.path(candidate.ref.within, candidate.ref.name))
    read = session.object(kind, candidate.ref)
    found = next((f for f in session.facts(read) if isinstance(f, Workload)), None) if read.reply.ok else None
    return replace(candidate, ready=found.ready, wanted=found.wanted) if found else candidate


def _add_leases(candidates: Iterable[Candidate], leases: Listing, marks: Marks) -> tuple[Candidate, ...]:
    """Add the Leases: a Lease held by a candidate's Pod shows the candidate's health; a Lease that only
    matches by name is a candidate of its own.
    """
    out = list(candidates)
    for item in leases.items:
        ref = ref_of(item)
        if ref is None:
            continue
        holder = doc.text(item, "spec", "holderIdentity")
        renewed, seconds = (
            doc.time(item, "spec", "renewTime"),
            doc.whole_number(item, "spec", "leaseDurationSeconds"),
        )
        held_by = [
            i
            for i, c in enumerate(out)
            if c.ref.within == ref.within and c.ref.name and holder.startswith(f"{c.ref.name}-")
        ]
        if held_by:
            out[held_by[0]] = replace(out[held_by[0]], renewed=renewed, lease_seconds=seconds)
        elif hit := _find_shared((ref.name or "").lower(), marks):
            why = f"holds lease {ref.within}/{ref.name}, which has {hit!r} as the finalizer has"
            out.append(Candidate(ref, why, renewed=renewed, lease_seconds=seconds))
    return tuple(out[: 2 * LOOKED_AT])
