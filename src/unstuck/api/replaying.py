"""Replays a saved Snapshot's answer. No source is asked: the answer is a function of the facts."""

from __future__ import annotations

import os
from collections.abc import Sequence

from unstuck.api.ranking import NAMED, SCAN, WORST, find_unwell, rank_diagnoses, rank_with_silent
from unstuck.api.report import Report, View, report_of
from unstuck.api.saved_files import read_saved
from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.text import who
from unstuck.engine import diagnose, investigate, list_causes
from unstuck.engine.evaluator import Evaluator
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

MOST = 20


def replay(path: str | os.PathLike[str]) -> Report:
    """Answer the question of a saved Snapshot again, from its facts alone.

    path: a file written by `Report.save`, `unstuck … --save` or `unstuck node -o json`, compressed or not;
    `-` reads standard input. Errors: InputError if it cannot be read or is no Snapshot of a known format.
    """
    return replay_saved(read_saved(os.fspath(path)))


@record()
class DiagnosisSet(Record):
    """The diagnoses and their view. silent: named objects of unreported state."""

    diagnoses: tuple[Diagnosis, ...]
    view: View
    silent: tuple[Ref, ...] = ()


def replay_saved(saved: Saved) -> Report:
    """Answer the saved question."""
    found = diagnose_saved(saved)
    return report_of(
        saved,
        found.diagnoses,
        found.view,
        filter(None, [saved.passed_over]),
        left_out=note_silence(found.silent),
    )


def diagnose_again(saved: Saved) -> tuple[list[Diagnosis], View]:
    """Return the diagnoses and their view."""
    found = diagnose_saved(saved)
    return [*found.diagnoses], found.view


def note_silence(silent: Sequence[Ref]) -> tuple[Text, ...]:
    """List the named objects without an answer in one sentence; () for none."""
    if not silent:
        return ()
    n, names = len(silent), ", ".join([*map(who, silent[:NAMED]), *(["…"] if len(silent) > NAMED else [])])
    return (
        say(
            "the text says nothing about the state of {n} more {n:object|objects}: {names}", n=n, names=names
        ),
    )


def diagnose_saved(saved: Saved, evaluator: Evaluator | None = None) -> DiagnosisSet:
    """Answer the question of a Snapshot from its facts. evaluator: None for a new one."""
    snap, asked, after = saved.snapshot, saved.asked, saved.after
    evaluator = evaluator or Evaluator()
    if asked and asked.kind not in (SCAN, WORST):
        return DiagnosisSet((_diagnose_one(asked, snap, after, evaluator),), "why")
    if asked is None:
        diagnoses, silent = rank_with_silent(snap, list_causes(), after, evaluator)
        return DiagnosisSet(tuple(diagnoses), _view_of(diagnoses), tuple(silent))
    found = rank_diagnoses(
        find_unwell(snap, after, asked.within, evaluator), snap, list_causes(), after, evaluator=evaluator
    )
    return (
        DiagnosisSet(tuple(found[:1]), "why") if asked.kind == WORST else DiagnosisSet(tuple(found), "scan")
    )


def _diagnose_one(asked: Ref, snap: Snapshot, after: float | None, evaluator: Evaluator) -> Diagnosis:
    """Answer about one object; a cluster's answer is made as if a further question had added nothing, so that
    it equals the live answer.
    """
    if any(s.startswith("live:") for s in snap.sources):
        return investigate(asked, snap, list_causes(), lambda _: (), after, evaluator=evaluator)[1]
    return diagnose(asked, snap, list_causes(), after, evaluator=evaluator)


def _view_of(diagnoses: Sequence[Diagnosis]) -> View:
    """Choose the view of answers from a text: many are shown like a scan."""
    return "why" if len(diagnoses) <= MOST else "scan"
