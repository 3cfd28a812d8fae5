"""Reads a row of `kubectl get pods`: STATUS is a summary of the Pod's containers, RESTARTS their past."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from unstuck.collect.text.cutting.ages import AGE, parse_age, subtract_age
from unstuck.collect.text.kubectl.columns import NAME
from unstuck.facts.aspects.objects import Condition, Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses, Placement, Termination
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.derive.pods import is_looping
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.facts.vocabulary.refusals import NOT_ADMITTED

_RESTARTED = regex(rf"(?P<count>\d{{1,9}})\s+\((?P<ago>{AGE}) ago\)")
_OOM, _SIGKILLED = "OOMKilled", 137
# A reason that has one cause: pkg/kubelet/images/types.go.
_PULL_ERRORS: Mapping[str, ErrorWord] = MappingProxyType[str, ErrorWord](
    {"ErrImageNeverPull": "never-pulled", "InvalidImageName": "name-invalid"}
)
_PHASES = frozenset({"Pending", "Running", "Succeeded", "Failed", "Unknown"})
_ENDED = frozenset(
    {
        "Completed",
        "Error",
        "OOMKilled",
        "ContainerCannotRun",
        "StartError",
        "DeadlineExceeded",
        "ContainerStatusUnknown",
    }
)
# The kubelet's reasons for ending or refusing the whole Pod: pkg/kubelet (eviction, nodeshutdown, preemption,
# lifecycle).
_FAILED_FOR = regex(rf"Evicted|Shutdown|Terminated|Preempting|NodeLost|{NOT_ADMITTED}")
_WAITING_FOR = (
    *(
        "CrashLoopBackOff",
        "ErrImagePull",
        "ImagePullBackOff",
        "ErrImageNeverPull",
        "InvalidImageName",
        "ImageInspectError",
    ),
    *(
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
        "ContainerCreating",
        "PodInitializing",
    ),
)
# The longer words of the column, which a narrow screen cuts.
_LONG_WORDS = (
    *("Terminating", *_WAITING_FOR),
    *(
        "ContainerCannotRun",
        "ContainerStatusUnknown",
        "UnexpectedAdmissionError",
        "SchedulingGated",
        "Completed",
        "OOMKilled",
        "Evicted",
    ),
)
_CUT = regex(r"(?P<rest>(?:Init:)?[A-Z][A-Za-z]{3,30}?)(?:…|\.{2,3}|~)$")
_OF_INIT = "Init:"
_WAITING = regex(rf"^(?:Init:)?(?:{'|'.join(_WAITING_FOR)})$")


def read_pod_row(ref: Ref, cells: dict[str, str], src: Source, now: datetime) -> Iterator[Fact]:
    """Yield the facts about one Pod. cells: title → cell."""
    status, node = _complete(cells.get("STATUS", "")), cells.get("NODE", "")
    cells = {**cells, "STATUS": status}
    if status == "Terminating":
        yield Deletion(about=ref, src=src, requested=True, whole=False)
    elif status in _PHASES:
        yield Phase(about=ref, src=src, phase=status, whole=False)
    elif status == "SchedulingGated":
        # printers.go (1.27 on): the reason of its condition.
        yield Phase(about=ref, src=src, phase="Pending", whole=False)
        yield Conditions(about=ref, src=src, items=(Condition("PodScheduled", "False", status),), whole=False)
    elif _FAILED_FOR.fullmatch(status):
        # A node controller writes this one over a Pod that may run on.
        yield Phase(
            about=ref,
            src=src,
            phase="Unknown" if status == "NodeLost" else "Failed",
            reason=status,
            whole=False,
        )
    elif status == "Completed" and cells.get("RESTARTS", "").partition(" ")[0] == "0":
        # A container that should keep running is restarted at once (crash loops wait from the second end on),
        # which counts as a restart.
        yield Phase(about=ref, src=src, phase="Succeeded", whole=False)
    ready, _, of = cells.get("READY", "").partition("/")
    if status == "Running" and ready == of and of.isdecimal() and int(of[:4]) > 0:
        yield Conditions(about=ref, src=src, items=(Condition("Ready", "True"),), whole=False)
        yield from _read_restarts(ref, cells, now, src)
    if status.startswith(_OF_INIT):
        yield Conditions(about=ref, src=src, items=(Condition("Initialized", "False"),), whole=False)
    if status == "Running" and (ready, of) == ("0", "1"):
        yield from _read_container(ref, cells, "running", src)
    elif status.removeprefix(_OF_INIT) in _ENDED:
        yield from _read_container(ref, cells, "terminated", src)
    elif _WAITING.match(status):
        yield from _read_container(ref, cells, "waiting", src)
    if node and node != "<none>" and not re.fullmatch(AGE, node) and NAME.match(node):
        yield Placement(about=ref, src=src, node=Ref("Node", None, node), whole=False)


def _complete(status: str) -> str:
    """Complete a word of STATUS that a narrow screen cut, if only one begins so; else return it unchanged."""
    cut = _CUT.fullmatch(status)
    if cut is None:
        return status
    init, _, begun = cut["rest"].rpartition(":")
    fit = [word for word in _LONG_WORDS if word.startswith(begun)]
    return f"{init}:{fit[0]}" if len(fit) == 1 and init else fit[0] if len(fit) == 1 else status


def _read_restarts(ref: Ref, cells: dict[str, str], now: datetime, src: Source) -> Iterator[Fact]:
    """Yield the container if it was restarted a moment ago and again and again: between two restarts it runs
    and is ready like any other.
    """
    told = _RESTARTED.fullmatch(cells.get("RESTARTS", ""))
    since, age = (subtract_age(told["ago"], now), parse_age(cells.get("AGE", ""))) if told else (None, None)
    if told is None or since is None or age is None:
        return
    # RESTARTS adds up all containers (printPod in pkg/printers/internalversion/printers.go), so each had
    # fewer.
    containers = int(cells["READY"].partition("/")[2][:4])
    count = int(told["count"])
    one = ContainerStatus(
        "",
        "main",
        "running",
        since=since,
        ready=True,
        restarts=count,
        restarted_every=age * containers // max(count, 1),
    )
    if is_looping(one, now):
        yield ContainerStatuses(about=ref, src=src, items=(one,), regular=containers, whole=False)


def _read_container(
    ref: Ref, cells: dict[str, str], state: Literal["waiting", "running", "terminated"], src: Source
) -> Iterator[Fact]:
    """Yield the container, which the column does not name, in the state that STATUS shows."""
    status, of = cells["STATUS"], cells.get("READY", "").partition("/")[2]
    restarts = re.match(r"\d{1,9}", cells.get("RESTARTS", ""))
    one = ContainerStatus(
        name="",
        kind="init" if status.startswith(_OF_INIT) else "main",
        state=state,
        reason="" if state == "running" else status.removeprefix(_OF_INIT),
        restarts=int(restarts[0]) if restarts else 0,
        # The OOM killer sends SIGKILL; no other STATUS implies an exit code.
        ended=Termination(_SIGKILLED, _OOM)
        if state == "terminated" and status.removeprefix(_OF_INIT) == _OOM
        else None,
    )
    regular = int(of) if of.isdecimal() and len(of) < 4 else None
    yield ContainerStatuses(about=ref, src=src, items=(one,), regular=regular, whole=False)
    if error := _PULL_ERRORS.get(one.reason):
        yield Failure(
            about=ref,
            src=src,
            operation="image-pull",
            error=error,
            message=status,
            reporter="kubectl",
            whole=False,
        )
