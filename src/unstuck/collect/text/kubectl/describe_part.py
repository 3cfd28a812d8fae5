"""A piece cut out of `kubectl describe pod`: containers with their states, one state alone, or why the Pod
failed as a whole.

The Pod's name is not part of it: the command above may name it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unstuck.collect.objects import facts_of
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.collect.text.cutting.shown_objects import find_described_object
from unstuck.collect.text.kubectl import describe_pod
from unstuck.collect.text.kubectl.event_rows import is_row
from unstuck.collect.text.kubectl.tree import Branch, parse_tree
from unstuck.facts.aspects.objects import Failure, Phase
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Needs
from unstuck.facts.regex import regex

_BEGINS = regex(r"^\s*(?:State|Last State|Containers|Init Containers|Container ID):(?:\s|$)")
_STATE = regex(r"^\s*(?:State|Last State):\s+(?:Waiting|Running|Terminated)\s*$")
# For a Pod that the kubelet ended as a whole. Source: k8s.io/kubectl pkg/describe/describe.go (describePod).
_FAILED = regex(r"^\s*Status:\s+Failed\s*$")
_WHY = regex(r"^\s*Reason:\s+\S")
_KEYED = regex(r"^\s*[A-Z][\w ()./-]{0,60}:(?:\s|$)")
_OF_A_STATE = ("Reason", "Message", "Exit Code", "Signal", "Started", "Finished")
_NEAR = 40


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from a container's key, or a failed Pod's, to the last line
    that is keyed or indented below.
    """
    if _FAILED.match(lines[i]) and any(_WHY.match(line) for line in lines[i + 1 : i + 2]):
        return find_end_of_run(lines, i + 1, lambda line: _KEYED.match(line) and not _is_end(line))
    if not _BEGINS.match(lines[i]) or not any(_STATE.match(line) for line in lines[i : i + _NEAR]):
        return None
    return find_end_of_run(
        lines, i + 1, lambda line: (_KEYED.match(line) or line.startswith("  ")) and not _is_end(line)
    )


def _is_end(line: str) -> bool:
    return line.strip().startswith(("Events:", "Name:")) or is_row(line)


def read(piece: Piece) -> Reading:
    """Return statuses or a phase (and, where the containers' keys were pasted, specs) about the Pod
    described, else an unnamed one; never whole.
    """
    root = parse_tree(piece.lines)
    failed = bool(root.text("Status"))
    if not failed and root.get("Containers", "Init Containers") is None:
        _nest(root)
        alone = Branch("Containers", "", 0, 0, below=[Branch("", "", 0, 0, below=root.below, raw=root.raw)])
        root = Branch("", "", 0, -1, below=[alone])
    obj: dict[str, Any] = describe_pod.build_pod(root, piece.context)
    obj["metadata"] = {"name": "x"}
    described = find_described_object(piece)
    about, out = described if described and described.kind == "Pod" else piece.block("Pod"), Reading()
    of_one = [*obj["spec"]["containers"], *obj["spec"]["initContainers"]]
    # The lines around a pasted state belong to its own container; without any of it the requested values are
    # unknown.
    named = any(c["name"] or c.get("resources") or c.get("livenessProbe") for c in of_one)
    for fact in facts_of(obj, f"{piece.context.name}:{piece.start}", piece.context.now):
        if isinstance(fact, Phase if failed else ContainerStatuses | Failure) or (
            named and isinstance(fact, Containers | Needs)
        ):
            out.facts.append(replace(fact, about=about, whole=False))
    return out


def _nest(root: Branch) -> None:
    """Nest a state's reason and code below it again, in a paste that lost its indentation."""
    state: Branch | None = None
    kept: list[Branch] = []
    for branch in root.below:
        if branch.key in ("State", "Last State"):
            state = branch
        if state is not None and branch.key in _OF_A_STATE:
            state.below.append(branch)
        else:
            kept.append(branch)
    root.below = kept
