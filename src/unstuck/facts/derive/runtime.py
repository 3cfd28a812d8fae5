"""Finds disagreements between the sources of one container's state."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from unstuck.facts.aspects.host import Proc
from unstuck.facts.aspects.runtime import ContainerSeen

Disagreement = Literal["process-gone", "process-left", "task-gone", "task-ended"]
_NEAR = timedelta(seconds=10)


def find_disagreement(container: ContainerSeen) -> Disagreement | None:
    """Find a disagreement between the sources; None if they agree, or one of them is unknown.

    process-gone: running by the runtime, but without a live process. process-left: ended by the runtime, but
    its original process is alive. task-gone: running by the runtime and its process alive, but without task
    and shim. task-ended: running by docker, but its task ended by containerd, with unknown processes.
    """
    word = container.word
    if word is None:
        return None
    if container.processes is None:
        return "task-ended" if word.state == "running" and _has_task_ended(container) else None
    if word.daemon == "crio" and container.sandbox is not False:
        # CRI-O keeps a sandbox without any process if its Pod shares no PID namespace (drop_infra_ctr).
        return None
    processes = list_live_processes(container)
    if word.state in ("running", "paused"):
        if not processes:
            return "process-gone"
        return (
            "task-gone"
            if container.task is False and container.shims_seen and container.shim is None
            else None
        )
    return "process-left" if word.state in ("exited", "dead") and list_own_processes(container) else None


def _has_task_ended(container: ContainerSeen) -> bool:
    """Tell whether containerd reports the task of docker's container as ended."""
    return container.words[0].daemon == "dockerd" and any(
        w.daemon == "containerd" and w.state == "exited" for w in container.words
    )


def list_live_processes(container: ContainerSeen) -> tuple[Proc, ...]:
    """Return the container's processes without zombies."""
    return tuple(p for p in container.processes or () if p.state not in ("Z", "X"))


def list_own_processes(container: ContainerSeen) -> tuple[Proc, ...]:
    """Return the live processes started together with the container, which excludes later additions to its
    cgroup.
    """
    starts = [w.started for w in container.words if w.started]
    return tuple(
        p
        for p in list_live_processes(container)
        if p.start and any(abs(p.start - s) <= _NEAR for s in starts)
    )


def is_shim_stopped(container: ContainerSeen) -> bool:
    """Tell whether the container's shim was stopped by a signal."""
    return container.shim is not None and container.shim.state in ("T", "t")
