"""A saved Snapshot's answer again. Nothing is asked: the answer is a function of the facts."""

from __future__ import annotations

import os
from collections.abc import Sequence

from unstuck.api.ranking import SCAN, WORST, diagnoses_of, not_fine, told_of
from unstuck.api.report import Report, View, report_of
from unstuck.api.saved_files import read_saved
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import diagnose, listed
from unstuck.engine.evaluator import Evaluator
from unstuck.facts.codec import Saved

MOST = 20


def replay(path: str | os.PathLike[str]) -> Report:
    """Answer the question of a saved Snapshot again, from its facts alone.

    path: a file that `Report.save`, `unstuck … --save` or `unstuck node -o json` has written, compressed or not; `-` reads standard
    input. Errors: InputError where it cannot be read or is no Snapshot of a known format.
    """
    return replayed(read_saved(os.fspath(path)))


def replayed(saved: Saved) -> Report:
    """Answer the question that was asked when it was saved."""
    diagnoses, view = answered(saved)
    return report_of(saved, diagnoses, view, filter(None, [saved.passed_over]))


def answered(saved: Saved) -> tuple[list[Diagnosis], View]:
    """Return the diagnoses, and how they are shown."""
    snap, asked, after = saved.snapshot, saved.asked, saved.after
    if asked and asked.kind not in (SCAN, WORST):
        return [diagnose(asked, snap, listed(), after)], "why"
    if asked is None:
        told = told_of(snap, listed(), after)
        return told, _view_of(told)
    evaluator = Evaluator()
    found = diagnoses_of(not_fine(snap, after, asked.within, evaluator), snap, listed(), after, evaluator=evaluator)
    return (found[:1], "why") if asked.kind == WORST else (found, "scan")


def _view_of(told: Sequence[Diagnosis]) -> View:
    """Choose how answers from a text are shown: many as a scan's."""
    return "why" if len(told) <= MOST else "scan"
