"""Which object is meant, and which objects of a Snapshot are worth an answer, the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from unstuck.collect.objects.kinds import typed
from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.cause import Asking
from unstuck.engine import diagnose
from unstuck.errors import UsageError
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.stored import Unreadable
from unstuck.facts.core import Ref, Refused, Same
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import stage_line
from unstuck.stages.state import state_of

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController")
KINDS = frozenset(("Pod", "Namespace", "Node", "PersistentVolumeClaim", "PersistentVolume", *WORKLOADS))
# What a saved Snapshot was asked, where it was not one object.
SCAN, WORST = "Scan", "Worst"
NAMED = 3
_LAST = datetime.max.replace(tzinfo=UTC)


def parse_subject(words: Sequence[str], namespace: str | None) -> Ref | None:
    """`pod/x`, `pod x` or nothing → the object, None for nothing. A kind that is not Kubernetes' own stays as it was typed.

    Errors: UsageError for anything else.
    """
    if not words:
        return None
    kind, slash, name = words[0].partition("/")
    if slash and len(words) == 1:
        pass
    elif not slash and len(words) == 2:
        name = words[1]
    elif not slash and len(words) == 1:
        raise UsageError(f"{words[0]!r} is a kind or a name, not both", f"write KIND/NAME, for example pod/{words[0]}")
    else:
        raise UsageError(f"one object at a time, not {' '.join(words)!r}", "write KIND/NAME or KIND NAME")
    if not kind or not name or "/" in name:
        raise UsageError(f"{' '.join(words)!r} names no object", "write KIND/NAME, for example pod/web-0")
    known = typed(kind)
    return known.ref(namespace, name) if known else Ref(kind, namespace, name)


def not_fine(snap: Snapshot, after: float | None = None, within: str | None = None) -> tuple[Ref, ...]:
    """Every subject that the facts tell something about and that is not fine. within: only what lies in this Namespace."""
    about = {snap.canon(f.about) for f in snap.facts if not isinstance(f, Refused | Same)}
    going = {snap.canon(f.about) for f in snap.every(Deletion) if f.requested}
    unread = {snap.canon(f.about) for f in snap.every(Unreadable) if f.whole}
    found = (r for r in about if r.kind in KINDS or r in going or r in unread)
    ours = (r for r in found if within is None or r.within == within)
    return tuple(r for r in sorted(ours, key=lambda r: r.key) if state_of(r, snap, stage_line(r, snap), after).name != "fine")


def diagnoses_of(refs: Sequence[Ref], snap: Snapshot, causes: Sequence[Asking], after: float | None = None) -> list[Diagnosis]:
    """Each subject's answer, the worst first."""
    return sorted((diagnose(r, snap, causes, after) for r in refs), key=lambda d: worst_key(d, snap))


def told_of(snap: Snapshot, causes: Sequence[Asking], after: float | None = None) -> list[Diagnosis]:
    """Answers from a text, the worst first: those about which it tells anything; where it does of none, the first few that it names."""
    found = diagnoses_of(not_fine(snap, after), snap, causes, after)
    return [d for d in found if d.state.name != "unknown" or d.causes or any(o.possible for o in d.undecided)] or found[:NAMED]


def worst_key(d: Diagnosis, snap: Snapshot) -> tuple[int, int, int, datetime, tuple[str, ...]]:
    """State stuck before unknown; workloads blocked whole, deletions, nodes, Pods, the rest; the largest reach; the longest."""
    state = {"stuck": 0, "unknown": 1, "progressing": 2, "fine": 3}[d.state.name]
    reach = max((sum(n for _, n in t.reach) for t in d.causes), default=0)
    return (state, _rank(d, snap), -reach, d.state.since or _LAST, d.subject.key)


def _rank(d: Diagnosis, snap: Snapshot) -> int:
    workload = snap.one(Workload, d.subject)
    if workload and workload.wanted > 0 and workload.ready == 0 and not workload.finished:
        return 0
    if any(f.requested for f in snap.of(Deletion, d.subject)):
        return 1
    return {"Node": 2, "Pod": 3}.get(d.subject.kind, 4)
