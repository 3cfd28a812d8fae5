"""`why`: one object's answer, once or until something is known."""

from __future__ import annotations

import time

from unstuck.cli import terminal
from unstuck.cli.answers import Shape, answer, report_of
from unstuck.cli.ask import Sight, ask_one, now
from unstuck.cli.connecting import Cluster, Connection, Place, Reach, connect
from unstuck.cli.files import write_saved
from unstuck.cli.progress import progress
from unstuck.cli.subjects import WORST, diagnoses_of, not_fine, parse_subject
from unstuck.diagnosis.answer import Diagnosis, State
from unstuck.diagnosis.text import Text
from unstuck.engine import listed
from unstuck.errors import NotFound
from unstuck.facts.aspects.pod import Life
from unstuck.facts.aspects.services import Unserving
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref, Want
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.render.words import in_lang

PAUSES = (1.0, 2.0, 3.0, 5.0)


@record()
class Why(Record):
    """The question as it was typed. after: seconds. timeout: seconds to wait, None for asking once."""

    subject: tuple[str, ...]
    place: Place
    sight: Sight
    shape: Shape
    after: float | None = None
    save: str | None = None
    timeout: float | None = None


def why(asked: Why) -> int:
    """Prints the answer, saves its Snapshot where that was wanted, and returns its exit status.

    Errors: `UnstuckError` where the question cannot be asked.
    """
    parse_subject(asked.subject, None)
    to = connect(asked.place, dry_run=asked.sight.dry_run, ask_registry=asked.sight.ask_registry)
    subject = parse_subject(asked.subject, to.namespace)
    if subject is None:
        snap, ref, diagnoses = _worst(to, asked)
    elif asked.timeout is None:
        snap, diagnosis = ask_one(to.fresh(), subject, asked.sight, asked.after, reach_of(to, asked))
        ref, diagnoses = diagnosis.subject, [diagnosis]
    else:
        snap, diagnosis = wait_for(to, subject, asked, asked.timeout)
        ref, diagnoses = diagnosis.subject, [diagnosis]
    if asked.save:
        write_saved(asked.save, Saved(snap, ref, asked.after))
    return answer(report_of(snap, diagnoses), asked.shape)


def reach_of(to: Connection, asked: Why) -> Reach | None:
    """The ways to this cluster's nodes. On a terminal, and only for an answer in text, a question may be put to whoever sits there."""
    if not asked.sight.node:
        return None
    return to.reach(asked.sight, asked.shape.lang, asked.shape.output == "text" and terminal.answering())


def _worst(to: Connection, asked: Why) -> tuple[Snapshot, Ref, list[Diagnosis]]:
    """The worst thing in the Namespace, looked at closely."""
    from unstuck.cli.scan import survey  # noqa: PLC0415

    cluster = to.fresh()
    with progress(f"{cluster.source}: {to.namespace}"):
        snap = survey(cluster, to.namespace)
        found = diagnoses_of(not_fine(snap, asked.after, to.namespace), snap, listed(), asked.after)
        if not found:
            snap, found = _unserving(cluster, snap, to.namespace, asked.after)
    if not found:
        return snap, Ref(WORST, to.namespace), []
    snap, diagnosis = ask_one(cluster, found[0].subject, asked.sight, asked.after, reach_of(to, asked))
    return snap, diagnosis.subject, [diagnosis]


def _unserving(cluster: Cluster, snap: Snapshot, namespace: str, after: float | None) -> tuple[Snapshot, list[Diagnosis]]:
    """Where all that runs is well: the Services that were meant for it and reach nobody."""
    snap = snap.plus(cluster.collect([Want(Unserving, Ref("ServiceList", namespace))]))
    services = [s for f in snap.every(Unserving) for s in f.services]
    return snap, [d for d in diagnoses_of(services, snap, listed(), after) if d.state.name == "stuck" and d.causes]


def wait_for(to: Connection, subject: Ref, asked: Why, timeout: float) -> tuple[Snapshot, Diagnosis]:
    """Asks again until the object is fine or gone, or it is stuck by a known cause, or the time is over."""
    until = time.monotonic() + timeout
    reach = reach_of(to, asked)
    last: tuple[Snapshot, Diagnosis] | None = None
    for turn in range(1_000_000):
        cluster = to.fresh()
        try:
            snap, diagnosis = ask_one(cluster, subject, asked.sight, asked.after, reach)
        except NotFound:
            if last is None:
                raise
            return _gone(last[1], cluster)
        if last and last[1].subject.uid and diagnosis.subject.uid != last[1].subject.uid and not _mirror(snap, diagnosis.subject):
            return _gone(last[1], cluster)
        last = snap, diagnosis
        if diagnosis.state.name == "fine" or (diagnosis.state.name == "stuck" and diagnosis.causes):
            break
        left = until - time.monotonic()
        if left <= 0:
            break
        with progress(f"{cluster.source}: {in_lang(diagnosis.state.headline, asked.shape.lang)}"):
            time.sleep(min(left, PAUSES[min(turn, len(PAUSES) - 1)]))
    assert last is not None  # noqa: S101
    return last


def _mirror(snap: Snapshot, pod: Ref) -> bool:
    """Whether it is the mirror of a static Pod: a new one in its place is no sign that anything is gone."""
    return any(f.mirror for f in snap.of(Life, pod))


def _gone(before: Diagnosis, cluster: Cluster) -> tuple[Snapshot, Diagnosis]:
    who = str(before.subject)
    state = State("fine", Text(f"{who} is gone", f"{who} 已消失"))
    return Snapshot((), now(), (cluster.source,)), Diagnosis(before.subject, state, (), (), (), ())
