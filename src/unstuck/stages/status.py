"""The word that kubectl prints as a Pod's STATUS.

Source: pkg/printers/internalversion/printers.go (printPod) of Kubernetes 1.34.
"""

from __future__ import annotations

from unstuck.facts.aspects.objects import Conditions, Phase
from unstuck.facts.aspects.pod import ContainerStatus, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import list_statuses
from unstuck.facts.lookup import Facts

TERMINATING = "Terminating"
_OF_INIT = "PodInitializing"


def find_status_word(pod: Ref, snap: Facts) -> str:
    """Return the word of a Pod that is not being deleted; "" if too little of it was seen."""
    phases = snap.of(Phase, pod)
    of_pod = next((f.reason for f in phases if f.reason), "") or next((f.phase for f in phases), "")
    seen = list_statuses(pod, snap)
    starting = [s for s in seen if s.kind in ("init", "sidecar") and s.state != "none"]
    for n, one in enumerate(starting):
        if (word := _init_word(one)) is not None:
            return f"Init:{word or f'{n}/{len(starting)}'}"
    reasons = [word for s in seen if s.kind == "main" and (word := _word(s))]
    running = any(s.kind == "main" and s.state == "running" for s in seen)
    word = reasons[-1] if reasons else _find_gate_word(pod, snap) or of_pod or ("Running" if running else "")
    # One container has ended well while another one runs.
    return "Running" if word == "Completed" and running else word


def _init_word(s: ContainerStatus) -> str | None:
    """Return the word for an init container: None if it is finished, "" if it only waits or is running."""
    if s.kind == "sidecar" and s.started:
        return None
    if s.ended is not None:
        return None if s.ended.code == 0 and s.kind == "init" else _word(s)
    return s.reason if s.reason != _OF_INIT else ""


def _word(s: ContainerStatus) -> str:
    if s.state == "waiting" or s.ended is None:
        return s.reason
    return s.ended.reason or (f"Signal:{s.ended.signal}" if s.ended.signal else f"ExitCode:{s.ended.code}")


def _find_gate_word(pod: Ref, snap: Facts) -> str:
    told = [c for f in snap.of(Conditions, pod) if (c := f.get("PodScheduled"))]
    gates = any(f.gates for f in snap.of(Placement, pod))
    return "SchedulingGated" if gates or any(c.reason == "SchedulingGated" for c in told) else ""
