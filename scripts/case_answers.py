"""What each case of a cause answers, and by which signs: `make case-answers ID=file.immutable`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tests.contract.support import Loaded, load_all, verdict_of, word

from unstuck.diagnosis.verdict import Match
from unstuck.engine.reads import LookupLog, Reads

MARKS = {True: "yes", False: "no", None: "unknown"}


def main(argv: list[str]) -> int:
    """Print the answers; 1 where one is not what its case expects, 2 for an id that no cause with cases has."""
    cases = [c for c in load_all() if argv and c.cause.id == argv[0]]
    if not cases:
        sys.stderr.write("ID is that of a cause with cases, such as file.immutable\n")
        return 2
    wrong = 0
    for case in cases:
        lines = list(_shown(case))
        wrong += lines[0].startswith("WRONG")
        sys.stdout.write("\n".join(lines) + "\n\n")
    return int(bool(wrong))


def _shown(case: Loaded) -> Iterator[str]:
    """Yield the lines of one case: what it answers, each sign with the facts behind it, and what is wanted."""
    verdict = verdict_of(case.cause, case.subject, case.snapshot)
    got, expected = word(verdict), case.case.expect
    fits = got == expected or (expected, got) == ("undecided", "possible")
    yield f"{'ok   ' if fits else 'WRONG'} {case.case.kind}: {case.case.title}: {got}" + ("" if fits else f", expected {expected}")
    signs = case.cause.rule(case.subject, Reads(case.snapshot, LookupLog(case.snapshot)))
    for kind in ("necessary", "decisive", "supporting", "against"):
        for says, sign in getattr(signs, kind, {}).items():
            yield f"      {kind:10} {MARKS[sign.value]:8} {says}"
            yield from (f"                 from {type(fact).__name__} {fact.about}, by {fact.src.where}" for fact in sign.seen[:3])
            yield from (f"                 wants {want.fact.__name__} {want.about}" for want in sign.wants[:3])
    if isinstance(verdict, Match):
        yield f"      says {verdict.finding.says.en}"
        yield f"           {verdict.finding.says.zh}"
    yield f"      facts: {', '.join(sorted({type(f).__name__ for f in case.snapshot.facts}))}"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
