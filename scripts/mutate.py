"""Drops each sign of each rule in turn; some case of that cause must fail.

Usage: python scripts/mutate.py [CAUSE …]. Prints the survivors, one line each, and exits with 1 if there are
any: a case for the sign is missing, or the sign is unnecessary.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unstuck.engine.reads import LookupLog, Reads

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.contract.support import Loaded, is_met, load_all  # noqa: E402 - the tests are beside this directory

from unstuck.diagnosis.sign import Sign  # noqa: E402 - as above
from unstuck.diagnosis.verdict import Match, Signs, judge  # noqa: E402 - as above
from unstuck.stages.lines import gate_any, list_stages  # noqa: E402 - as above

Change = Callable[[Signs, Sign[Any]], tuple[Signs, Sign[Any]]]
GROUPS = ("necessary", "decisive", "supporting")


@dataclass(frozen=True)
class Evaluated:
    """A case with its signs and its gate, so that a mutant needs only judging."""

    loaded: Loaded
    signs: Signs
    gate: Sign[Any]

    def is_red(self, change: Change) -> bool:
        """Tell whether this case detects the change. A rule that raises without the sign counts as
        detected.
        """
        try:
            verdict = judge(*change(self.signs, self.gate))
        except (IndexError, StopIteration, ValueError, TypeError):
            return True
        case = self.loaded.case
        if not is_met(case.expect, verdict):
            return True
        if not isinstance(verdict, Match) or case.says is None:
            return False
        return not (case.says in verdict.finding.says.en and case.says in verdict.finding.says.zh)


def evaluate(loaded: Loaded) -> Evaluated:
    """Evaluate a case in the engine's way."""
    subject, snap, cause = loaded.subject, loaded.snapshot, loaded.cause
    reads = Reads(snap, LookupLog(snap))
    return Evaluated(
        loaded, cause.rule(subject, reads), gate_any(subject, cause.stages, list_stages(subject, reads), snap)
    )


def drop(group: str, name: str) -> Change:
    """Return a change that drops one sign from one of the rule's mappings."""

    def change(signs: Signs, gate: Sign[Any]) -> tuple[Signs, Sign[Any]]:
        kept: Mapping[str, Sign[Any]] = {k: s for k, s in getattr(signs, group).items() if k != name}
        if group == "necessary":
            return replace(signs, necessary=kept), gate
        return (
            replace(signs, decisive=kept) if group == "decisive" else replace(signs, supporting=kept)
        ), gate

    return change


def apply_always(signs: Signs, gate: Sign[Any]) -> tuple[Signs, Sign[Any]]:
    """Return a change that makes the rule always apply."""
    return replace(signs, applies=Sign(True)), gate


def list_mutants(cases: list[Evaluated]) -> Iterator[tuple[str, Change]]:
    """Yield all changes that drop a part of one cause's rule."""
    if any(e.signs.applies != Sign(True) for e in cases):
        yield "applies", apply_always
    for group in GROUPS:
        names = dict.fromkeys(name for e in cases for name in getattr(e.signs, group))
        for name in names:
            yield f"{group}: {name}", drop(group, name)


def main(only: list[str]) -> int:
    """Print the survivors. Return 1 if there are any, or if a case already fails without a change."""
    by_cause: dict[str, list[Evaluated]] = {}
    for loaded in load_all():
        if not only or loaded.cause.id in only:
            by_cause.setdefault(loaded.cause.id, []).append(evaluate(loaded))
    tried, failed = 0, 0
    for id_, cases in by_cause.items():
        for e in cases:
            if e.is_red(lambda signs, gate: (signs, gate)):
                print(f"{id_}: red as it is: {e.loaded.case.title}")  # noqa: T201 - a script
                failed += 1
        for what, change in list_mutants(cases):
            tried += 1
            if not any(e.is_red(change) for e in cases):
                print(f"{id_}: no case needs {what}")  # noqa: T201 - a script
                failed += 1
    print(f"{tried} signs dropped in {len(by_cause)} causes, {failed} not noticed")  # noqa: T201 - a script
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
