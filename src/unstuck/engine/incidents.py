"""Many diagnoses with one root are one incident."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from unstuck.diagnosis.answer import CauseMatch, Diagnosis, Incident, Trouble, is_urgent
from unstuck.engine.equal_roots import template
from unstuck.engine.other_troubles import tell_other_troubles
from unstuck.engine.trouble import TROUBLES, classify_trouble
from unstuck.facts.aspects.alike import Alike
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.record import replace
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.kinds import CREATORS

# Kinds whose Pods' names begin with their own: DEPLOYMENT-HASH-SUFFIX.
_ABOVE = ("Deployment",)


def group_incidents(diagnoses: Sequence[Diagnosis], snap: Snapshot | None = None) -> tuple[Incident, ...]:
    """Group by the root's id and culprit, then by the kind of trouble: the group with the widest incident
    comes first, and its widest incident leads it.

    snap: supplies further members: objects with equal table rows, and workloads without a cause of their own
    whose Pods are members. Objects without a known cause form an incident, too.
    """
    groups: dict[tuple[str, Ref], list[int]] = {}
    roots: dict[tuple[str, Ref], list[tuple[Ref, CauseMatch]]] = {}
    for i, diagnosis in enumerate(diagnoses):
        for key, told in _list_roots(diagnosis, snap):
            groups.setdefault(key, []).append(i)
            roots.setdefault(key, []).append((diagnosis.subject, told))
    members = {key: _list_members(key[1], found, diagnoses, snap) for key, found in groups.items()}
    if snap is not None:
        _add_workloads(members, diagnoses, snap)
        for key, (indexes, found) in _group_unexplained(diagnoses, members, snap).items():
            groups[key], members[key] = indexes, found
    incidents = (
        _make_incident(key, groups[key], roots.get(key, ()), diagnoses, members[key]) for key in groups
    )
    return rank(incidents, diagnoses)


def _list_roots(diagnosis: Diagnosis, snap: Snapshot | None) -> Iterator[tuple[tuple[str, Ref], CauseMatch]]:
    """Yield its root causes; a likely cause of a culprit that has a proven one is left out."""
    found = [t for t in diagnosis.causes if t.consequence_of is None]
    of = [template(t.via or diagnosis.subject, t.finding.culprit, snap) for t in found]
    proven = {culprit for t, culprit in zip(found, of, strict=True) if t.confidence == "proven"}
    for told, culprit in zip(found, of, strict=True):
        if told.confidence == "proven" or culprit not in proven:
            yield (told.id, culprit), told


def rank(found: Iterable[Incident], diagnoses: Sequence[Diagnosis]) -> tuple[Incident, ...]:
    """Order incidents: stuck objects before objects that still have time, and the widest first."""
    by_urgency = [(not is_urgent(i, diagnoses), i) for i in found]
    widest: dict[tuple[bool, Trouble], int] = {}
    for late, one in by_urgency:
        widest[late, one.trouble] = max(len(one.members), widest.get((late, one.trouble), 0))
    by_urgency.sort(
        key=lambda pair: (
            pair[0],
            -widest[pair[0], pair[1].trouble],
            TROUBLES.index(pair[1].trouble),
            -len(pair[1].members),
            not pair[1].cause,
            pair[1].cause,
            pair[1].culprit.key,
        )
    )
    return tuple(replace(one, id=n) for n, (_, one) in enumerate(by_urgency, 1))


def _list_members(
    culprit: Ref, indexes: Sequence[int], diagnoses: Sequence[Diagnosis], snap: Snapshot | None
) -> set[Ref]:
    found = {diagnoses[i].subject for i in indexes}
    return (
        found | {other for ref in found for other in find_similar_members(ref, culprit, snap)}
        if snap is not None
        else found
    )


def find_similar_members(ref: Ref, culprit: Ref | None, snap: Snapshot) -> Iterator[Ref]:
    """Yield the subjects whose rows look like this one's; if the culprit is a Node or on one, only
    subjects on that Node.
    """
    node = find_node_of_pod(ref, snap)
    bound = (
        culprit is not None
        and node is not None
        and node.name in (culprit.within, culprit.name if culprit.kind == "Node" else None)
    )
    for fact in snap.of(Alike, ref):
        for other in fact.others:
            if not bound or (node is not None and other.node == node.name):
                yield snap.canon(other.ref)


def _add_workloads(
    members: dict[tuple[str, Ref], set[Ref]], diagnoses: Sequence[Diagnosis], snap: Snapshot
) -> None:
    """Move a workload that is down only because of its Pods into their incident."""
    without = {d.subject for d in diagnoses if not d.causes}
    for found in members.values():
        above = {w for pod in found if pod.kind == "Pod" for w in find_workloads(pod, snap)}
        found |= {w for w in without if Ref(w.kind, w.within, w.name) in above}


def _group_unexplained(
    diagnoses: Sequence[Diagnosis], members: dict[tuple[str, Ref], set[Ref]], snap: Snapshot
) -> dict[tuple[str, Ref], tuple[list[int], set[Ref]]]:
    """Group related subjects without a cause: a stuck Node with the objects stuck on it, and Pods of one
    controller; any other is a group of its own. Their cause is "": the representative's diagnosis holds the
    deciding questions.
    """
    known = {r for found in members.values() for r in found}
    stuck = {
        i: d
        for i, d in enumerate(diagnoses)
        if d.state.name in ("stuck", "unknown") and not d.causes and d.subject not in known
    }
    nodes = {d.subject for d in stuck.values() if d.subject.kind == "Node"}
    groups: dict[Ref, list[int]] = {}
    for i, d in stuck.items():
        owners = snap.one(Owners, d.subject) if d.subject.kind == "Pod" else None
        controller = owners.controller if owners else None
        culprit = (
            d.subject
            if d.subject in nodes
            else node
            if (node := find_node_of_pod(d.subject, snap)) in nodes
            else controller
        )
        groups.setdefault(culprit or d.subject, []).append(i)
    out: dict[tuple[str, Ref], tuple[list[int], set[Ref]]] = {}
    held: set[Ref] = set()
    # Controllers come after their Pods, whose incident they belong to.
    for culprit, indexes in sorted(
        groups.items(), key=lambda g: all(diagnoses[i].subject.kind in CREATORS for i in g[1])
    ):
        # The Node itself is the representative.
        indexes.sort(key=lambda i: diagnoses[i].subject != culprit)
        subjects = {diagnoses[i].subject for i in indexes}
        if subjects <= held:
            continue
        found = subjects | {
            o for r in subjects for o in find_similar_members(r, culprit if culprit in nodes else None, snap)
        }
        above = {w for pod in found if pod.kind == "Pod" for w in find_workloads(pod, snap)}
        found |= {
            d.subject
            for d in stuck.values()
            if Ref(d.subject.kind, d.subject.within, d.subject.name) in above
        }
        held |= found
        out["", culprit if len(found) > 1 else diagnoses[indexes[0]].subject] = (indexes, found)
    return out


def find_workloads(pod: Ref, snap: Snapshot) -> Iterator[Ref]:
    """Yield the Pod's controller, and the Deployment above it if the controller's name shows one; without
    uids.
    """
    owners = snap.one(Owners, pod)
    if owners is None or owners.controller is None:
        return
    controller = owners.controller
    yield Ref(controller.kind, pod.within, controller.name)
    name, dash, _ = (controller.name or "").rpartition("-")
    if controller.kind == "ReplicaSet" and dash:
        yield from (Ref(kind, pod.within, name) for kind in _ABOVE)


def _make_incident(
    key: tuple[str, Ref],
    indexes: list[int],
    roots: Sequence[tuple[Ref, CauseMatch]],
    diagnoses: Sequence[Diagnosis],
    found: set[Ref],
) -> Incident:
    """Return the incident without its number. roots: each subject with its root cause; empty if unknown."""
    root = next((t for _, t in roots if t.confidence == "proven"), roots[0][1] if roots else None)
    members = tuple(sorted(found, key=lambda r: r.key))
    read = {d.subject for d in diagnoses}
    blocked = {
        b
        for i in indexes
        for t in diagnoses[i].causes
        if (t.id, t.finding.culprit) == key
        for b in t.finding.blocks
    } | found
    times = [s for i in indexes if (s := diagnoses[i].state.since)]
    first = next((i for i in indexes if root in diagnoses[i].causes), indexes[0])
    return Incident(
        id=0,
        cause=key[0],
        says=root.finding.says + tell_other_troubles(root, roots)
        if root
        else diagnoses[first].state.headline,
        culprit=root.finding.culprit if root else key[1],
        representative=first,
        members=members,
        reach=tuple(sorted(Counter(b.kind for b in blocked - {key[1]}).items())),
        since=min(times) if times else None,
        alike=tuple(m for m in members if m not in read),
        trouble=classify_trouble([diagnoses[first], *(d for d in diagnoses if d.subject in found)]),
    )
