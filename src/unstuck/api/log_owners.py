"""Attributes a log without a name to its container: the only failed container in the other inputs."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.api.text_kinds import recognise
from unstuck.collect.text.cutting.piece import TypedCommand
from unstuck.collect.text.cutting.split import blocks_of, split_lines
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pasted import Pasted, ToldErrors
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses, LastLines
from unstuck.facts.core import Fact
from unstuck.facts.derive.pods import make_container_ref

# Kinds of text printed by programs in containers; the output of other tools is no container's log.
_LOGS = frozenset(
    (
        *(
            "program-log",
            "json-log",
            "klog",
            "klog-cut",
            "nginx-error",
            "access-log",
            "postgres-log",
            "npm",
            "curl",
        ),
        *("java-stack", "dotnet-stack", "node-stack", "python-stack", "go-stack", "rust-panic", "ruby-stack"),
    )
)


def name_no_object(facts: Iterable[Fact]) -> bool:
    """Tell whether the facts of a text name no object."""
    return all(
        isinstance(f, Pasted | ToldErrors) or (isinstance(f, Failure) and f.about.block is not None)
        for f in facts
    )


def may_be_log(text: str) -> bool:
    """Tell whether a text may be a container's log: it shows no command and has no other kind."""
    if any(block.command for block in blocks_of(split_lines(text))):
        return False
    kind = recognise(text)
    return kind is None or kind.id in _LOGS


def find_log_command(facts: Iterable[Fact]) -> TypedCommand | None:
    """Return the command for the log of the only failed container without a log in the input; None if there
    is none or more than one.
    """
    facts = list(facts)
    told = {f.about for f in facts if isinstance(f, LastLines)}
    failed = dict.fromkeys(
        (f.about, s)
        for f in facts
        if isinstance(f, ContainerStatuses)
        for s in f.items
        if _has_failed(s) and f.about.within
    )
    missing = [(pod, s) for pod, s in failed if make_container_ref(pod, s.name) not in told]
    if len({(pod.within, pod.name, s.name) for pod, s in missing}) != 1:
        return None
    pod, status = missing[0]
    previous = "" if status.ended else " --previous"
    return TypedCommand(f"kubectl logs{previous} -n {pod.within} {pod.name} --container={status.name}")


# The container's program was never started, so it wrote nothing.
_NOT_BEGUN = ("StartError", "ContainerCannotRun")


def _has_failed(status: ContainerStatus) -> bool:
    """Tell whether a container's program has ended unexpectedly."""
    end = status.ended or status.last
    return (
        end is not None
        and end.reason not in _NOT_BEGUN
        and (end.code != 0 or status.reason == "CrashLoopBackOff")
    )
