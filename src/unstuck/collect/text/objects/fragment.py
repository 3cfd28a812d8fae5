"""A part of an object's YAML, cut out: `status:` with its conditions, `metadata:` with its finalizers. The
object is not named.

The kind follows from fields that only one kind has: a Namespace's own conditions, a Pod's containers' states.
All else stays unread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import dedent
from typing import Any

from unstuck.collect.objects import facts_of
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.objects.json_yaml import parse_yaml_documents
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_BEGINS = regex(
    r"^\s{0,16}(?:status|phase|conditions|containerStatuses|initContainerStatuses|message|reason|hostIP"
    r"|podIP):(?:\s|$)"
)
# Nothing but a Pod's status has a class of service, or is evicted.
_TELLS = regex(
    r"^\s*(?:-\s+)?(?:(?:conditions|containerStatuses|initContainerStatuses):\s*$|qosClass:\s+[A-Z]|reason:"
    r"\s+Evicted\s*$)"
)
# pkg/util/node/node.go (NodeUnreachablePodMessage), which the node controller writes into the status of a
# Pod.
_LOST = regex(
    r"^Node (?P<node>[a-z0-9.-]{1,253}) which was running pod (?P<pod>[a-z0-9.-]{1,253}) is unresponsive$"
)
_LINE = regex(
    r"^\s*(?:-\s+)?(?:[A-Za-z][\w./-]{0,252}|'[^']{0,252}'|\"[^\"]{0,252}\"):(?:\s|$)|^\s*-\s|^\s+\S"
)
# Prose may follow without a blank line (`DiscoveryManager: Failed to …`): at the margin stand the keys of a
# status, and a list's dashes.
_KEYED = regex(r"^\s*(?:-\s|[a-z][A-Za-z]{1,60}:)")
_NAMESPACE = regex(r"^Namespace(?:Deletion|Content|Finalizers)")
_POD = frozenset(
    {"PodScheduled", "ContainersReady", "Initialized", "PodReadyToStartContainers", "DisruptionTarget"}
)
_PAIR = regex(r"^\s*(?P<dash>-\s+)?(?P<key>[A-Za-z]{1,40}):(?:\s+(?P<value>\S.*))?$")
_OF_A_CONDITION = frozenset(
    {
        "type",
        "status",
        "reason",
        "message",
        "lastTransitionTime",
        "lastProbeTime",
        "lastUpdateTime",
        "observedGeneration",
    }
)
_STATUSES = ("True", "False", "Unknown")
_NEAR = 12
_LONGEST = 400


# A list of conditions whose own key was cut off: each begins with one of its keys, in either order (by hand,
# or sorted as kubectl does).
_ITEM = regex(
    r"^\s{0,16}-\s+(?:type|status|reason|message|observedGeneration|last(?:Transition|Probe|Update"
    r"|Heartbeat)Time):\s+\S"
)
_TYPED = regex(
    r"^\s*(?:-\s+)?type:\s+['\"]?(?:Namespace(?:Deletion|Content|Finalizers)\w{1,60}|PodScheduled"
    r"|ContainersReady|Initialized|"
    r"PodReadyToStartContainers|DisruptionTarget)\b"
)


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from the first key to where the indentation falls below its
    own.
    """
    near = lines[i : i + _NEAR]
    whole = _BEGINS.match(lines[i]) and any(_TELLS.match(line) for line in near)
    if not whole and not (_ITEM.match(lines[i]) and any(_TYPED.match(line) for line in near)):
        return None
    margin = len(lines[i]) - len(lines[i].lstrip())
    end = i + 1
    while end < min(len(lines), i + _LONGEST):
        line = lines[end]
        indent = len(line) - len(line.lstrip())
        if (
            not line.strip()
            or indent < margin
            or not _LINE.match(line)
            or (indent == margin and not _KEYED.match(line))
        ):
            break
        end += 1
    return end


def read(piece: Piece) -> Reading:
    """Return Conditions, phase and states about an unnamed Pod or Namespace; never whole."""
    found: Any
    try:
        found = next(parse_yaml_documents(dedent("\n".join(piece.lines))), None)
    except (ValueError, RecursionError, TypeError, OverflowError):
        found = _parse_unindented(piece.lines)
    if isinstance(found, list):
        found = {"conditions": found}
    status = found.get("status", found) if isinstance(found, Mapping) else None
    kind = infer_kind(status) if isinstance(status, Mapping) else None
    if kind is None or not isinstance(status, Mapping):
        return Reading(understood=False)
    return read_status(kind, status, piece)


def read_status(kind: str, status: Mapping[str, Any], piece: Piece) -> Reading:
    """Return the facts of a status about an unnamed Pod or Namespace; never whole."""
    out = Reading()
    obj: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}, "status": status}
    about = piece.block(kind)
    if kind == "Pod" and (lost := _LOST.match(" ".join(str(status.get("message", "")).split()))):
        about = Ref("Pod", None, lost["pod"])
        out.facts.append(
            Placement(
                about=about, src=piece.src(0, lost[0]), node=Ref("Node", None, lost["node"]), whole=False
            )
        )
    for fact in facts_of(obj, f"{piece.context.name}:{piece.start}", piece.context.now):
        if (
            isinstance(fact, Conditions | Phase | ContainerStatuses | Failure | Unschedulable)
            and fact.about.name == "x"
        ):
            out.facts.append(replace(fact, about=about, whole=False))
    conditions = any(isinstance(f, Conditions) for f in out.facts)
    if kind == "Namespace" and (status.get("phase") == "Terminating" or conditions):
        # It has conditions only while it is being deleted.
        at = next((n for n, line in enumerate(piece.lines) if "phase:" in line), 0)
        out.facts.append(Deletion(about=about, src=piece.src(at), requested=True, whole=False))
    return out


def _parse_unindented(lines: Sequence[str]) -> Mapping[str, Any] | None:
    """Parse a status of nothing but a phase and conditions, whose indentation was lost; None for any other
    text.

    A dash begins a condition, and each of its keys occurs once: no indentation is needed to separate them.
    """
    status: dict[str, Any] = {}
    rows: list[dict[str, str]] = []
    for line in lines:
        found = _PAIR.match(line.rstrip())
        if found is None:
            return None
        key, value = found["key"], (found["value"] or "").strip("'\"")
        if found["dash"]:
            rows.append({})
        if key in ("conditions", "status") and not value and not found["dash"]:
            continue
        if key == "phase" and value:
            status[key] = value
        elif key not in _OF_A_CONDITION or not rows or key in rows[-1]:
            return None
        else:
            rows[-1][key] = value
    if rows and not _is_complete(rows[-1]):
        rows.pop()
    return {**status, "conditions": rows} if rows and all(_is_complete(r) for r in rows) else None


def _is_complete(row: Mapping[str, str]) -> bool:
    return bool(row.get("type")) and row.get("status") in _STATUSES


def infer_kind(status: Mapping[str, Any]) -> str | None:
    """Return the only kind with such a status; None if several have it."""
    rows = status.get("conditions")
    types = {str(r.get("type")) for r in rows if isinstance(r, Mapping)} if isinstance(rows, list) else set()
    if any(_NAMESPACE.match(t) for t in types):
        return "Namespace"
    if (
        types & _POD
        or "qosClass" in status
        or status.get("reason") == "Evicted"
        or any(isinstance(status.get(k), list) for k in ("containerStatuses", "initContainerStatuses"))
    ):
        return "Pod"
    return None
