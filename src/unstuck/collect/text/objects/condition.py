"""One condition or waiting state cut out of an object's status, in YAML or JSON, at any of its ends: its
`reason` with its `message`.

The object is not named. Its kind follows from a type or a reason that only one kind has; all else stays
unread. Sources: the API reference of 1.34; kube-scheduler pkg/scheduler/framework (PodReasonUnschedulable),
kube-controller-manager pkg/controller/ deployment/util and job (conditions' reasons), kubelet
pkg/kubelet/images and kuberuntime (waiting reasons).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.objects.fragment import infer_kind, read_status
from unstuck.facts.regex import regex

_KEYS = "type|status|reason|message|last(?:Transition|Probe|Update|Heartbeat)Time|observedGeneration"
_PAIR = regex(rf"^(?P<margin>\s*(?:-\s+)?)(?P<quote>[\"']?)(?P<key>{_KEYS})(?P=quote):\s+(?P<value>\S.*)$")
_BRACE = regex(r"^\s*[{}\[\]]+,?\s*$")
_STATUSES = ("True", "False", "Unknown")
# An Event's counterpart to a condition's type.
_OF_AN_EVENT = ("Normal", "Warning")
# Reason → the only condition type that has it, and its kind.
_BY_REASON = MappingProxyType(
    {
        "Unschedulable": ("PodScheduled", "Pod"),
        "SchedulingGated": ("PodScheduled", "Pod"),
        "SchedulerError": ("PodScheduled", "Pod"),
        "ContainersNotReady": ("Ready", "Pod"),
        "ContainersNotInitialized": ("Initialized", "Pod"),
    }
)
_WAITING = frozenset(
    {
        *(
            "CrashLoopBackOff",
            "ImagePullBackOff",
            "ErrImagePull",
            "ErrImageNeverPull",
            "InvalidImageName",
            "ImageInspectError",
        ),
        *(
            "CreateContainerConfigError",
            "CreateContainerError",
            "RunContainerError",
            "RegistryUnavailable",
            "ErrImagePullBackOff",
        ),
    }
)
_MOST = 40


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of consecutive keys of one condition, each once; None without a reason and a message."""
    end = i
    seen = set[str]()
    while (
        end < min(len(lines), i + _MOST) and (found := _PAIR.match(lines[end])) and found["key"] not in seen
    ):
        if "-" in found["margin"] and seen:
            break
        seen.add(found["key"])
        end = _end_of_value(lines, end, len(found["margin"]))
    return end if {"reason", "message"} <= seen and _make_status(_parse(lines[i:end])) else None


def _end_of_value(lines: Sequence[str], n: int, margin: int) -> int:
    """Return the end of a value: YAML folds a long value into lines that are indented below its key, or
    inside an open quote.
    """
    end = n + 1
    while end < min(len(lines), n + _MOST) and lines[end].strip():
        deeper = len(lines[end]) - len(lines[end].lstrip()) > margin
        if not deeper or _PAIR.match(lines[end]) or _BRACE.match(lines[end]):
            break
        end += 1
    return end


def read(piece: Piece) -> Reading:
    """Return the condition, or the state, of an unnamed Pod or Namespace, with the facts in its message;
    never whole.
    """
    made = _make_status(_parse(piece.lines))
    return read_status(*made, piece) if made else Reading(understood=False)


def _make_status(row: Mapping[str, str]) -> tuple[str, Mapping[str, object]] | None:
    """Return the kind and the status that the condition is a part of; None if the kind is not known, or all
    is well.
    """
    reason, message = row.get("reason", ""), row.get("message", "")
    if (
        not reason
        or not message
        or row.get("status", "False") not in _STATUSES
        or row.get("type") in _OF_AN_EVENT
    ):
        return None
    if reason in _WAITING and not {"status", "type"} & row.keys():
        waiting = {"name": "", "state": {"waiting": {"reason": reason, "message": message}}}
        return "Pod", {"containerStatuses": [waiting]}
    type_, kind = _BY_REASON.get(reason, (row.get("type", ""), ""))
    whole = {"status": "False", **row, "type": row.get("type", type_)}
    own = kind or infer_kind({"conditions": [whole]})
    return (own, {"conditions": [whole]}) if own else None


def _parse(lines: Sequence[str]) -> Mapping[str, str]:
    """Return each key's value, with its folded lines, without quotes."""
    row = dict[str, str]()
    key = ""
    for line in lines:
        if (found := _PAIR.match(line)) and found["key"] not in row:
            key = found["key"]
            row[key] = found["value"].strip()
        elif key:
            row[key] += f" {line.strip()}"
    return {key: _unquote(value) for key, value in row.items()}


def _unquote(value: str) -> str:
    """Return the value of a scalar. Of a value that is cut off the quotes that are left go."""
    value = value.removesuffix(",")
    if value[:1] == '"':
        with suppress(ValueError):
            return str(json.loads(value, strict=False))
    if value[:1] == "'" and value[-1:] == "'" and len(value) > 1:
        return value[1:-1].replace("''", "'")
    return " ".join(value.removeprefix("|-").removeprefix(">-").strip("'\"").split())
