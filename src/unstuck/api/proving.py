"""The proof of an answer as a separate Snapshot, and the judgement of a proof, both without a cluster."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unstuck import __version__
from unstuck.api.saved_files import read_saved
from unstuck.diagnosis.proof import NeededFact, Verification
from unstuck.engine import diagnose, list_causes
from unstuck.engine.proof import ProofQuestion, find_needed_facts, minimise_facts
from unstuck.errors import InputError
from unstuck.facts.codec import ProofClaim, Saved
from unstuck.facts.text import Messages

if TYPE_CHECKING:
    from unstuck.api.report import Report
    from unstuck.diagnosis.answer import CauseMatch, Diagnosis

say = Messages(__name__)


def find_proof(report: Report) -> Saved | None:
    """Return the smallest Snapshot that proves the report's first cause; None if no cause is known."""
    if (first := _find_first(report)) is None:
        return None
    d, told = first
    question = ProofQuestion(d.subject, told.id, report.saved.after)
    return Saved(
        minimise_facts(told, question, report.snapshot, list_causes()),
        d.subject,
        question.after,
        ProofClaim(told.id, told.confidence),
    )


def _find_first(report: Report) -> tuple[Diagnosis, CauseMatch] | None:
    """Return a scan's diagnosis of the widest incident; else the diagnosis of the first object with a
    cause.
    """
    if report.view == "scan":
        for incident in report.incidents:
            d = report.diagnoses[incident.representative]
            if d.causes and d.causes[0].id == incident.cause:
                return d, d.causes[0]
    return next(((d, d.causes[0]) for d in report.diagnoses if d.causes), None)


def verify(path: str | os.PathLike[str]) -> Verification:
    """Judge a saved Snapshot again: whether its claim follows from its facts, and which of them are
    necessary.

    path: the output of `-o proof` or `--save`; `-` reads standard input. Without a claim, its own first cause
    is the claim. Errors: InputError if it cannot be read, is no Snapshot about one object, or has neither a
    claim nor a conclusion.
    """
    return verify_saved(read_saved(os.fspath(path)), os.fspath(path))


def verify_saved(saved: Saved, name: str) -> Verification:
    """Judge a loaded Snapshot. name: its name in errors."""
    if saved.asked is None or not (saved.asked.name or saved.asked.uid):
        raise InputError(
            say("{name} is not about one object", name=name),
            say("a proof comes from `unstuck why … -o proof`"),
        )
    d = diagnose(saved.asked, saved.snapshot, list_causes(), saved.after)
    told = d.causes[0] if d.causes else None
    claim = saved.claim or (ProofClaim(told.id, told.confidence) if told else None)
    if claim is None:
        raise InputError(say("no cause follows from {name}, and none is claimed", name=name))
    holds = told is not None and (told.id, told.confidence) == (claim.cause, claim.confidence)
    rests: tuple[NeededFact, ...] = ()
    if told is not None and holds:
        question = ProofQuestion(saved.asked, claim.cause, saved.after)
        # Every minimal set contains all necessary facts.
        rests = find_needed_facts(
            question,
            minimise_facts(told, question, saved.snapshot, list_causes()).facts,
            saved.snapshot,
            list_causes(),
        )
    return Verification(
        claim.cause,
        claim.confidence,
        d,
        told,
        holds,
        rests,
        len(saved.snapshot.facts),
        saved.snapshot.now,
        __version__,
    )
