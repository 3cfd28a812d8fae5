"""The finished containers of a running Pod: they exited with 0, and the restartPolicy does not start them
again.
"""

from __future__ import annotations

from unstuck.facts.aspects.objects import Conditions, Owners
from unstuck.facts.aspects.pod import Containers, ContainerStatus, ContainerStatuses
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import list_statuses
from unstuck.facts.lookup import Facts


def find_done_containers(pod: Ref, snap: Facts) -> tuple[ContainerStatus, ...]:
    """Return the finished main containers, if all others are ready and nothing else keeps the Pod from being
    ready; else none.

    As a whole such a Pod counts as not ready (pkg/kubelet/status/generate.go:
    GenerateContainersReadyCondition).
    """
    spec = snap.one(Containers, pod)
    if spec is None or spec.restart == "Always" or not any(f.whole for f in snap.of(ContainerStatuses, pod)):
        return ()
    if any(f.controller and f.controller.kind == "Job" for f in snap.of(Owners, pod)):
        # The Job waits for the others to end, too.
        return ()
    regular = [s for s in list_statuses(pod, snap) if s.kind in ("main", "sidecar")]
    done = [
        s
        for s in regular
        if s.kind == "main" and s.state == "terminated" and s.ended is not None and s.ended.code == 0
    ]
    unready = {
        c.reason
        for f in snap.of(Conditions, pod)
        for c in f.items
        if c.type == "Ready" and c.status == "False"
    }
    others = [s for s in regular if s not in done]
    fits = (
        done
        and others
        and all(s.state == "running" and s.ready for s in others)
        and unready <= {"ContainersNotReady"}
    )
    return tuple(done) if fits else ()


def find_done_evidence(pod: Ref, snap: Facts) -> tuple[Fact, ...]:
    """Return the evidence that a Pod lacks only finished containers; nothing if it lacks more."""
    return (
        (*snap.of(ContainerStatuses, pod), *snap.of(Containers, pod))
        if find_done_containers(pod, snap)
        else ()
    )
