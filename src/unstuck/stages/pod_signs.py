"""Signs from a Pod's placement and status, the parts of the stages of its start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.facts.aspects.objects import Conditions, Phase
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import SHUT_DOWN
from unstuck.facts.lookup import Facts

Signed = Sign[Any]
PULL_REASONS = (
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "ImageInspectError",
    "RegistryUnavailable",
    "SignatureValidationFailed",
)
CREATE_REASONS = (
    "CreateContainerConfigError",
    "CreateContainerError",
    "PreCreateHookError",
    "PostStartHookError",
)
START_REASONS = ("RunContainerError", "StartError", "ContainerCannotRun")
BACK_OFF = "CrashLoopBackOff"
AFTER_CREATE = (*START_REASONS, BACK_OFF)
AFTER_SANDBOX = (*PULL_REASONS, *CREATE_REASONS, *AFTER_CREATE)


def invert(sign: Signed) -> Signed:
    """Return the negated sign, without questions; unknown stays."""
    return sign if sign.value is None else Sign(not sign.value, seen=sign.seen)


def find_status(
    pod: Ref, snap: Facts, pick: Callable[[ContainerStatus], bool], name: str | None = None
) -> Signed:
    """Tell whether a container's status meets the test. name: the only container to check."""
    return some(
        snap, ContainerStatuses, pod, lambda f: [s for s in f.items if name in (None, s.name) and pick(s)]
    )


def has_run(status: ContainerStatus) -> bool:
    """Tell whether the container's process was ever started, judged by the status."""
    if status.state == "running" or (
        status.state == "terminated" and status.ended is None and status.reason not in START_REASONS
    ):
        return True
    ends = [e for e in (status.ended, status.last) if e]
    return any(e.reason not in START_REASONS for e in ends)


def is_done_with(pod: Ref, snap: Facts) -> Signed:
    """Return done for a Pod that has run; a table's row also says Completed for a Pod that went down with its
    Node.
    """
    if shut := tuple(f for f in snap.of(Phase, pod) if f.reason in SHUT_DOWN and f.phase != "Succeeded"):
        return Sign(False, seen=shut)
    return some(snap, Phase, pod, lambda f: [f] if f.phase == "Succeeded" else [])


def find_condition(pod: Ref, snap: Facts, type_: str) -> Signed:
    """Tell whether the Pod's own condition is True, or the Pod has finished its work."""
    said = some(
        snap, Conditions, pod, lambda f: [c for c in f.items if c.type == type_ and c.status == "True"]
    )
    if said.value:
        return said
    finished = is_done_with(pod, snap)
    if finished.value:
        return finished
    # A row that shows the condition counts, even without the other conditions.
    denied = tuple(
        f for f in snap.of(Conditions, pod) if (c := f.get(type_)) and c.status == "False" and snap.sure(f)
    )
    return Sign(False, seen=denied) if said.value is None and denied else said


def find_placement(pod: Ref, snap: Facts) -> Signed:
    """Judge whether the Pod has a Node; without a known placement, by the condition PodScheduled."""
    placed = some(snap, Placement, pod, lambda f: [f.node] if f.node else [])
    if placed.value is not None:
        return placed
    waits = hearsay(
        snap,
        Conditions,
        pod,
        lambda f: [c for c in f.items if c.type == "PodScheduled" and c.status == "False"],
    )
    return Sign(False, seen=waits.seen) if waits.value else placed


def require_node(pod: Ref, snap: Facts) -> Signed:
    """Return no for a Pod without a Node, which cannot have reached this stage; else unknown."""
    placed = find_placement(pod, snap)
    return Sign(False, seen=placed.seen) if placed.value is False else Sign(None, seen=placed.seen)
