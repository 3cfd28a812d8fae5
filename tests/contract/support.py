"""Cases of all causes as Snapshots, shared by the contract tests, the mutation check and the docs."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property

from scripts.cases import Case, load_cases

from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.verdict import Match, Undecided, Verdict, judge
from unstuck.engine import diagnose, discover
from unstuck.engine.discover import locate_module
from unstuck.engine.reads import LookupLog, Reads
from unstuck.facts.codec import find_fact_types, read_fact
from unstuck.facts.core import Fact, Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import gate_any, list_stages

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@dataclass(frozen=True)
class Loaded:
    """A case of a cause; its texts are read and answered on demand, only once per process."""

    cause: Cause
    case: Case

    @cached_property
    def snapshot(self) -> Snapshot:
        return Snapshot(load_facts(self.case), self.case.now or NOW)

    @cached_property
    def _diagnosis(self) -> Diagnosis:
        return diagnose(self.subject, self.snapshot, discover())

    @property
    def diagnosis(self) -> Diagnosis:
        """Return the answer about the case, which several tests share.

        The signs, needed only in a document, are not read yet: keeping them would double the memory.
        """
        return replace(self._diagnosis, ruled_out=tuple(map(copy, self._diagnosis.ruled_out)))

    @property
    def name(self) -> str:
        return f"{self.cause.id}: {self.case.title}"

    @property
    def subject(self) -> Ref:
        return self.snapshot.canon(self.case.subject)


def find_problems(case: Case, verdict: Verdict) -> list[str]:
    """Return the differences of an agreeing verdict's finding from the case's promises, one line each."""
    if not isinstance(verdict, Match):
        return []
    texts = {"English": verdict.finding.says.en, "Chinese": verdict.finding.says.zh}
    found = [
        f"says: {case.says!r} is not in the {language} sentence"
        for language, text in texts.items()
        if (case.says or "") not in text
    ]
    steps = [f"{step.says.en} {step.command.line}" for step in verdict.finding.help]
    if case.does and not any(case.does in step for step in steps):
        found.append(f"does: {case.does!r} is in no step")
    found += [
        f"does-not: {case.does_not!r} is in a step: {step}"
        for step in steps
        if case.does_not and case.does_not in step
    ]
    return found


def load_facts(case: Case) -> list[Fact]:
    found: list[Fact] = []
    for info, text in case.texts:
        language, _, name = info.partition(" ")
        if language == "facts":
            for doc in json.loads(text):
                assert doc["type"] in find_fact_types(), f"unknown fact type {doc['type']}"
                fact = read_fact(doc)
                assert fact is not None
                found.append(fact)
        else:
            found.extend(read_text(text, name or language, case.now or NOW).facts)
    return found


@cache
def load_all() -> tuple[Loaded, ...]:
    files = ((cause, locate_module(cause).with_suffix(".cases.md")) for cause in discover())
    return tuple(Loaded(cause, case) for cause, path in files if path.exists() for case in load_cases(path))


def judge_case(cause: Cause, subject: Ref, snap: Snapshot) -> Verdict:
    """Judge a case in the engine's way: the rule and the stages get the same kind of object as from the
    engine.
    """
    reads = Reads(snap, LookupLog(snap))
    return judge(
        cause.rule(subject, reads), gate_any(subject, cause.stages, list_stages(subject, reads), snap)
    )


def find_word(verdict: Verdict) -> str:
    if isinstance(verdict, Match):
        return verdict.confidence
    if isinstance(verdict, Undecided):
        return "possible" if verdict.possible else "undecided"
    return "ruled-out"


def is_met(expected: str, verdict: Verdict) -> bool:
    """Tell whether a verdict meets the expectation: `undecided` covers possible too; every other word must
    match exactly.
    """
    got = find_word(verdict)
    return got == expected or (expected == "undecided" and got == "possible")
