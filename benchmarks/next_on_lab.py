"""`python -m benchmarks.next_on_lab [--seed N] [--share K] [FAULT...]`: whether the proposed command decides,
on a lab that is up.

`scripts/on_lab.sh` brings one up for it. Without names: all faults of the catalogue that a cause explains, or
a share of them (0.25) that the seed draws. Finished walks are kept, and an interrupted run resumes after
them; `--keep ""` starts over.

Each fault is applied and described with kubectl, as a person would begin; the description is read, and the
proposed command is run verbatim, at most four times. Each further reading gets all output so far. Faults
marked as undecidable in the catalogue are named but not walked. Printed: the number of commands until a right
cause is reported (0: from the description alone), the number of faults without one, and the mean, in which a
useless command counts double. Goals: a mean of at most 1.3 over the decided faults, none after the third
command, at most 3 % without a right cause, no wrong cause; the exit status is 1 if a goal is missed.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import on_lab
from unstuck_lab import asking, matrix, pasting
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault

MOST = 4
MEAN, LAST, NEVER = 1.3, 3, 0.03
KEPT = Path("build") / "next-on-lab.jsonl"
Document = dict[str, Any]
# Run a command at its place (`from`, its words, whether its output is read): the answer then, or None if
# there is none.
Runner = Callable[[str, list[str]], Document | None]


@dataclass(frozen=True)
class Walk:
    """The outcome of one fault. after: the number of commands until a right cause, None for never. idle: the
    number of useless ones.

    wrong: whether a wrong cause was reported.
    """

    fault: str
    after: int | None
    idle: int
    commands: tuple[str, ...]
    wrong: bool = False


def walk(
    name: str, accepts: Sequence[str], consequences: Sequence[str], first: Document | None, run: Runner
) -> Walk:
    """Follow the proposal of each answer until a right cause, a missing proposal, or four commands.

    Consequences of a right cause are true but do not end the walk: a person wants the root cause.
    """
    answer, idle, ran = first, 0, list[str]()
    while True:
        told = _list_causes(answer)
        if any(cause in accepts for cause in told):
            return Walk(name, len(ran), idle, tuple(ran))
        if any(cause not in consequences for cause in told):
            return Walk(name, None, idle, tuple(ran), wrong=True)
        proposed = _find_next(answer)
        if proposed is None or len(ran) == MOST:
            return Walk(name, None, idle, tuple(ran))
        at, argv = proposed
        ran.append(shlex.join(argv))
        before, answer = _open(answer), run(at, argv) or answer
        idle += not _list_causes(answer) and _open(answer) == before


def _take_first(answer: Document | None) -> Document:
    return (answer or {}).get("diagnoses", [{}])[0] if (answer or {}).get("diagnoses") else {}


def _list_causes(answer: Document | None) -> list[str]:
    return [c["id"] for c in _take_first(answer).get("causes", ()) if c["consequence_of"] is None]


def _open(answer: Document | None) -> list[tuple[str, bool]]:
    return sorted((o["id"], o["possible"]) for o in _take_first(answer).get("undecided", ()))


def _find_next(answer: Document | None) -> tuple[str, list[str]] | None:
    """Return the printed command, about any object.

    For a reported cause it is the first step of its help, if that asks this program about another object,
    which continues the walk.
    """
    asked = (answer or {}).get("asked_first")
    shown = _take_first(answer) if asked is None else (answer or {})["diagnoses"][asked]
    found = shown.get("next") or ()
    if found:
        return (found[0]["from"], found[0]["command"]) if found[0]["command"] else None
    steps = next((c.get("help") for c in shown.get("causes", ()) if c["consequence_of"] is None), None) or ()
    on = (steps[0].get("command") or []) if steps else []
    return ("here", on) if on[:2] == ["unstuck", "why"] else None


class OnLab:
    """Runs the printed command for one fault verbatim, and reads its output together with the earlier
    input.
    """

    def __init__(self, lab: Lab, one: Fault, directory: Path) -> None:
        self._lab, self._fault, self._directory = lab, one, directory
        self._given: list[Path] = []

    def begin(self) -> Document | None:
        """Read only the description."""
        return self._read(pasting.paste_description(self._lab, self._fault.subject, self._fault.namespace))

    def __call__(self, at: str, argv: list[str]) -> Document | None:
        """Run one command at its place; None on a node that is not running."""
        try:
            return self._dispatch(at, argv)
        except LabError as error:
            print(f"{self._fault.name}: {error}")
            return None

    def _dispatch(self, at: str, argv: list[str]) -> Document | None:
        if at.startswith("node:"):
            node = self._lab.get_node(at.removeprefix("node:"))
            as_json = ("-o", "json") if argv[0] == "unstuck" else ()
            return self._read(
                node.run(
                    [asking.UNSTUCK if argv[0] == "unstuck" else argv[0], *argv[1:], *as_json],
                    timeout=on_lab.PATIENCE,
                ).stdout
            )
        if argv[:2] == ["unstuck", "why"]:
            return _parse(self._ask_why(argv[2:]))
        return self._read(self._run_kubectl(strip_reading(argv)))

    def _ask_why(self, words: Sequence[str]) -> str:
        """Ask the cluster; an ssh command on a Node is run there directly, which needs no key."""
        plain = [w for w in words if not w.startswith("--ssh=")]
        node = next(
            (
                n
                for w in words
                if w.startswith("--ssh=") and (n := self._lab.get_node(w.removeprefix("--ssh="))).running
            ),
            None,
        )
        if node is None:
            # A stopped machine does not answer ssh, which the answer reports.
            asked = [*words] if len(plain) < len(words) or "--probe" in words else [*plain, "--no-node"]
            return self._run(
                [asking.UNSTUCK, "why", *asked, f"--kubeconfig={self._lab.kubeconfig}", "-o", "json"]
            )
        there = [
            asking.UNSTUCK,
            "why",
            *plain,
            "--here",
            f"--kubeconfig={asking.provide_inner_kubeconfig(self._lab)}",
            "-o",
            "json",
        ]
        return node.run(there, timeout=on_lab.PATIENCE).stdout

    def _run_kubectl(self, argv: Sequence[str]) -> str:
        try:
            return on_lab.run(self._lab, "here", argv).stdout
        except subprocess.TimeoutExpired:
            return ""

    def _run(self, argv: Sequence[str]) -> str:
        try:
            return subprocess.run(
                argv, capture_output=True, text=True, timeout=on_lab.PATIENCE, check=False
            ).stdout
        except subprocess.TimeoutExpired:
            return ""

    def _read(self, text: str) -> Document | None:
        file = self._directory / f"{len(self._given)}.txt"
        file.write_text(text, "utf-8")
        self._given.append(file)
        of = [
            f"--subject={self._fault.subject}",
            *([f"--namespace={self._fault.namespace}"] if self._fault.namespace else []),
        ]
        return _parse(self._run([asking.UNSTUCK, "read", *map(str, self._given), *of, "-o", "json"]))


def strip_reading(argv: Sequence[str]) -> list[str]:
    """Return the command without the pipe into `unstuck read`: its output is kept, so that each further
    reading has it.
    """
    if argv[:2] != ["sh", "-c"]:
        return [*argv]
    return ["sh", "-c", argv[2].partition(" | unstuck read ")[0], *argv[3:]]


def _parse(text: str) -> Document | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def format_figures(walks: Sequence[Walk]) -> list[str]:
    """Return the lines of the result: each fault with more than one command, then the shares, then missed
    goals.
    """
    after = Counter(w.after for w in walks)
    slow = [_format_row(w) for w in sorted(walks, key=lambda w: w.fault) if w.after not in (0, 1)]
    shares = [
        f"decided after {n}: {after[n]} of {len(walks)} ({_share(after[n], walks):.0%})"
        for n in range(MOST + 1)
    ]
    never = after[None]
    return [
        *slow,
        *shares,
        f"never: {never} ({_share(never, walks):.0%})",
        f"another cause was told: {sum(w.wrong for w in walks)}",
        *(f"NOT MET: {said}" for said in list_missed(walks)),
        (
            f"mean over those decided: {compute_mean(walks):.2f} (idle commands, counted twice: "
            f"{sum(w.idle for w in walks)}), {len(walks)} in all"
        ),
    ]


def _format_row(w: Walk) -> str:
    outcome = "another cause was told" if w.wrong else "never" if w.after is None else f"after {w.after}"
    return f"{w.fault}: {outcome}, {w.idle} idle: {'  →  '.join(w.commands) or 'nothing was proposed'}"


def _share(part: int, walks: Sequence[Walk]) -> float:
    return part / max(1, len(walks))


def compute_mean(walks: Sequence[Walk]) -> float:
    """Return the mean number of commands over the decided faults."""
    decided = [w for w in walks if w.after is not None]
    return sum((w.after or 0) + w.idle for w in decided) / len(decided) if decided else 0.0


def list_missed(walks: Sequence[Walk]) -> list[str]:
    """Return the missed goals."""
    late = sum((w.after or 0) > LAST for w in walks)
    never = sum(w.after is None for w in walks)
    wrong = [w.fault for w in walks if w.wrong]
    return [
        *([f"a mean of at most {MEAN}"] if compute_mean(walks) > MEAN else []),
        *([f"none after the third command: {late}"] if late else []),
        *([f"never at most {NEVER:.0%}"] if _share(never, walks) > NEVER else []),
        *([f"no other cause: {', '.join(wrong)}"] if wrong else []),
        *([] if walks else ["at least one fault"]),
    ]


class Kept:
    """Finished walks of this commit, one line each in a file. path: None to keep none."""

    def __init__(self, path: Path | None, commit: str) -> None:
        self._path, self._commit = path, commit

    def read_walks(self) -> dict[str, Walk]:
        """Return the finished walks by fault; a truncated line does not count."""
        if self._path is None or not self._path.exists():
            return {}
        lines = (_parse(line) for line in self._path.read_text("utf-8").splitlines())
        mine = [line["walk"] for line in lines if line and line.get("commit") == self._commit]
        return {one["fault"]: Walk(**{**one, "commands": tuple(one["commands"])}) for one in mine}

    def add(self, walk_: Walk) -> None:
        """Append one walk."""
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            # A truncated line has no line end.
            file.write("\n" + json.dumps({"commit": self._commit, "walk": asdict(walk_)}))


def put_through(lab: Lab, at_once: Sequence[Fault], kept: Kept) -> list[str]:
    """Apply the faults of one round, walk each and keep it, and heal all; return the names of faults without
    effect.
    """

    def work(one: Fault) -> None:
        with tempfile.TemporaryDirectory() as directory:
            there = OnLab(lab, one, Path(directory))
            walked = walk(one.name, one.accepts, one.consequences, there.begin(), there)
        kept.add(walked)
        print(_format_row(walked), flush=True)

    return on_lab.put_through(lab, at_once, work)


def main(words: Sequence[str]) -> int:
    """Walk the faults round by round, and print the figures; return the exit status."""
    parser = on_lab.add_options("next_on_lab", (__doc__ or "").partition(":")[2].partition("\n")[0])
    parser.add_argument(
        "--keep", default=str(KEPT), help=f"where what was walked is kept ({KEPT}); empty: nowhere"
    )
    asked = parser.parse_args(words)
    found = on_lab.choose_faults(asked, parser)
    chosen = [f for f in found if f.with_node != "undecided" or f.at_most == "proven"]
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as directory:
        kept = Kept(Path(asked.keep or Path(directory) / "walks.jsonl"), head)
        done = kept.read_walks()
        lab, lost = Lab.from_environment(), list[str]()
        for at_once in matrix.plan_rounds([f for f in chosen if f.name not in done]):
            lost += put_through(lab, at_once, kept)
        walks = [w for f in chosen if (w := kept.read_walks().get(f.name))]
    undecidable = [f.name for f in found if f not in chosen]
    print(
        "\n".join(
            [
                *([f"nothing decides, and not walked: {', '.join(undecidable)}"] if undecidable else []),
                *([f"did not take hold: {', '.join(lost)}"] if lost else []),
                *format_figures(walks),
            ]
        )
    )
    return 1 if list_missed(walks) or lost else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
