"""`kubectl logs`: a container's own words.

Kept are the last lines, secrets masked; they are a stranger's, and no Failure is read from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from unstuck.collect.masking import masked
from unstuck.collect.text.piece import Command, Piece, Reading
from unstuck.facts.aspects.pod import Containers, LastLines
from unstuck.facts.core import Fact, Ref

LINES = 20
_LONGEST = 2000
_STRANGERS = ("logs", "exec", "attach", "run")


def strangers(command: Command | None) -> bool:
    """Whether a command prints what a program in a container prints."""
    programs = ("kubectl", "docker", "crictl", "nerdctl")
    return command is not None and command.program in programs and any(w in _STRANGERS for w in command.arguments[:2])


def find(lines: Sequence[str], _i: int, command: Command | None) -> int | None:
    """Everything below such a command."""
    return len(lines) if strangers(command) else None


def read(piece: Piece) -> Reading:
    """LastLines about the container that the command names; a workload (`deploy/web`) names none."""
    out, command = Reading(), piece.command
    if command is None or command.program != "kubectl" or "logs" not in command.arguments:
        return out
    asked = [w for w in command.arguments if w != "logs"]
    pod = asked[0].removeprefix("pod/").removeprefix("pods/").removeprefix("po/") if asked else ""
    if not pod or "/" in pod or command.option("-l", "--selector"):
        return out
    container = command.option("-c", "--container") or (asked[1] if len(asked) > 1 else None)
    kept = [i for i, line in enumerate(piece.lines) if line.strip()][-LINES:]
    if kept and piece.namespace:
        words = tuple(masked(piece.lines[i][:_LONGEST]) for i in kept)
        previous = any(w in ("-p", "--previous") for w in command.words)
        about = Ref("Container", f"{piece.namespace}/{pod}", container)
        src = piece.src(kept[-1], words[-1][:200])
        out.facts.append(LastLines(about=about, src=src, lines=words, previous=previous, whole=False))
    return out


def with_only_container(facts: Iterable[Fact]) -> list[Fact]:
    """The facts, with logs whose container the command did not name told about the Pod's only one, where the text shows the Pod."""
    facts = list(facts)
    only = {
        f"{f.about.within}/{f.about.name}": f.items[0].name
        for f in facts
        if isinstance(f, Containers) and len(f.items) == 1 and f.about.within
    }
    return [_named(f, only) if isinstance(f, LastLines) and f.about.name is None else f for f in facts]


def _named(fact: LastLines, only: dict[str, str]) -> LastLines:
    name = only.get(fact.about.within or "")
    return replace(fact, about=Ref("Container", fact.about.within, name)) if name else fact
