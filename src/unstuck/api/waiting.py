"""Answers about one object: the worst of a Namespace, or an object polled until its state or cause is
known.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from unstuck.api.investigation import Means, ask_one, now
from unstuck.api.ranking import WORST, find_unwell, rank_diagnoses
from unstuck.api.reader import ClusterReader
from unstuck.api.scanning import survey
from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.text import Messages
from unstuck.engine import list_causes
from unstuck.engine.evaluator import Evaluator
from unstuck.errors import NotFound
from unstuck.facts.aspects.pod import Life
from unstuck.facts.aspects.services import Unserving
from unstuck.facts.core import Ref, Want
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)

PAUSES = (1.0, 2.0, 3.0, 5.0)


class Pause(Protocol):
    """Waits between two looks."""

    def __call__(self, diagnosis: Diagnosis, seconds: float, /) -> None:
        """Return after this many seconds. diagnosis: the result of the last look. An exception ends the
        waiting.
        """


def sleep(diagnosis: Diagnosis, seconds: float) -> None:
    """Sleep."""
    del diagnosis
    time.sleep(seconds)


def ask_worst(
    reader: ClusterReader, namespace: str | None, means: Means, after: float | None
) -> tuple[Snapshot, Ref, list[Diagnosis]]:
    """Look closely at the worst problem in the Namespace, or for None in the cluster.

    Return the Snapshot, its question, and the answer, if any.
    """
    snap = survey(reader, namespace)
    evaluator = Evaluator()
    found = rank_diagnoses(
        find_unwell(snap, after, namespace, evaluator), snap, list_causes(), after, evaluator=evaluator
    )
    if not found and namespace is not None:
        snap, found = _ask_services(reader, snap, namespace, after)
    if not found:
        return snap, Ref(WORST, namespace), []
    snap, diagnosis = ask_one(reader, found[0].subject, means, after)
    return snap, diagnosis.subject, [diagnosis]


def _ask_services(
    reader: ClusterReader, snap: Snapshot, namespace: str, after: float | None
) -> tuple[Snapshot, list[Diagnosis]]:
    """Look for Services without ready endpoints when all else is healthy."""
    snap = snap.plus(reader.collect([Want(Unserving, Ref("ServiceList", namespace))]))
    services = [s for f in snap.every(Unserving) for s in f.services]
    return snap, [
        d
        for d in rank_diagnoses(services, snap, list_causes(), after)
        if d.state.name == "stuck" and d.causes
    ]


def wait_for(
    fresh: Callable[[], ClusterReader],
    subject: Ref,
    means: Means,
    after: float | None,
    timeout: float,
    pause: Pause = sleep,
) -> tuple[Snapshot, Diagnosis]:
    """Ask again until the object is fine, held or gone, or it is stuck by a known cause, or `timeout` seconds
    are over.

    fresh: makes a reader for the current moment. Errors: those of `unstuck.errors`; NotFound only if the
    object did not exist at first.
    """
    until = time.monotonic() + timeout
    last: tuple[Snapshot, Diagnosis] | None = None
    turn = 0
    while True:
        reader = fresh()
        try:
            snap, diagnosis = ask_one(reader, subject, means, after)
        except NotFound:
            if last is None:
                raise
            return _make_deletion_answer(last[1], reader)
        if (
            last
            and last[1].subject.uid
            and diagnosis.subject.uid != last[1].subject.uid
            and not _is_mirror(snap, diagnosis.subject)
        ):
            return _make_deletion_answer(last[1], reader)
        last = snap, diagnosis
        known = diagnosis.state.name in ("fine", "held") or (
            diagnosis.state.name == "stuck" and diagnosis.causes
        )
        left = until - time.monotonic()
        if known or left <= 0:
            return last
        pause(diagnosis, min(left, PAUSES[min(turn, len(PAUSES) - 1)]))
        turn += 1


def _is_mirror(snap: Snapshot, pod: Ref) -> bool:
    """Tell whether it is the mirror of a static Pod: its replacement by a new mirror is no deletion."""
    return any(f.mirror for f in snap.of(Life, pod))


def _make_deletion_answer(before: Diagnosis, reader: ClusterReader) -> tuple[Snapshot, Diagnosis]:
    state = add_headline(before.subject, "fine", say("gone"))
    return Snapshot((), now(), (reader.source,)), Diagnosis(before.subject, state, (), (), (), ())
