"""`python -m benchmarks.advice_on_lab [--seed N] [--share K] [FAULT...]`: whether advice does what it
promises, on a lab that is up.

`scripts/on_lab.sh` brings one up for it. Without names: all faults of the catalogue that a cause explains, or
a share that the seed draws.

Each fault is applied and asked about from its own Node. The first cause's changing commands are run verbatim,
one after the other, even with data loss: the lab is thrown away. Then the fault must be over within the time
given in the advice, by its own check, which is independent of the answer; it is also over once its formerly
unready Pod is ready, because the events of some faults remain. A command with a program missing from the lab,
or with a placeholder, is not run but counted. The exit status is 1 if a promise was not kept.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchmarks import on_lab
from unstuck.diagnosis.command import PLACEHOLDER
from unstuck_lab import asking, matrix
from unstuck_lab.asking import FaultQuestion
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks

Outcome = Literal["kept", "broken", "refused", "not run", "no act"]
# The seconds for a promise without an explicit time.
USUAL = 120
# The tolerated delay of a promise: the lab shares two processors.
SLACK = 2.0
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "five": 5, "ten": 10}
_TIME = re.compile(r"within (?:about )?(\d+|an?|one|two|three|five|ten) (s|seconds?|min|minutes?)\b")
_NO_SUCH_PROGRAM = 127


@dataclass(frozen=True)
class Advice:
    """One command of an answer. where: `cluster` or `node:NAME`. then: its promised effect, "" for
    nothing.
    """

    where: str
    argv: tuple[str, ...]
    risk: str
    then: str


@dataclass(frozen=True)
class Tried:
    """The outcome of one fault's advice. cause: the first one, "" without one. after: seconds until the fault
    was over.
    """

    fault: str
    cause: str
    outcome: Outcome
    why: str = ""
    after: float | None = None


def list_acts(cause: Mapping[str, Any]) -> list[Advice]:
    """Return the changing commands of a cause. cause: as in `unstuck/v1`."""
    return [
        Advice(step["where"], tuple(step["command"]), step["risk"], (step.get("verify") or {}).get("en", ""))
        for step in cause.get("help", ())
        if step.get("command") and step["risk"] != "none"
    ]


def time_promised(then: str) -> float:
    """Return the time limit of a promise in seconds: `within about 2 min`; `USUAL` if it names none."""
    found = _TIME.search(then)
    if found is None:
        return USUAL
    count = _NUMBERS.get(found[1]) or int(found[1])
    return count * (1 if found[2].startswith("s") else 60)


def find_obstacle(one: Advice) -> str:
    """Return the obstacle to running a command verbatim, "" for none."""
    if any(PLACEHOLDER.search(word) for word in one.argv):
        return "waits for a value"
    if one.argv[:2] == ("kubectl", "edit"):
        return "waits for an editor"
    return "" if one.where == "cluster" or one.where.startswith("node:") else f"is for {one.where}"


def run(lab: Lab, one: Advice) -> str:
    """Run a command on its machine; return the error, "" for none."""
    try:
        done = on_lab.run(lab, one.where, one.argv)
    except (LabError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == _NO_SUCH_PROGRAM:
        return f"{one.argv[0]}: not in the lab"
    return (
        "" if done.returncode == 0 else f"{' '.join(one.argv)}: {(done.stderr or done.stdout).strip()[-200:]}"
    )


def is_ready(lab: Lab, fault: Fault) -> bool:
    """Tell whether the fault's subject is a ready Pod."""
    kind, _, name = fault.subject.partition("/")
    pod = lab.get_pod(fault.namespace, name) if kind == "pod" and fault.namespace else None
    return _checks.find_condition(pod, "Ready") is not None


def try_advice(lab: Lab, fault: Fault) -> Tried:
    """Ask about an effective fault, follow the advice, and wait for the promised effect."""
    reply = asking.ask(lab, FaultQuestion(fault, fault.subject, "node"))
    told = (reply.report or {"diagnoses": [{"causes": []}]})["diagnoses"][0]["causes"]
    if not told:
        return Tried(fault.name, "", "no act", "no cause is told")
    cause = told[0]
    given = list_acts(cause)
    runnable = [one for one in given if not find_obstacle(one)]
    if not runnable:
        return Tried(
            fault.name,
            cause["id"],
            "not run" if given else "no act",
            "; ".join(find_obstacle(one) for one in given),
        )
    was_ready = is_ready(lab, fault)
    problems = [problem for one in runnable if (problem := run(lab, one))]
    if len(problems) == len(runnable):
        absent = all(problem.endswith("not in the lab") for problem in problems)
        return Tried(fault.name, cause["id"], "not run" if absent else "refused", "; ".join(problems))
    within = max(time_promised(one.then) for one in runnable) * SLACK
    began = time.monotonic()
    try:
        lab.wait(
            lambda: fault.observe(lab) is None or (not was_ready and is_ready(lab, fault)),
            within,
            f"end of {fault.name}",
        )
    except LabError:
        return Tried(
            fault.name,
            cause["id"],
            "broken",
            "; ".join(problems) or f"still there after {within:.0f} s: {fault.observe(lab)}",
        )
    return Tried(fault.name, cause["id"], "kept", "; ".join(problems), time.monotonic() - began)


def format_figures(tried: Sequence[Tried]) -> list[str]:
    """Return the lines of the result: each fault, then the number of each outcome."""
    count = Counter(t.outcome for t in tried)
    rows = [_format_row(t) for t in sorted(tried, key=lambda t: (t.outcome, t.fault))]
    return [
        *rows,
        f"{', '.join(f'{n} {outcome}' for outcome, n in sorted(count.items()))}; {len(tried)} faults in all",
    ]


def _format_row(tried: Tried) -> str:
    after = "" if tried.after is None else f", after {tried.after:.0f} s"
    return (
        f"{tried.fault}: {tried.outcome}, "
        f"{tried.cause or 'no cause'}{after}{f': {tried.why}' if tried.why else ''}"
    )


def main(words: Sequence[str]) -> int:
    """Run the faults round by round and print the outcome of their advice; return the exit status."""
    parser = on_lab.add_options("advice_on_lab", (__doc__ or "").partition(":")[2].partition("\n")[0])
    chosen = on_lab.choose_faults(parser.parse_args(words), parser)
    lab, tried, lost = Lab.from_environment(), list[Tried](), list[str]()

    def work(one: Fault) -> None:
        tried.append(try_advice(lab, one))
        print(_format_row(tried[-1]), flush=True)

    for at_once in matrix.plan_rounds(chosen):
        lost += on_lab.put_through(lab, at_once, work)
    print("\n".join([*([f"did not take hold: {', '.join(lost)}"] if lost else []), *format_figures(tried)]))
    return 1 if lost or any(t.outcome in ("broken", "refused") for t in tried) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
