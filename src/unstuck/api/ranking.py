"""The selection of a Snapshot's objects for answers, worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.cause import AskableCause
from unstuck.engine.batch import diagnose_together
from unstuck.engine.evaluator import Evaluator
from unstuck.engine.outputs import find_read_outputs
from unstuck.facts.aspects.cluster import ApiService, Backends, NodeShape, Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Presence
from unstuck.facts.aspects.pasted import Pasted, ToldErrors
from unstuck.facts.aspects.pod import TroubleLines
from unstuck.facts.aspects.refusals import ForbiddenRequests, Refusals
from unstuck.facts.aspects.reported import Reported, Switches
from unstuck.facts.aspects.services import ServicePods
from unstuck.facts.aspects.stored import Unreadable
from unstuck.facts.core import Ref, Refused, Same
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.failures import Operation
from unstuck.facts.vocabulary.kinds import CREATORS, WEBHOOKS

# OpenShift's DeploymentConfigs are known only by their Events.
_OTHERS = ("Pod", "Namespace", "Node", "PersistentVolumeClaim", "PersistentVolume", "DeploymentConfig")
# ReplicaSets are covered by their Deployment, unless the Deployment is healthy.
KINDS = frozenset((*_OTHERS, *CREATORS)) - {"ReplicaSet"}
# Questions of saved Snapshots about more than one object.
SCAN, WORST = "Scan", "Worst"
NAMED = 3
_PROBES: tuple[Operation, ...] = ("probe-liveness", "probe-readiness", "probe-startup")
_DENIERS = (*WEBHOOKS, "ValidatingAdmissionPolicy")
_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")
_LAST = datetime.max.replace(tzinfo=UTC)


def find_unwell(
    snap: Snapshot, after: float | None = None, within: str | None = None, evaluator: Evaluator | None = None
) -> tuple[Ref, ...]:
    """Return every subject that has facts and is neither fine nor held.

    within: only this Namespace and its objects. evaluator: the session's evaluator, None before any
    judgement.
    """
    evaluator = evaluator or Evaluator()
    # The log of a program that another one depends on says nothing of the state of its own Pod.
    about = {
        snap.canon(f.about) for f in snap.facts if not isinstance(f, Refused | Same | TroubleLines)
    } - _list_absent_objects(snap)
    going = {snap.canon(f.about) for f in snap.every(Deletion) if f.requested}
    unread = {snap.canon(f.about) for f in snap.every(Unreadable) if f.whole}
    found = (r for r in about if r.kind in KINDS or r in going or r in unread or _is_listed_set(r, snap))
    ours = [
        r for r in found if within is None or r.within == within or (r.kind, r.name) == ("Namespace", within)
    ]
    unwell = [
        r
        for r in sorted(ours, key=lambda r: r.key)
        if evaluator.line_of(r, snap, after)[1].name not in ("fine", "held")
    ]
    deployments = {(r.within, r.name) for r in unwell if r.kind == "Deployment"}
    return tuple(r for r in unwell if r.kind != "ReplicaSet" or _deployment_of(r) not in deployments)


def _is_listed_set(ref: Ref, snap: Snapshot) -> bool:
    """Tell whether a ReplicaSet's counts come from a table, where its Deployment may look healthy or be
    missing.
    """
    return ref.kind == "ReplicaSet" and any(not f.whole for f in snap.of(Workload, ref))


def _deployment_of(replica_set: Ref) -> tuple[str | None, str]:
    """Return the Namespace and name of the Deployment, derived from a ReplicaSet's name."""
    return replica_set.within, (replica_set.name or "").rpartition("-")[0]


def _list_absent_objects(snap: Snapshot) -> set[Ref]:
    """Return the objects known to be missing: an object that waits for a missing one is unhealthy, the
    missing one itself is not.
    """
    told = snap.every(Presence)
    return {snap.canon(f.about) for f in told if not f.exists} - {
        snap.canon(f.about) for f in told if f.exists
    }


def rank_diagnoses(
    refs: Sequence[Ref],
    snap: Snapshot,
    causes: Sequence[AskableCause],
    after: float | None = None,
    most: int | None = None,
    evaluator: Evaluator | None = None,
) -> list[Diagnosis]:
    """Return each subject's answer, worst first. most: as in `together`. evaluator: as in `find_unwell`."""
    return sort_worst_first(diagnose_together(refs, snap, causes, after, most, evaluator), snap)


def sort_worst_first(found: Sequence[Diagnosis], snap: Snapshot) -> list[Diagnosis]:
    """Sort answers, worst first."""
    return sorted(found, key=lambda d: make_ranking_key(d, snap))


def rank_diagnoses_of_text(
    snap: Snapshot, causes: Sequence[AskableCause], after: float | None = None
) -> list[Diagnosis]:
    """Return the answers from a text, worst first: about subjects with facts, else about the first few named
    objects.
    """
    return rank_with_silent(snap, causes, after, Evaluator())[0]


def rank_with_silent(
    snap: Snapshot, causes: Sequence[AskableCause], after: float | None, evaluator: Evaluator
) -> tuple[list[Diagnosis], list[Ref]]:
    """Rank as `rank_diagnoses_of_text` does, and also return the objects that the text only names without
    their state.
    """
    ill = _list_ill_by_own_words(snap, after, evaluator)
    refs = tuple(
        dict.fromkeys(
            (
                *find_unwell(snap, after, evaluator=evaluator),
                *_list_makers(snap),
                *_list_nodes_under_pressure(snap),
                *_list_idle_services(snap),
                *ill,
            )
        )
    )
    # An object stopped on purpose is not at fault; alone, it is no proof of health either.
    refs = (
        refs
        or _find_refusing(snap)
        or _list_warned_about(snap)
        or tuple(_list_held_objects(snap, after, evaluator))[:NAMED]
        or _list_described_objects(snap)
    )
    found = sort_worst_first(diagnose_together(refs, snap, causes, after, evaluator=evaluator), snap)
    told = [
        d for d in found if d.state.name != "unknown" or d.state.passed or d.causes or _has_support(d, snap)
    ] or found[:NAMED]
    if not any(d.causes or (_has_support(d, snap) and not _only_frames(d, snap)) for d in told):
        if refused := _find_supported(_find_refusing(snap), snap, causes, after, evaluator):
            told = [
                *refused,
                *(d for d in told if d.subject.name and d.subject not in {r.subject for r in refused}),
            ]
        elif texts := _list_erring_texts(snap, causes, after, evaluator):
            # These messages may name objects of unknown state, which get no second answer.
            told = [*texts, *(d for d in told if d.subject.name and d.state.name != "unknown")]
    shown = {d.subject for d in told}
    return told, [d.subject for d in found if d.subject not in shown and d.subject.name]


def _list_erring_texts(
    snap: Snapshot, causes: Sequence[AskableCause], after: float | None, evaluator: Evaluator
) -> list[Diagnosis]:
    """Return the answers about texts with errors that no object explains, as far as a cause has support."""
    refs = sorted({snap.canon(f.about) for f in snap.every(ToldErrors)}, key=lambda r: r.key)
    return _find_supported(refs, snap, causes, after, evaluator)


def _find_supported(
    refs: Sequence[Ref],
    snap: Snapshot,
    causes: Sequence[AskableCause],
    after: float | None,
    evaluator: Evaluator,
) -> list[Diagnosis]:
    """Return the answers about the objects with a supported cause."""
    found = diagnose_together(tuple(refs), snap, causes, after, evaluator=evaluator) if refs else []
    return [d for d in found if d.causes or _has_support(d, snap)]


def _has_support(d: Diagnosis, snap: Snapshot) -> bool:
    """Tell whether a sign supports a cause, or a table row shows a Node as not ready."""
    return any(o.possible for o in d.undecided) or any(
        f.operation == "node-ready" for f in snap.of(Failure, d.subject)
    )


def _only_frames(d: Diagnosis, snap: Snapshot) -> bool:
    """Tell whether failing probes are the only report about an object, and the probes' output gives the
    reason.
    """
    said = snap.of(Failure, d.subject)
    quoted = {f.src.where for f in snap.every(ToldErrors)}
    return any(f.src.where in quoted for f in said) and all(f.operation in _PROBES for f in said)


def _list_makers(snap: Snapshot) -> Iterator[Ref]:
    """Yield ReplicaSets with failed calls whose Deployment has none: a refused Pod is reported only on its
    ReplicaSet.
    """
    told = {snap.canon(f.about) for f in snap.every(Failure)}
    above = {
        (r.within, r.name)
        for r in (snap.canon(f.about) for f in snap.every(Workload))
        if r.kind == "Deployment"
    }
    sets = (r for r in told if r.kind == "ReplicaSet" and _deployment_of(r) not in above)
    yield from sorted(sets, key=lambda r: r.key)


def _list_idle_services(snap: Snapshot) -> Iterator[Ref]:
    """Yield the Services of a pasted text that show no endpoints, or whose selector misses the Pods beside
    them.
    """
    if not snap.every(Pasted):
        return
    empty = {snap.canon(f.about) for f in snap.every(Backends) if not (f.whole or f.ready or f.total)}
    missed = {snap.canon(f.about) for f in snap.every(ServicePods) if not (f.whole or f.matched)}
    yield from sorted(empty | missed, key=lambda r: r.key)


def _list_ill_by_own_words(snap: Snapshot, after: float | None, evaluator: Evaluator) -> Iterator[Ref]:
    """Yield objects of kinds without causes whose conditions or status report a problem."""
    told = {
        snap.canon(f.about)
        for kind in (Conditions, Reported)
        for f in snap.every(kind)
        if f.about.kind not in KINDS
    }
    yield from (
        r for r in sorted(told, key=lambda r: r.key) if evaluator.line_of(r, snap, after)[1].name == "stuck"
    )


def _find_refusing(snap: Snapshot) -> tuple[Ref, ...]:
    """Return unavailable APIServices, webhooks that refused a write, and accounts refused by RBAC: beside an
    unhealthy object they are either its root cause or a tool's noise.
    """
    dead = {snap.canon(f.about) for f in snap.every(ApiService) if f.available is False}
    deniers = {snap.canon(f.about) for f in snap.every(Refusals) if f.about.kind in _DENIERS}
    forbidden = {snap.canon(f.about) for f in snap.every(ForbiddenRequests)}
    return tuple(sorted(dead | deniers | forbidden, key=lambda r: r.key))


def _list_warned_about(snap: Snapshot) -> tuple[Ref, ...]:
    """Return the objects of kinds without causes that have a warning Event: its message describes the
    problem.
    """
    told = {snap.canon(f.about) for f in snap.every(Events) if any(e.warning for e in f.items)}
    return tuple(sorted((r for r in told if r.kind not in KINDS), key=lambda r: r.key))


def _list_held_objects(snap: Snapshot, after: float | None, evaluator: Evaluator) -> Iterator[Ref]:
    """Yield the objects held on purpose."""
    told = {snap.canon(f.about) for kind in (Presence, Switches, NodeShape) for f in snap.every(kind)}
    yield from (
        r for r in sorted(told, key=lambda r: r.key) if evaluator.line_of(r, snap, after)[1].name == "held"
    )


def _list_described_objects(snap: Snapshot) -> tuple[Ref, ...]:
    """Return the described objects of a text with only a few descriptions: each was presumably given for a
    problem.
    """
    found = {
        snap.canon(f.about)
        for f in snap.every(Presence)
        if "describe" in find_read_outputs(snap.canon(f.about), snap)
    }
    ours = sorted((r for r in found if r.kind in KINDS), key=lambda r: r.key)
    return tuple(ours) if len(ours) <= NAMED else ()


def _list_nodes_under_pressure(snap: Snapshot) -> Iterator[Ref]:
    """Yield Nodes that are Ready but under pressure, and so accept no new Pods."""
    told = {
        snap.canon(f.about)
        for f in snap.every(Conditions)
        if any(c.type in _PRESSURES and c.status == "True" for c in f.items)
    }
    yield from sorted((r for r in told if r.kind == "Node"), key=lambda r: r.key)


def make_ranking_key(d: Diagnosis, snap: Snapshot) -> tuple[int, int, int, datetime, tuple[str, ...]]:
    """Return a sort key: stuck before unknown; then by kind: fully blocked workloads, deletions, nodes, Pods,
    other objects; then by reach and duration.
    """
    state = {"stuck": 0, "unknown": 1, "progressing": 2, "held": 3, "fine": 4}[d.state.name]
    reach = max((sum(n for _, n in t.reach) for t in d.causes), default=0)
    return (state, _rank(d, snap), -reach, d.state.since or _LAST, d.subject.key)


def _rank(d: Diagnosis, snap: Snapshot) -> int:
    workload = snap.one(Workload, d.subject)
    if workload and workload.wanted > 0 and workload.ready == 0 and not workload.finished:
        return 0
    if any(f.requested for f in snap.of(Deletion, d.subject)):
        return 1
    return {"Node": 2, "Pod": 3}.get(d.subject.kind, 4)
