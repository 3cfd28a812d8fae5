"""`scan`: everything in a Namespace or in the cluster that is not fine, as incidents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unstuck.cli.answers import Shape, answer, report_of
from unstuck.cli.ask import Cluster, Place, connect, not_asked, now, routed
from unstuck.cli.files import write_saved
from unstuck.cli.progress import progress
from unstuck.cli.subjects import SCAN, diagnoses_of, not_fine
from unstuck.diagnosis.cause import Asking
from unstuck.diagnosis.sign import unique
from unstuck.engine import listed
from unstuck.engine.diagnose import ask
from unstuck.engine.investigate import wanted
from unstuck.facts.aspects.objects import Events, Owners
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref, Want
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

# Each subject's questions are put together with all others'; many subjects of one incident ask the same.
ROUNDS = 4
QUESTIONS = 300
# Of these the Events tell what the object does not; beyond the first ones an incident's other members tell the same.
TOLD_BY_EVENTS = ("Pod", "PersistentVolumeClaim", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
EVENTS = 60
ALIKE = 5
SUBJECTS = 300


@record()
class Scan(Record):
    """The question as it was typed."""

    place: Place
    everywhere: bool
    shape: Shape
    after: float | None = None
    save: str | None = None


def scan(asked: Scan) -> int:
    """Prints the incidents and returns the exit status."""
    to = connect(asked.place)
    cluster, within = to.fresh(), None if asked.everywhere else to.namespace
    with progress(f"{cluster.source}: {within or 'all'}"):
        snap = deepen(cluster, survey(cluster, within), within, asked.after, listed())
    if asked.save:
        write_saved(asked.save, Saved(snap, Ref(SCAN, within), asked.after))
    diagnoses = diagnoses_of(not_fine(snap, asked.after, within), snap, listed(), asked.after)
    return answer(report_of(snap, diagnoses), asked.shape, "scan")


def survey(cluster: Cluster, namespace: str | None) -> Snapshot:
    """The lists of what can be stuck, without looking closer. namespace: None for all."""
    _, facts = cluster.list_unhealthy(namespace)
    return Snapshot(facts, now(), (cluster.source,))


def deepen(cluster: Cluster, snap: Snapshot, within: str | None, after: float | None, causes: Sequence[Asking]) -> Snapshot:
    """What the API tells beyond the lists, asked for all subjects at once; nodes are not asked in a scan.

    Of the many Pods of one owner the first few are looked at closely: what they turn out to wait for, the others wait for too.
    """
    collect = routed(cluster.collect, not_asked())
    closely = looked_at_closely(not_fine(snap, after, within), snap)
    told = [Want(Events, r) for r in closely if r.kind in TOLD_BY_EVENTS][:EVENTS]
    snap = snap.plus(collect(told)) if told else snap
    put: set[Want] = set()
    for _ in range(ROUNDS):
        asked = {r: [w for w in wanted(ask(r, snap, causes, after, depth=0), snap) if w not in put] for r in closely}
        wants = list(unique(w for ws in asked.values() for w in ws))[:QUESTIONS]
        if not wants:
            break
        put.update(wants)
        snap = snap.plus(collect(wants))
        # The answer about a subject changes only by what was asked for it.
        closely = [r for r, ws in asked.items() if ws]
    return snap


def looked_at_closely(refs: Sequence[Ref], snap: Snapshot) -> list[Ref]:
    """Everything but the later ones among equals: Pods of one controller."""
    seen: Counter[Ref] = Counter()
    out = []
    for ref in refs:
        owners = snap.one(Owners, ref)
        if owners and owners.controller:
            seen[owners.controller] += 1
            if seen[owners.controller] > ALIKE:
                continue
        out.append(ref)
    return out[:SUBJECTS]
