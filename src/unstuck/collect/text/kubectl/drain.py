"""The output of `kubectl drain` while an eviction is refused: it asks again every five seconds, and writes
nothing into the cluster.

Source: k8s.io/kubectl pkg/drain/drain.go (evictPods) and pkg/cmd/drain, 1.5–1.34;
pkg/registry/core/pod/storage/eviction.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_NAME = r"[a-z0-9][a-z0-9.-]{0,252}"
_REFUSED = regex(
    rf"^\s*error when evicting pods?[ /]\"(?P<pod>{_NAME})\"(?: -n \"(?P<ns>[a-z0-9-]{{1,63}})\")? \(will "
    r"retry after \d{1,4}s\): "
    r"(?P<why>Cannot evict pod as it would violate the pod's disruption budget\.?)"
)
# A paste may break the line where its reason begins.
_BROKEN = regex(r"^\s*error when evicting pods?[ /].{1,400} \(will retry after \d{1,4}s\):\s*$")
_REASON = regex(r"^\s*Cannot evict pod as it would violate")
_NODE = regex(
    rf"^\s*(?:node[ /]\"?(?P<node>{_NAME})\"? (?:already )?cordoned\s*$|There are pending pods in node \""
    rf"(?P<pending>{_NAME})\")"
)
_ASKED = regex(rf"^\s*evicting pod \"?(?:(?P<ns>[a-z0-9-]{{1,63}})/)?(?P<pod>{_NAME})")


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from the first request to the last answer, where any was
    refused.
    """
    end, refused = i, False
    while end < len(lines):
        line = _rejoin(lines, end)
        if _REFUSED.match(line):
            refused = True
        elif not any(form.match(line) for form in (_ASKED, _NODE, _REASON)):
            break
        end += 1
    return end if refused else None


def _rejoin(lines: Sequence[str], n: int) -> str:
    """Return a line with its reason, if that is on the next line."""
    below = lines[n + 1] if n + 1 < len(lines) else ""
    broken = _BROKEN.match(lines[n]) and _REASON.match(below)
    return f"{lines[n].rstrip()} {below.strip()}" if broken else lines[n]


def read(piece: Piece) -> Reading:
    """Return one Failure for each Pod, about the Node that is drained."""
    node = _find_drained_node(piece)
    told: dict[Ref, tuple[int, int, str]] = {}
    # Until 1.20 only the request shows the Namespace.
    within = {m["pod"]: m["ns"] for line in piece.lines if (m := _ASKED.match(line)) and m["ns"]}
    for n in range(len(piece.lines)):
        if found := _REFUSED.match(_rejoin(piece.lines, n)):
            pod = Ref("Pod", found["ns"] or within.get(found["pod"]), found["pod"])
            _, count, _ = told.get(pod, (0, 0, ""))
            told[pod] = (n, count + 1, found["why"])
    return Reading(
        [
            Failure(
                about=node,
                src=piece.src(n),
                whole=False,
                operation="evict",
                error="budget-blocked",
                object=pod,
                message=why,
                reporter="kubectl",
                count=count,
            )
            for pod, (n, count, why) in told.items()
        ]
    )


def _find_drained_node(piece: Piece) -> Ref:
    for line in piece.lines:
        if found := _NODE.match(line):
            return Ref("Node", None, found["node"] or found["pending"])
    command = piece.command
    arguments = command.arguments if command else ()
    if len(arguments) == 2 and arguments[0] == "drain":
        return Ref("Node", None, arguments[1].rpartition("/")[2])
    return piece.block("Node")
