"""`python -m benchmarks.scan_on_lab [--seed N] [--share K] [FAULT...]`: whether a scan and `why` agree on
each object, on a full lab.

`scripts/on_lab.sh` brings a lab up for it. Round by round, some 25 faults are applied at once and the cluster
is scanned; then `why` is asked about every object in the scan's answer. If they differ, both are asked once
more. Neither asks a node. Printed: each object for which `why` proves a cause missing from the scan's answer
and incident, or vice versa. The exit status is 1 if they differ and the scan did not report unasked
questions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from threading import Semaphore

from benchmarks import on_lab
from unstuck import api
from unstuck.diagnosis.answer import Diagnosis
from unstuck.errors import NotFound
from unstuck.facts.core import Ref
from unstuck_lab import matrix
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault

AT_ONCE = 2


@dataclass(frozen=True)
class Difference:
    """One object with different proofs from scan and `why`. only: the one that proves these causes."""

    subject: Ref
    only: str
    causes: tuple[str, ...]
    said: bool

    def __str__(self) -> str:
        said = " (the scan said that it left something out)" if self.said else ""
        return f"{self.subject}: only {self.only} proves {', '.join(self.causes)}{said}"


def list_roots(d: Diagnosis) -> set[str]:
    """Return the proven causes that are no consequences."""
    return {t.id for t in d.causes if t.consequence_of is None and t.confidence == "proven"}


def find_differences(scan: api.Report, answers: Mapping[Ref, Diagnosis]) -> Iterator[Difference]:
    """Yield the differences. answers: of `why`, by object. An unanswered question of `why` is no
    difference.
    """
    told = {d.subject: d for d in scan.diagnoses}
    said = bool(scan.not_seen) or any("not every question was put" in t.en for t in scan.left_out)
    for subject, answer in answers.items():
        of_incidents = {i.cause for i in scan.incidents if subject in i.members}
        if more := list_roots(answer) - list_roots(told[subject]) - of_incidents:
            yield Difference(subject, "why", tuple(sorted(more)), said)
        unheard = any(r.why in ("timeout", "unreachable") for r in answer.refused)
        if not unheard and (more := list_roots(told[subject]) - list_roots(answer)):
            yield Difference(subject, "the scan", tuple(sorted(more)), False)


def _ask_why(cluster: api.Cluster, subject: Ref) -> Diagnosis | None:
    """Return the answer of `why`; None for an object deleted after the scan."""
    try:
        return cluster.why(subject, nodes=None).diagnoses[0]
    except NotFound as gone:
        print(f"{subject}: {gone}")
        return None


def _ask_both(cluster: api.Cluster, only: Sequence[Ref] = ()) -> tuple[int, list[Difference]]:
    """Scan, and ask about each object of the scan, or about the named ones; return the number of answers, and
    the differences.
    """
    scan = cluster.scan(everywhere=True)
    subjects = [s for s in dict.fromkeys(d.subject for d in scan.diagnoses) if not only or s in only]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = dict(zip(subjects, pool.map(partial(_ask_why, cluster), subjects), strict=True))
    answers = {subject: answer for subject, answer in told.items() if answer is not None}
    return len(answers), list(find_differences(scan, answers))


def compare(lab: Lab, faults: Sequence[Fault]) -> tuple[int, list[Difference]]:
    """Apply one round, scan, and ask about each object of the scan; return the number of answers, and the
    differences.
    """
    try:
        for one in faults:
            matrix.take_hold(lab, one, print, Semaphore(1))
        cluster = api.connect(kubeconfig=str(lab.kubeconfig))
        count, found = _ask_both(cluster)
        # Minutes pass between a scan and the last question: a change in that time disappears when both are
        # asked again.
        again = _ask_both(cluster, [d.subject for d in found])[1] if found else []
        return count, again
    finally:
        matrix.heal_all(lab, faults, print)


def main(words: Sequence[str]) -> int:
    """Compare round by round, and print the differences; return the exit status."""
    parser = on_lab.add_options("scan_on_lab", (__doc__ or "").partition(":")[2].partition("\n")[0])
    chosen = on_lab.choose_faults(parser.parse_args(words), parser)
    lab, asked, found = Lab.from_environment(), 0, list[Difference]()
    for at_once in matrix.plan_rounds(chosen):
        n, differ = compare(lab, at_once)
        asked, found = asked + n, found + differ
        print(*differ, f"{n} objects of a scan asked about: {len(differ)} differ", sep="\n", flush=True)
    silent = [d for d in found if not d.said]
    print(
        f"{asked} objects asked about in all: {len(found)} differ, {len(silent)} of these without a word of "
        "the scan"
    )
    return 1 if silent or not asked else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
