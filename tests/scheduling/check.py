"""Compares our verdicts with kube-scheduler's own filters: `make check-scheduler CASES=20000 SEED=1`.

Prints which filters and reasons the cases reached, the smallest failing case if there is one, and last `N
agree, M differ`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.scheduling.agreement import Difference, compare, list_filters
from tests.scheduling.command import Say, run_command
from tests.scheduling.generate import make_case
from tests.scheduling.reasons import KNOWN, ORDER, UNREACHABLE, normalise
from tests.scheduling.shrink import shrink
from unstuck_lab.oracle import Oracle

_AT_ONCE = 500

Case = dict[str, Any]


@dataclass
class Report:
    """The result of a run. failing: the first differing case, with its differences. reached: the number of
    cases with each (plugin, reason).
    """

    agree: int = 0
    differ: int = 0
    fit: int = 0
    failing: tuple[Case, Difference] | None = None
    reached: Counter[tuple[str, str]] = field(default_factory=Counter)
    left_open: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)


def run(cases: int, seed: int, say: Say = lambda _: None) -> Report:
    """Compare this many cases; a seed determines the cases."""
    report = Report()
    with Oracle() as oracle:
        for begin in range(0, cases, _AT_ONCE):
            some = [make_case(seed, i) for i in range(begin, min(begin + _AT_ONCE, cases))]
            for case, verdict in zip(some, oracle.ask_all(some), strict=True):
                _take(report, case, verdict)
            say(f"{report.agree + report.differ} cases, {report.differ} differ")
        if report.failing:
            report.failing = _find_smallest(oracle, *report.failing)
    return report


def _take(report: Report, case: Case, verdict: Mapping[str, Any]) -> None:
    for reason in set(_list_reasons(verdict)):
        report.reached[reason] += 1
    report.fit += bool(verdict["fits"])
    found = _compare(case, verdict)
    report.left_open.update(found.unknown)
    if not found.differences:
        report.agree += 1
        return
    report.differ += 1
    report.differing.update({d.plugin for d in found.differences})
    if report.failing is None:
        report.failing = (case, found.differences[0])


def _compare(case: Case, verdict: Mapping[str, Any]) -> Any:
    if verdict["filter"] is None:
        raise ValueError(f"case {case.get('id')}: the oracle cannot read it: {verdict['error']}")
    return compare(case, verdict, ORDER)


def _find_smallest(oracle: Oracle, case: Case, difference: Difference) -> tuple[Case, Difference]:
    """Return the smallest case with the same kind of difference, of the same plugin."""

    def kind(other: Difference) -> tuple[str, str, str]:
        return other.plugin, normalise(other.ours), normalise(other.theirs)

    def found(tried: Case) -> Difference | None:
        verdict = oracle.ask(tried)
        if verdict["filter"] is None:
            return None
        return next(
            (d for d in compare(tried, verdict, ORDER).differences if kind(d) == kind(difference)), None
        )

    small = shrink(case, lambda tried: found(tried) is not None)
    return small, found(small) or difference


def _list_reasons(verdict: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    by_plugin = [verdict["preenqueue"], verdict["prefilter"], *verdict["filter"].values()]
    for plugin, status in (pair for told in by_plugin for pair in told.items()):
        yield from ((plugin, normalise(reason)) for reason in status["reasons"] or ())
    whole = f"{verdict.get('message', '')} {verdict.get('error', '')}"
    yield from (
        (plugin, text) for plugin, text in KNOWN if plugin == "the cycle" and text in normalise(whole)
    )


def format_report(report: Report) -> Iterator[str]:
    """Yield the lines of the report; the last is the count."""
    for plugin in dict.fromkeys(plugin for plugin, _ in KNOWN):
        texts = [(text, n) for (p, text), n in sorted(report.reached.items()) if p == plugin]
        yield f"{plugin}: {sum(n for _, n in texts)}"
        yield from (f"  {n:6d}  {text}" for text, n in texts)
    missing = [k for k in KNOWN if k not in report.reached]
    if missing:
        yield "not reached:"
        yield from (
            (
                f"  {plugin}: {text}: "
                f"{UNREACHABLE.get((plugin, text), 'by chance; try more cases or another seed')}"
            )
            for plugin, text in missing
        )
    unlisted = sorted(k for k in report.reached if k not in KNOWN)
    if unlisted:
        yield "reached, and in no list: " + "; ".join(": ".join(k) for k in unlisted)
    unwritten = [name for name in ORDER if name not in {f.name for f in list_filters()}]
    if unwritten:
        yield f"not compared, as there is no such filter: {', '.join(unwritten)}"
    for plugin, n in report.left_open.items():
        yield f"{plugin}: {n} cases where we leave open what the scheduler decides"
    yield f"{report.fit} of {report.agree + report.differ} Pods fit somewhere"
    if report.failing:
        case, difference = report.failing
        yield (
            f"\ncases that differ, by plugin: {dict(report.differing)}\nthe smallest of the "
            f"first:\n{json.dumps(case)}\n{difference}\n"
        )
    yield f"{report.agree} agree, {report.differ} differ"


if __name__ == "__main__":
    sys.exit(1 if run_command(__doc__, 1000, run, format_report).differ else 0)
