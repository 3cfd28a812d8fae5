"""The start of a Pod: each stage from its own evidence (kubelet: SyncPod in
pkg/kubelet/kuberuntime/kuberuntime_manager.go).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import Stage
from unstuck.diagnosis.sign import Sign, any_of, hearsay, only_yes, some, unique
from unstuck.diagnosis.text import Messages, same_in_both
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Conditions, Failure, Phase, Presence
from unstuck.facts.aspects.pod import Containers, ContainerStatus, ContainerStatuses, Life, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import list_statuses
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.facts.vocabulary.failures import Operation
from unstuck.stages.container_start import find_ready, make_container_steps
from unstuck.stages.done_containers import find_done_evidence
from unstuck.stages.line import StageStep, order_stages
from unstuck.stages.messages import find_messages_about
from unstuck.stages.pod_signs import (
    AFTER_SANDBOX,
    Signed,
    find_condition,
    find_placement,
    find_status,
    has_run,
    invert,
    is_done_with,
    require_node,
)

say = Messages(__name__)


def trace_pod_start(pod: Ref, snap: Facts) -> tuple[Stage, ...]:
    """Return the line of a Pod that is not being deleted."""
    begun = _judge_kubelet_began(pod, snap)
    sandbox = _judge_sandbox_ready(pod, snap)
    steps = [
        StageStep(
            "admitted",
            say("admit"),
            _accept_begun(_accept_begun(_exists(pod, snap), begun), _judge_scheduler_tried(pod, snap)),
        ),
        StageStep("gates-lifted", say("remove gates"), _accept_begun(_judge_gates_lifted(pod, snap), begun)),
        StageStep(
            "scheduled",
            say("schedule"),
            _accept_begun(find_placement(pod, snap), begun),
            first=True,
            implies=True,
        ),
        StageStep("kubelet-accepted", say("kubelet accepts"), _judge_acceptance(pod, snap), implies=True),
        StageStep(
            "devices-and-volumes-prepared",
            say("prepare volumes"),
            _judge_volumes_ready(pod, snap, sandbox),
            implies=True,
        ),
        StageStep(
            "sandbox-and-network", say("create sandbox"), _judge_sandbox(pod, snap, sandbox), implies=True
        ),
        StageStep(
            "init-done", say("run init"), _is_initialized(pod, snap), implies=_runs_after_sandbox(pod, snap)
        ),
    ]
    whole = order_stages([*steps, *make_container_steps(pod, snap, _is_pod_ready(pod, snap))])
    return _add_messages(_mark_container_stages(whole, len(steps), pod, snap), pod, snap)


def _mark_container_stages(stages: tuple[Stage, ...], first: int, pod: Ref, snap: Facts) -> tuple[Stage, ...]:
    """Mark the stage of every container that is not done: a container that waits for its image does not hold
    up the others.

    first: the number of stages of the Pod as a whole, before its containers diverge.
    """
    if any(s.state != "done" for s in stages[:first]) or all(s.state == "done" for s in stages[first:]):
        return stages
    names = unique(s.name for s in list_statuses(pod, snap) if s.kind in ("main", "sidecar"))
    stands: dict[str, list[tuple[str, Stage]]] = {}
    for name in names:
        own = order_stages(make_container_steps(pod, snap, find_ready(pod, snap, name), name))
        if at := next((s for s in own if s.state == "not-done"), None):
            stands.setdefault(at.id, []).append((name, at))
    here = {s.id for s in stages if s.state == "not-done"}
    if not set(stands) - here:
        return stages
    return tuple(_name_containers(s, stands[s.id], len(names) > 1) if s.id in stands else s for s in stages)


def _name_containers(stage: Stage, containers: Sequence[tuple[str, Stage]], of_several: bool) -> Stage:
    """Return the stage as not done, with the names of its containers if the Pod has others."""
    which = ", ".join(name for name, _ in containers)
    note = stage.says + same_in_both(f" ✗ {which}") if of_several else stage.note
    seen = unique(f for _, at in containers for f in at.evidence)
    return replace(
        stage,
        state="not-done",
        evidence=stage.evidence if stage.state == "not-done" else seen,
        wants=(),
        note=note,
    )


def _add_messages(stages: tuple[Stage, ...], pod: Ref, snap: Facts) -> tuple[Stage, ...]:
    """Add the messages about the Pod to its current stage."""
    said = find_messages_about(pod, snap)
    at = next((i for i, s in enumerate(stages) if s.state in ("not-done", "unknown")), None)
    if at is None or not said:
        return stages
    with_words = replace(stages[at], evidence=unique((*stages[at].evidence, *said)))
    return (*stages[:at], with_words, *stages[at + 1 :])


# Operations that only a kubelet performs, so that a message about one shows that the Pod was placed.
# A sandbox is created from its own image, which the runtime pulls.
_SANDBOX: tuple[Operation, ...] = ("sandbox-create", "sandbox-image-pull", "network-set-up")
_KUBELETS: tuple[Operation, ...] = (
    "volume-set-up",
    *_SANDBOX,
    "image-pull",
    "container-create",
    "container-start",
)


def _judge_kubelet_began(pod: Ref, snap: Facts) -> Signed:
    """Tell whether a kubelet has started to handle the Pod, by its messages and reports."""
    tried = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation in _KUBELETS or f.operation.startswith("probe-") else [],
    )
    reported = hearsay(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [s for s in f.items if s.state != "none" and (s.container_id or s.reason)],
    )
    return only_yes(any_of([tried, reported]))


def _exists(pod: Ref, snap: Facts) -> Signed:
    return some(snap, Presence, pod, lambda f: [f] if f.exists else [])


def _judge_scheduler_tried(pod: Ref, snap: Facts) -> Signed:
    """Tell whether a scheduler has tried to place it: it must exist for that."""
    tried = tuple(snap.of(Unschedulable, pod))
    return Sign(True, seen=tried) if tried else Sign(None)


def _accept_begun(sign: Signed, begun: Signed) -> Signed:
    """Return yes for a stage before the kubelet's once the kubelet has begun, where the stage itself is
    unknown.
    """
    return begun if sign.value is None and begun.value else sign


def _is_pod_ready(pod: Ref, snap: Facts) -> Signed:
    """Tell whether the Pod is ready, or lacks nothing but containers that are done."""
    said = find_condition(pod, snap, "Ready")
    done = find_done_evidence(pod, snap) if said.value is False else ()
    return Sign(True, seen=done) if done else said


def _is_initialized(pod: Ref, snap: Facts) -> Signed:
    """Return whether the init containers are done; where the condition was not seen, the containers and
    the phase show it.
    """
    said = find_condition(pod, snap, "Initialized")
    if said.value or any(f.get("Initialized") for f in snap.of(Conditions, pod)):
        return said
    if (past := _judge_past_init(pod, snap)).value:
        return past
    at_work = hearsay(
        snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.kind == "init" and _fails(s)]
    )
    return Sign(False, seen=at_work.seen) if at_work.value else said


def _fails(init: ContainerStatus) -> bool:
    """Tell whether the container waits for its next try, or has just failed."""
    return init.reason in AFTER_SANDBOX or (init.ended is not None and init.ended.code != 0)


def _judge_past_init(pod: Ref, snap: Facts) -> Signed:
    """Find signs that the init containers are done. Never a no.

    The phase is Pending while one of these has not succeeded (getPhase in pkg/kubelet/kubelet_pods.go).
    """
    running = hearsay(snap, Phase, pod, lambda f: [f] if f.phase == "Running" else [])
    begun = hearsay(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [
            s
            for s in f.items
            if s.kind == "main" and (s.reason in AFTER_SANDBOX or s.state in ("running", "terminated"))
        ],
    )
    ready = hearsay(
        snap, Conditions, pod, lambda f: [c for c in f.items if c.type == "Ready" and c.status == "True"]
    )
    return only_yes(any_of([running, begun, ready]))


def _runs_after_sandbox(pod: Ref, snap: Facts) -> bool:
    """Tell whether its sandbox was made before it counted as initialized: a Pod without init containers
    counts as initialized at once.
    """
    kinds = {c.kind for f in snap.of(Containers, pod) for c in f.items} | {
        s.kind for s in list_statuses(pod, snap)
    }
    return bool(_judge_past_init(pod, snap).value) or not kinds.isdisjoint(("init", "sidecar"))


def _judge_acceptance(pod: Ref, snap: Facts) -> Signed:
    rejected = some(
        snap, Phase, pod, lambda f: [f] if f.phase == "Failed" and f.reason and f.reason != "Evicted" else []
    )
    told = hearsay(snap, Life, pod, lambda f: [f] if f.started else [])
    any_status = hearsay(snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.state != "none"])
    # No other component writes this condition.
    initializes = hearsay(snap, Conditions, pod, lambda f: [c for c in f.items if c.type == "Initialized"])
    ran = find_status(pod, snap, has_run)
    if rejected.value and not ran.value:
        return Sign(False, seen=rejected.seen)
    # Through 1.30 the kubelet keeps a Pod that its node cannot run (pkg/kubelet/kubelet.go, canRunPod).
    blocked = find_status(pod, snap, lambda s: s.state == "waiting" and s.reason == "Blocked")
    if blocked.value:
        return Sign(False, seen=blocked.seen)
    yes = any_of([told, any_status, initializes])
    return yes if yes.value else require_node(pod, snap)


def _judge_gates_lifted(pod: Ref, snap: Facts) -> Signed:
    """Return done if no gate is left; a Pod that the scheduler has tried to place has none."""
    lifted = invert(some(snap, Placement, pod, lambda f: f.gates))
    gated = hearsay(
        snap,
        Conditions,
        pod,
        lambda f: [c for c in f.items if c.type == "PodScheduled" and c.reason == "SchedulingGated"],
    )
    if lifted.value is None and gated.value:
        return Sign(False, seen=gated.seen)
    return _accept_begun(lifted, _judge_scheduler_tried(pod, snap))


def _judge_sandbox_ready(pod: Ref, snap: Facts) -> Signed:
    """Tell whether the sandbox was ever ready, by the Pod's own status; a no needs the whole status."""
    by_condition = some(
        snap,
        Conditions,
        pod,
        lambda f: [c for c in f.items if c.type == "PodReadyToStartContainers" and c.status == "True"],
    )
    by_container = find_status(pod, snap, lambda s: bool(s.container_id) or has_run(s))
    by_pull = find_status(pod, snap, lambda s: s.state == "terminated" or s.reason in AFTER_SANDBOX)
    return any_of([by_condition, by_container, by_pull, is_done_with(pod, snap)])


def _judge_volumes_ready(pod: Ref, snap: Facts, ready: Signed) -> Signed:
    if ready.value:
        return ready
    tried = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation in (*_SANDBOX, "image-pull", "container-create") else [],
    )
    if tried.value:
        return tried
    return _failed_try(pod, snap, ("volume-set-up", "volume-attach", "resources-prepare"), ready)


def _judge_sandbox(pod: Ref, snap: Facts, ready: Signed) -> Signed:
    return ready if ready.value else _failed_try(pod, snap, (*_SANDBOX, "network-ready"), ready)


def _failed_try(pod: Ref, snap: Facts, operations: tuple[Operation, ...], ready: Signed) -> Signed:
    """Return no if such an attempt reportedly failed; the parts of the Pod's status that could show progress
    since remain wanted.

    ready: the sign from that status, which is not yes.
    """
    refused = hearsay(snap, Failure, pod, lambda f: [f] if f.operation in operations else [])
    return Sign(False, seen=refused.seen, wants=ready.wants) if refused.value else require_node(pod, snap)
