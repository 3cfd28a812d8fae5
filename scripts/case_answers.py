"""The answer to each case of a cause, and the signs that lead to it: `make case-answers
ID=file.immutable`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from scripts.pipes import run_piped
from tests.contract.support import Loaded, find_problems, find_word, is_met, judge_case, load_all

from unstuck.diagnosis.answer import Stage
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.verdict import Match, Verdict
from unstuck.engine.reads import LookupLog, Reads
from unstuck.facts.core import Fact
from unstuck.stages.lines import gate_any, list_stages

MARKS = {True: "yes", False: "no", None: "unknown"}
DEFAULT: Sign[Any] = Sign(True)


def main(argv: list[str]) -> int:
    """Print the answers. Return 1 if one differs from its case's expectation, 2 if the id is no cause with
    cases.
    """
    cases = [c for c in load_all() if argv and c.cause.id == argv[0]]
    if not cases:
        sys.stderr.write("ID is that of a cause with cases, such as file.immutable\n")
        return 2
    wrong = 0
    for case in cases:
        verdict = judge_case(case.cause, case.subject, case.snapshot)
        problems = _find_problems(case, verdict)
        wrong += bool(problems)
        sys.stdout.write(
            f"{'WRONG' if problems else 'ok   '} {case.case.kind}: {case.case.title}: {find_word(verdict)}\n"
        )
        sys.stdout.write("".join(f"      {line}\n" for line in (*problems, *_explain(case, verdict))) + "\n")
    return int(bool(wrong))


def _find_problems(case: Loaded, verdict: Verdict) -> list[str]:
    """Return the differences from the case's expectation, with the contract tests' check."""
    if not is_met(case.case.expect, verdict):
        return [f"!! expected {case.case.expect}"]
    return [f"!! {problem}" for problem in find_problems(case.case, verdict)]


def _explain(case: Loaded, verdict: Verdict) -> Iterator[str]:
    """Yield the basis of the verdict: the stage gate, every sign with its facts, the sentence, and all facts
    of the case.
    """
    reads = Reads(case.snapshot, LookupLog(case.snapshot))
    signs, stages = case.cause.rule(case.subject, reads), list_stages(case.subject, reads)
    gate = gate_any(case.subject, case.cause.stages, stages, case.snapshot)
    held = ", ".join(case.cause.stages) or "any stage"
    yield from _sign("gate", f"{case.case.subject.kind} is held up at: {held}", gate)
    if gate.value is not True:
        yield from (f"           {line}" for line in _list_stages(stages))
    if signs.applies != DEFAULT:
        yield from _sign("applies", "", signs.applies)
    for kind in ("necessary", "decisive", "supporting"):
        for name, sign in getattr(signs, kind).items():
            yield from _sign(kind, name, sign)
    if isinstance(verdict, Match):
        yield f"says {verdict.finding.says.en}"
        yield f"     {verdict.finding.says.zh}"
    yield f"facts: {', '.join(sorted({type(f).__name__ for f in case.snapshot.facts}))}"


def _sign(kind: str, name: str, sign: Sign[Any]) -> Iterator[str]:
    """Yield a sign, the sources of its facts, and the facts that would decide it."""
    assumed = "" if sign.sure else " (not sure: the fact's subject is assumed, so that it proves nothing)"
    yield f"{kind:10} {MARKS[sign.value]:8} {name}{assumed}"
    yield from (f"           from {_describe_source(fact, sign)}" for fact in sign.seen[:3])
    yield from (f"           wants {want.fact.__name__} {want.about}" for want in sign.wants[:3])


def _describe_source(fact: Fact, sign: Sign[Any]) -> str:
    part = " (not whole: it cannot say no)" if sign.value is None and not fact.whole else ""
    return f"{type(fact).__name__} {fact.about}, by {fact.src.where}{part}"


def _list_stages(stages: tuple[Stage, ...]) -> Iterator[str]:
    """Yield the subject's stages, which explain why a gate is not open."""
    yield "its stages by these facts: " + (
        ", ".join(f"{s.id} {s.state}" for s in stages) or "none, the object itself is not among them"
    )


if __name__ == "__main__":
    raise SystemExit(run_piped(main, sys.argv[1:]))
