"""The whole catalogue: applied, asked about, judged, healed, and counted.

It works in rounds: first faults of Pods, each in its Namespace, as many as a lab starts in a minute; then
faults of nodes, one per node at a time; then faults of the cluster, one by one unless they are independent. A
round leaves nothing behind, so rounds may run in several labs in parallel. Each question is asked once. Only
a fault without effect is tried a second time, and that is counted.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from threading import Semaphore

from unstuck_lab import asking
from unstuck_lab import fault as catalogue
from unstuck_lab.asking import CommandReply, Evidence, FaultQuestion
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.judging import OUTCOMES, Judgement, judge

Say = Callable[[str], None]
AT_ONCE = 4
ASKED_AT_ONCE = 2
PODS_AT_ONCE = 32
# Seconds after which the kubelets are restarted while faults are still being healed.
ANEW = (20, 140)


@dataclass(frozen=True)
class MatrixRow:
    """One question and its outcome. retried: whether the fault took effect only in the second attempt."""

    question: FaultQuestion
    judged: Judgement
    reply: CommandReply | None
    held: str
    retried: bool


@dataclass(frozen=True)
class FaultHold:
    """The result of applying a fault. seen: the observation of its effect; None without one, and then `error`
    has the reason. since: the start of its application.
    """

    seen: str | None
    since: datetime
    at: float  # the end of its application, by the monotonic clock
    retried: bool
    error: str = ""


def plan_rounds(faults: Sequence[Fault]) -> list[list[Fault]]:
    """Return the rounds, each a list of faults to apply together because they do not affect each other."""
    on_node: dict[str, list[Fault]] = {}
    for fault in faults:
        if fault.scope == "node":
            on_node.setdefault(fault.node, []).append(fault)
    # Slow faults are applied together.
    longest_first = (
        sorted(those, key=lambda fault: (-fault.ripe, -fault.settle)) for those in on_node.values()
    )
    each_node = [[fault for fault in at_once if fault] for at_once in zip_longest(*longest_first)]
    of_pods = [fault for fault in faults if fault.scope == "pod"]
    shares = -(-len(of_pods) // PODS_AT_ONCE)
    of_cluster: dict[str, list[Fault]] = {}
    for fault in faults:
        if fault.scope == "cluster":
            of_cluster.setdefault(fault.beside or fault.name, []).append(fault)
    return [*(of_pods[share::shares] for share in range(shares)), *each_node, *of_cluster.values()]


def run(lab: Lab, faults: Sequence[Fault], say: Say) -> list[MatrixRow]:
    """Run every fault; on an existing cluster only faults without a node. Raises `LabError` if one cannot be
    healed.
    """
    return [row for at_once in plan_rounds(faults) for row in run_round(lab, at_once, say)]


def run_round(
    lab: Lab, faults: Sequence[Fault], say: Say, tell: Callable[[list[MatrixRow]], None] = lambda _: None
) -> list[MatrixRow]:
    """Apply all faults, ask about each as soon as it has taken effect and is ripe, and then heal all, even
    after an error.

    On an existing cluster only faults without a node are applied. tell: receives the rows before healing.
    Raises `LabError` if a fault cannot be healed.
    """
    # Faults with the longest ripening come first.
    chosen = sorted(
        (fault for fault in faults if not (lab.existing and fault.needs_node_access)),
        key=lambda fault: -fault.ripe,
    )
    if not chosen:
        return []
    try:
        rows = _ask_all(lab, chosen, say)
        tell(rows)
    finally:
        heal_all(lab, chosen, say)
    return rows


def _ask_all(lab: Lab, chosen: Sequence[Fault], say: Say) -> list[MatrixRow]:
    applying, asking_now = Semaphore(AT_ONCE), Semaphore(ASKED_AT_ONCE)

    def put_through(fault: Fault) -> list[MatrixRow]:
        hold = take_hold(lab, fault, say, applying)
        time.sleep(max(hold.at + fault.ripe - time.monotonic(), 0))
        with asking_now:
            return [_make_row(lab, question, hold) for question in asking.list_questions(fault)]

    with ThreadPoolExecutor(len(chosen)) as pool:
        return [row for rows in pool.map(put_through, chosen) for row in rows]


def take_hold(lab: Lab, fault: Fault, say: Say, applying: AbstractContextManager[object]) -> FaultHold:
    """Apply a fault and wait until it takes effect, with one retry. applying: limits the number of concurrent
    applications; it is released before the wait.
    """
    error, since = "", datetime.now(UTC)
    for attempt in (1, 2):
        try:
            with applying:
                began, since = time.monotonic(), datetime.now(UTC)
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
        return FaultHold(seen, since, applied, attempt == 2)
    return FaultHold(None, since, time.monotonic(), True, error)


def heal_all(lab: Lab, faults: Sequence[Fault], say: Say) -> None:
    """Heal all in parallel, after those that prevent the deletion of Namespaces.

    Raises the first `LabError` after all were tried.
    """

    def heal_one(fault: Fault) -> LabError | None:
        problem: LabError | None = None
        # Healing is idempotent; the second attempt restarts a daemon that did not come up in the first.
        for attempt in (1, 2):
            try:
                catalogue.heal(lab, fault)
            except LabError as error:
                say(f"{fault.name}: not healed, try {attempt}: {error}")
                problem = error
            else:
                return None
        return problem

    say(f"healing {len(faults)}")
    first = [fault for fault in faults if fault.scope == "cluster" and fault.subject.startswith("ns/")]
    with ThreadPoolExecutor(4 * AT_ONCE) as pool:
        healed = [pool.submit(heal_one, fault) for fault in first]
        wait(healed)
        healed += [pool.submit(heal_one, fault) for fault in faults if fault not in first]
        for pause in ANEW if all(fault.scope == "pod" for fault in faults) else ():
            if wait(healed, timeout=pause).not_done:
                _restart_kubelets(lab, say)
    problems = [problem for problem in (done.result() for done in healed) if problem]
    if problems:
        raise problems[0]


def _restart_kubelets(lab: Lab, say: Say) -> None:
    """Restart the kubelets: after repeated failures to remove a volume a kubelet retries after two minutes, a
    restarted one at once.
    """
    say("the kubelets restart")
    for node in lab.nodes:
        with suppress(LabError):
            node.stop_kubelet()
            node.start_kubelet()


def _make_row(lab: Lab, question: FaultQuestion, hold: FaultHold) -> MatrixRow:
    if hold.seen is None:
        return MatrixRow(question, Judgement("not taken hold", False, "", hold.error), None, "", hold.retried)
    try:
        reply = asking.ask_further(lab, question, hold.since)
    except LabError as problem:
        return MatrixRow(
            question, Judgement("no answer", False, "", str(problem)), None, hold.seen, hold.retried
        )
    if reply.report is None or not reply.report.get("diagnoses"):
        return MatrixRow(
            question,
            Judgement("no answer", False, "", f"status {reply.status}: {reply.error}"),
            reply,
            hold.seen,
            hold.retried,
        )
    least = question.fault.with_node if question.evidence == "node" else question.fault.without_node
    return MatrixRow(question, judge(question.fault, least, reply.report), reply, hold.seen, hold.retried)


def format_table(rows: Iterable[MatrixRow]) -> list[str]:
    """Return the lines of the table: each question, then the counts with their denominators."""
    rows = list(rows)
    lines = [
        f"{'' if row.judged.ok else '✗':1} {row.question.fault.name:26} {row.question.subject:26} "
        f"{row.question.evidence:4} "
        f"{row.judged.outcome:14} {row.judged.named}" + (f"  [{row.judged.why}]" if row.judged.why else "")
        for row in rows
    ]
    return [*lines, "", *format_counts(rows)]


def format_counts(rows: Sequence[MatrixRow]) -> list[str]:
    """Return the last lines of the table: the counts with their denominators."""
    kinds: tuple[tuple[Evidence, str], ...] = (("node", "with node evidence"), ("api", "without"))
    lines = []
    for evidence, title in kinds:
        asked = [row for row in rows if row.question.evidence == evidence]
        for what, healthy in (("faults", False), ("healthy", True)):
            those = [row for row in asked if (not row.question.fault.accepts) == healthy]
            found = Counter(row.judged.outcome for row in those)
            shown = [
                f"{outcome} {found[outcome]}"
                for outcome in OUTCOMES
                if found[outcome] or outcome in _list_always_shown(healthy)
            ]
            lines.append(f"{title:18} {what:8} {len(those):3} questions: " + ", ".join(shown))
    retried = {row.question.fault.name for row in rows if row.retried}
    names = {row.question.fault.name for row in rows}
    lines.append(f"took hold only at the second try, or not at all: {len(retried)} of {len(names)} faults")
    return lines


def _list_always_shown(healthy: bool) -> tuple[str, ...]:
    return ("fine", "wrong") if healthy else ("proven", "likely", "undecided", "wrong", "not taken hold")
