"""The whole catalogue: applied, asked about, judged, healed, and counted.

The Pod-scoped faults all at once, each in its Namespace; then those of a node, one
after the other on each node, the nodes beside each other; then those of the cluster,
one by one. Each question is asked once. Only a fault that did not take hold is tried
a second time, and that is counted.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from unstuck_lab import asking
from unstuck_lab import fault as catalogue
from unstuck_lab.asking import Evidence, Question, Reply
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.judging import OUTCOMES, Judged, judge

Say = Callable[[str], None]
# The longest time after which an object in trouble counts as stuck (a claim, a Namespace): 60 s.
RIPE = 65
AT_ONCE = 4


@dataclass(frozen=True)
class Row:
    """One question and what came of it. retried: the fault took hold at the second try only."""

    question: Question
    judged: Judged
    reply: Reply | None
    held: str
    retried: bool


@dataclass(frozen=True)
class Hold:
    """Whether a fault took hold. seen: what showed it, None when nothing did; error says why."""

    seen: str | None
    at: float  # when it had been applied, by the monotonic clock
    retried: bool
    error: str = ""


def run(lab: Lab, faults: Sequence[Fault], say: Say) -> list[Row]:
    """Put every fault through; of an existing cluster those that need no node. Raises `LabError` when one cannot be healed."""
    faults = [fault for fault in faults if not (lab.existing and fault.needs_node_access)]
    rows = together(lab, [fault for fault in faults if fault.scope == "pod"], say)
    nodes = {fault.node: [f for f in faults if f.scope == "node" and f.node == fault.node] for fault in faults if fault.scope == "node"}
    with ThreadPoolExecutor(max(len(nodes), 1)) as pool:
        for queue in pool.map(lambda queue: one_by_one(lab, queue, say), nodes.values()):
            rows += queue
    return rows + one_by_one(lab, [fault for fault in faults if fault.scope == "cluster"], say)


def one_by_one(lab: Lab, faults: Iterable[Fault], say: Say) -> list[Row]:
    """Each alone: applied, asked about and healed before the next."""
    return [row for fault in faults for row in together(lab, [fault], say)]


def together(lab: Lab, faults: Sequence[Fault], say: Say) -> list[Row]:
    """Apply all, wait until each has taken hold and is ripe, ask, and heal all, whatever happens."""
    if not faults:
        return []
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            holds = dict(zip((f.name for f in faults), pool.map(lambda fault: take_hold(lab, fault, say), faults), strict=True))
        ripe = RIPE if any(fault.accepts for fault in faults) else 0
        left = max(hold.at for hold in holds.values()) + ripe - time.monotonic()
        say(f"all applied; asking in {max(left, 0):.0f} s")
        time.sleep(max(left, 0))
        questions = [question for fault in faults for question in asking.questions(fault)]
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda question: _row(lab, question, holds[question.fault.name]), questions))
    finally:
        heal_all(lab, faults, say)


def take_hold(lab: Lab, fault: Fault, say: Say) -> Hold:
    """Apply a fault and wait for it; once more when it does not take hold."""
    error = ""
    for attempt in (1, 2):
        began = time.monotonic()
        try:
            catalogue.inflict(lab, fault)
            applied = time.monotonic()
            seen = catalogue.wait_held(lab, fault)
        except LabError as problem:
            error = str(problem)
            say(f"{fault.name}: not taken hold, try {attempt}: {error}")
            if attempt == 1:
                fault.heal(lab)
            continue
        say(f"{fault.name}: held after {time.monotonic() - began:.0f} s")
        return Hold(seen, applied, attempt == 2)
    return Hold(None, time.monotonic(), True, error)


def heal_all(lab: Lab, faults: Sequence[Fault], say: Say) -> None:
    """Heal all, those that wait long beside each other. Raises the first `LabError` after all were tried."""

    def one(fault: Fault) -> LabError | None:
        try:
            catalogue.heal(lab, fault)
        except LabError as problem:
            say(f"{fault.name}: not healed: {problem}")
            return problem
        return None

    say(f"healing {len(faults)}")
    with ThreadPoolExecutor(2 * AT_ONCE) as pool:
        problems = [problem for problem in pool.map(one, faults) if problem]
    if problems:
        raise problems[0]


def _row(lab: Lab, question: Question, hold: Hold) -> Row:
    if hold.seen is None:
        return Row(question, Judged("not taken hold", False, "", hold.error), None, "", hold.retried)
    try:
        reply = asking.ask(lab, question)
    except LabError as problem:
        return Row(question, Judged("no answer", False, "", str(problem)), None, hold.seen, hold.retried)
    if reply.report is None or not reply.report.get("diagnoses"):
        return Row(question, Judged("no answer", False, "", f"status {reply.status}: {reply.error}"), reply, hold.seen, hold.retried)
    least = question.fault.with_node if question.evidence == "node" else question.fault.without_node
    return Row(question, judge(question.fault, least, reply.report), reply, hold.seen, hold.retried)


def table(rows: Iterable[Row]) -> list[str]:
    """Lines for people: each question, then the counts with their denominators."""
    rows = list(rows)
    lines = [
        f"{'' if row.judged.ok else '✗':1} {row.question.fault.name:26} {row.question.subject:26} {row.question.evidence:4} "
        f"{row.judged.outcome:14} {row.judged.named}" + (f"  [{row.judged.why}]" if row.judged.why else "")
        for row in rows
    ]
    return [*lines, "", *counts(rows)]


def counts(rows: Sequence[Row]) -> list[str]:
    """What `table` ends with."""
    kinds: tuple[tuple[Evidence, str], ...] = (("node", "with node evidence"), ("api", "without"))
    lines = []
    for evidence, title in kinds:
        asked = [row for row in rows if row.question.evidence == evidence]
        for what, healthy in (("faults", False), ("healthy", True)):
            those = [row for row in asked if (not row.question.fault.accepts) == healthy]
            found = Counter(row.judged.outcome for row in those)
            shown = [f"{outcome} {found[outcome]}" for outcome in OUTCOMES if found[outcome] or outcome in _always(healthy)]
            lines.append(f"{title:18} {what:8} {len(those):3} questions: " + ", ".join(shown))
    retried = {row.question.fault.name for row in rows if row.retried}
    names = {row.question.fault.name for row in rows}
    lines.append(f"took hold only at the second try, or not at all: {len(retried)} of {len(names)} faults")
    return lines


def _always(healthy: bool) -> tuple[str, ...]:
    return ("fine", "wrong") if healthy else ("proven", "likely", "undecided", "wrong", "not taken hold")
