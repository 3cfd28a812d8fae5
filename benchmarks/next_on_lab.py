"""`python -m benchmarks.next_on_lab [FAULT...]`: whether the command that is proposed decides, over the faults of a lab that is up.

Each fault is put in and described with kubectl, as a person would begin; the description is read, and what the answer says to run next
is run as it is printed, at most four times. What was printed so far is given to each further reading. Printed: after how many commands
a right cause is told (0: of the description alone), how many never; the mean, in which a command whose output narrowed nothing counts
double. Wanted: a mean of at most 1.3 over those that can be decided, none after the third, never at most 3 %.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Semaphore
from typing import Any

from unstuck_lab import asking, fault, matrix, pasting
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault

MOST = 4
PATIENCE = 90
Document = dict[str, Any]
# Run a command from where it says (`from`, its words, whether its output is read): the answer then, or None where there is none.
Runner = Callable[[str, list[str]], Document | None]


@dataclass(frozen=True)
class Walk:
    """What became of one fault. after: how many commands it took to a right cause, None for never. idle: how many narrowed nothing.

    wrong: whether another cause was told.
    """

    fault: str
    after: int | None
    idle: int
    commands: tuple[str, ...]
    wrong: bool = False


def walk(name: str, accepts: Sequence[str], first: Document | None, run: Runner) -> Walk:
    """Follow what each answer proposes until a right cause is told, nothing is proposed, or four commands were run."""
    answer, idle, ran = first, 0, list[str]()
    while True:
        told = _causes(answer)
        if any(cause in accepts for cause in told):
            return Walk(name, len(ran), idle, tuple(ran))
        if told:
            return Walk(name, None, idle, tuple(ran), wrong=True)
        proposed = _next(answer)
        if proposed is None or len(ran) == MOST:
            return Walk(name, None, idle, tuple(ran))
        at, argv = proposed
        ran.append(shlex.join(argv))
        before, answer = _open(answer), run(at, argv) or answer
        idle += not _causes(answer) and _open(answer) == before


def _first(answer: Document | None) -> Document:
    return (answer or {}).get("diagnoses", [{}])[0] if (answer or {}).get("diagnoses") else {}


def _causes(answer: Document | None) -> list[str]:
    return [c["id"] for c in _first(answer).get("causes", ()) if c["consequence_of"] is None]


def _open(answer: Document | None) -> list[tuple[str, bool]]:
    return sorted((o["id"], o["possible"]) for o in _first(answer).get("undecided", ()))


def _next(answer: Document | None) -> tuple[str, list[str]] | None:
    found = _first(answer).get("next") or ()
    return (found[0]["from"], found[0]["command"]) if found and found[0]["command"] else None


class OnLab:
    """Runs what is printed for one fault as it stands there, and reads its output together with what was read before."""

    def __init__(self, lab: Lab, one: Fault, directory: Path) -> None:
        self._lab, self._fault, self._directory = lab, one, directory
        self._given: list[Path] = []

    def begin(self) -> Document | None:
        """Read the description alone."""
        return self._read(pasting.described(self._lab, self._fault.subject, self._fault.namespace))

    def __call__(self, at: str, argv: list[str]) -> Document | None:
        """Run one command from where it is to be run."""
        if at.startswith("node:"):
            node = self._lab.node(at.removeprefix("node:"))
            as_json = ("-o", "json") if argv[0] == "unstuck" else ()
            return self._read(node.run([asking.UNSTUCK if argv[0] == "unstuck" else argv[0], *argv[1:], *as_json], timeout=PATIENCE).stdout)
        if argv[:2] == ["unstuck", "why"]:
            return _parsed(self._why(argv[2:]))
        return self._read(self._kubectl(without_reading(argv)))

    def _why(self, words: Sequence[str]) -> str:
        """Ask the cluster; what ssh would run on a Node is run there, which needs no key."""
        plain = [w for w in words if not w.startswith("--ssh=")]
        node = next((w.removeprefix("--ssh=") for w in words if w.startswith("--ssh=")), None)
        if node is None:
            return self._shell([asking.UNSTUCK, "why", *plain, "--no-node", f"--kubeconfig={self._lab.kubeconfig}", "-o", "json"])
        there = [asking.UNSTUCK, "why", *plain, "--here", f"--kubeconfig={asking.inner_kubeconfig(self._lab)}", "-o", "json"]
        return self._lab.node(node).run(there, timeout=PATIENCE).stdout

    def _kubectl(self, argv: Sequence[str]) -> str:
        kubectl = Path(self._lab.kubectl_command[0])
        env = {**os.environ, "PATH": f"{kubectl.parent}:{os.environ.get('PATH', '')}", "KUBECONFIG": str(self._lab.kubeconfig)}
        return self._shell(argv, env)

    def _shell(self, argv: Sequence[str], env: dict[str, str] | None = None) -> str:
        try:
            return subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE, check=False, env=env).stdout
        except subprocess.TimeoutExpired:
            return ""

    def _read(self, text: str) -> Document | None:
        file = self._directory / f"{len(self._given)}.txt"
        file.write_text(text, "utf-8")
        self._given.append(file)
        of = [f"--subject={self._fault.subject}", *([f"--namespace={self._fault.namespace}"] if self._fault.namespace else [])]
        return _parsed(self._shell([asking.UNSTUCK, "read", *map(str, self._given), *of, "-o", "json"]))


def without_reading(argv: Sequence[str]) -> list[str]:
    """Return the command without the pipe into `unstuck read`: its output is kept, so that each further reading has it."""
    if argv[:2] != ["sh", "-c"]:
        return [*argv]
    return ["sh", "-c", argv[2].partition(" | unstuck read ")[0], *argv[3:]]


def _parsed(text: str) -> Document | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def figures(walks: Sequence[Walk]) -> list[str]:
    """Return the lines of the result."""
    after = Counter(w.after for w in walks)
    decided = [w for w in walks if w.after is not None]
    mean = sum((w.after or 0) + w.idle for w in decided) / len(decided) if decided else 0.0
    rows = [f"decided after {n}: {after[n]} of {len(walks)} ({after[n] / max(1, len(walks)):.0%})" for n in range(MOST + 1)]
    never = [w for w in walks if w.after is None]
    return [
        *rows,
        f"never: {len(never)} ({len(never) / max(1, len(walks)):.0%}): {', '.join(w.fault for w in never)}",
        f"another cause was told: {sum(w.wrong for w in walks)}",
        f"mean over those decided: {mean:.2f} (idle commands, counted twice: {sum(w.idle for w in walks)})",
    ]


def main(names: Sequence[str]) -> None:
    """Put the faults through round by round, walk each, and print the figures."""
    lab = Lab.from_environment()
    chosen = [f for f in fault.catalogue() if f.accepts and (not names or f.name in names)]
    walks: list[Walk] = []
    for at_once in matrix.rounds(chosen):
        try:
            holds = [(one, matrix.take_hold(lab, one, print, Semaphore(1))) for one in at_once]
            for one, hold in holds:
                if hold.seen is None:
                    continue
                time.sleep(max(hold.at + one.ripe - time.monotonic(), 0))
                with tempfile.TemporaryDirectory() as directory:
                    on_lab = OnLab(lab, one, Path(directory))
                    walks.append(walk(one.name, one.accepts, on_lab.begin(), on_lab))
                print(f"{walks[-1].fault}: {walks[-1].after} {' → '.join(walks[-1].commands)}", flush=True)
        finally:
            matrix.heal_all(lab, at_once, print)
    print("\n".join(figures(walks)))


if __name__ == "__main__":
    main(sys.argv[1:])
