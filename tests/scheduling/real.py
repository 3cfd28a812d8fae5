"""Compares our verdicts with the running kube-scheduler's: `make check-scheduler-process CASES=100 SEED=1`.

The generated cases must be unmodified in the cluster; they are compared by its `PodScheduled` condition. The
last line is `N agree, M differ`; the oracle's message is compared with the same condition, which checks the
oracle itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.scheduling.case import read_case
from tests.scheduling.command import Say, run_command
from tests.scheduling.generate import make_case
from unstuck.scheduling.decide import decide
from unstuck.scheduling.preemption import whole_message
from unstuck_lab.oracle import Oracle
from unstuck_lab.scheduler_process import SchedulerProcess

Case = dict[str, Any]

# The parts of the message from preemption and the deallocation of claims, which are compared separately: by
# their beginnings.
_ADDED = (
    " no new claims to deallocate",
    " deallocation of ResourceClaim",
    " not found",
    " preemption:",
    " still not schedulable",
)


@dataclass
class Answers:
    """The result of a run. differing: id of the case, our message, the oracle's, the scheduler's."""

    agree: int = 0
    differing: list[tuple[str, str, str, str]] = field(default_factory=list)
    bound: int = 0


def run(cases: int, seed: int, say: Say = lambda _: None) -> Answers:
    """Ask about this many cases; a differing one is repeated with more time for its watches."""
    answers = Answers()
    with Oracle() as oracle, SchedulerProcess() as scheduler:
        for case in _list_askable(seed, cases, oracle):
            verdict = oracle.ask(case)
            for settle in (0.4, 2):
                real = scheduler.ask(case, settle)
                differs = _find_difference(case, verdict, real)
                if differs is None:
                    break
            answers.bound += "node" in real
            if differs is None:
                answers.agree += 1
            else:
                answers.differing.append(differs)
            say(f"{answers.agree} agree, {len(answers.differing)} differ")
    return answers


def _list_askable(seed: int, cases: int, oracle: Oracle) -> Iterator[Case]:
    """Yield cases that stay unchanged while the scheduler examines them."""
    taken = 0
    for index in count():
        if taken == cases:
            return
        case = make_case(seed, index)
        # Another waiting Pod would be placed meanwhile.
        case["pods"] = [
            p for p in case["pods"] if "nodeName" in p["spec"] or p["spec"].get("schedulingGates")
        ]
        if not _is_kept(case):
            continue
        verdict = oracle.ask(case)
        # A fitting Pod is bound after its volumes, but no controller binds volumes here: only few such Pods,
        # and without volumes.
        if verdict["preenqueue"] or (verdict["fits"] and ("pvcs" in case or index % 5)):
            continue
        taken += 1
        yield case


def _is_kept(case: Case) -> bool:
    """Tell whether the API server keeps an object unchanged: it fills in a binding mode, and writes nothing
    into a missing Namespace.
    """
    namespace = case["pod"]["metadata"]["namespace"]
    return (
        "nodeName" not in case["pod"]["spec"]
        and all("volumeBindingMode" in c for c in case.get("classes", ()))
        and any(n["metadata"]["name"] == namespace for n in case["namespaces"])
    )


def _find_difference(
    case: Case, verdict: Mapping[str, Any], real: Mapping[str, Any]
) -> tuple[str, str, str, str] | None:
    cluster, pod = read_case(case)
    mine = decide(pod, cluster)
    said = real.get("message", "")
    if "node" in real:
        same = real["node"] in mine.fits and real["node"] in verdict["fits"]
    else:
        theirs = verdict.get("condition") or verdict.get("error", "")
        rest = said.removeprefix(mine.message)
        begins = said == mine.message or (rest != said and rest.startswith(_ADDED))
        ours = bool(mine.undecided) or (begins and whole_message(pod, cluster, mine) in ("", said))
        # The oracle's claims are not in its API server, so its message after deallocating one differs from
        # the scheduler's.
        known = (
            said.startswith(verdict.get("message") or theirs)
            if "resourceClaims" in case["pod"]["spec"]
            else said == theirs
        )
        same = said != "" and known and ours
    if same:
        return None
    return (
        str(case["id"]),
        f"{mine.message or mine.fits}",
        str(verdict.get("condition") or verdict.get("error") or verdict["fits"]),
        json.dumps(real),
    )


def format_answers(answers: Answers) -> Iterator[str]:
    """Yield the lines of the answers; the last is the count."""
    for case, ours, oracle, real in answers.differing:
        yield f"case {case}\n    ours       {ours}\n    oracle     {oracle}\n    scheduler  {real}"
    yield f"{answers.bound} Pods were bound"
    yield f"{answers.agree} agree, {len(answers.differing)} differ"


if __name__ == "__main__":
    sys.exit(1 if run_command(__doc__, 100, run, format_answers).differing else 0)
