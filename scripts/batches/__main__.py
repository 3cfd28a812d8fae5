"""`python -m scripts.batches N [--part 1/3] [--only ID]`: ask batch N, each question on its own lab.

Answers are written to tests/batches/N/answers/ID.txt, with the commit, whether the fault took effect, and the
exit status; answered questions are not asked again. A batch is asked once: its first answers are its figure.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time

from scripts.batches.questions import BatchQuestion, locate_batch, read_questions
from scripts.batches.steps import find_misfits, perform
from scripts.commit import read_head_commit

from unstuck_lab import Lab, lifecycle, shell
from unstuck_lab.asking import UNSTUCK, provide_inner_kubeconfig
from unstuck_lab.errors import LabError

NODES = 3
PATIENCE = 120


def main() -> int:
    """Ask the unanswered questions. Return 0 if all of them were asked."""
    asked = argparse.ArgumentParser(prog="scripts.batches", description=__doc__)
    asked.add_argument("batch", type=int)
    asked.add_argument(
        "--part", default="1/1", help="K/N: the K-th of N processes, each with its own UNSTUCK_LAB_DIR"
    )
    asked.add_argument("--only", help="one question's id")
    chosen = asked.parse_args()
    part, parts = map(int, chosen.part.split("/"))
    answers = locate_batch(chosen.batch) / "answers"
    answers.mkdir(exist_ok=True)
    commit = read_head_commit()[:12]
    for number, question in enumerate(read_questions(chosen.batch)):
        file = answers / f"{question.id}.txt"
        if number % parts != part - 1 or file.exists() or chosen.only not in (None, question.id):
            continue
        sys.stdout.write(f"{question.id} …\n")
        sys.stdout.flush()
        file.write_text(f"commit: {commit}\n{_save_answer(question)}", "utf-8")
    return 0


def _save_answer(question: BatchQuestion) -> str:
    lab = Lab.from_environment()
    lifecycle.take_down(lab.paths, lambda _: None)
    try:
        lifecycle.bring_up(lab, NODES, lambda _: None)
        try:
            perform(lab, question.cause)
            held = find_misfits(lab, question.holds)
        except LabError as error:
            held = [f"not put in: {error}"]
        return _ask(lab, question, held)
    finally:
        lifecycle.take_down(lab.paths, lambda _: None)


def _ask(lab: Lab, question: BatchQuestion, held: list[str]) -> str:
    words = shlex.split(question.command)
    printed = [_run(lab, question, [UNSTUCK, *words[1:], *more]) for more in ((), ("-o", "json"))]
    hold = "took hold: yes\n" if not held else "".join(f"took hold: no: {why}\n" for why in held)
    return f"{hold}command: {question.command} ({question.look})\n" + "\n== json\n".join(printed)


def _run(lab: Lab, question: BatchQuestion, argv: list[str]) -> str:
    began = time.monotonic()
    if question.look == "outside":
        done = shell.attempt([*argv, f"--kubeconfig={lab.kubeconfig}"], timeout=PATIENCE)
    else:
        done = lab.get_node(question.look).run(
            [*argv, "--here", f"--kubeconfig={provide_inner_kubeconfig(lab)}"], PATIENCE
        )
    return f"status: {done.returncode}, {time.monotonic() - began:.1f} s\n\n{done.stdout}{done.stderr}"


if __name__ == "__main__":
    sys.exit(main())
