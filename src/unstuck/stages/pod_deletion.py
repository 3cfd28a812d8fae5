"""The deletion of a Pod: each stage from its own evidence.

Source of the order: pkg/kubelet/pod_workers.go and kubelet.go (SyncTerminatingPod, SyncTerminatedPod) of
Kubernetes 1.27–1.34; before 1.27 a terminal phase is not reported first.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from unstuck.diagnosis.answer import Stage
from unstuck.diagnosis.sign import Sign, any_of, hearsay, only_yes, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.cni import NetworkPlugins
from unstuck.facts.aspects.host import PodCgroup, PodDirectory, PodProcesses
from unstuck.facts.aspects.kubelet import KubeletPod
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Finalizers, Phase, Presence
from unstuck.facts.aspects.pod import ContainerStatuses, Life, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import TERMINAL, find_node_of_pod, is_terminal, read_kubelet_version
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import Operation
from unstuck.facts.vocabulary.stages import StageId
from unstuck.knowledge.versions import KUBELET_WAITS_FOR_REMOVAL
from unstuck.stages.line import StageStep, order_stages
from unstuck.stages.node import is_silent

say = Messages(__name__)
Signed = Sign[Any]
# pkg/volume/util/nestedpendingoperations: a failed operation is tried again after at most 2 min 2 s.
_BACK_OFF = timedelta(seconds=150)
# The deletion of a static Pod's mirror ends no container; on the node the Pod has another uid, so nothing
# there carries the mirror's uid.
_OF_A_MIRROR: tuple[StageId, ...] = (
    "requested",
    "kubelet-saw-it",
    "final-delete",
    "finalizers-cleared",
    "gone",
)


def trace_pod_deletion(pod: Ref, snap: Facts) -> tuple[Stage, ...]:
    """Return the line of a Pod whose deletion was requested."""
    unbound = some(snap, Placement, pod, lambda f: ["not bound to a Node"] if f.node is None else [])
    never_placed: Signed = only_yes(unbound)
    deleted_last, refused_last = (
        has_final_delete(pod, snap),
        find_failed_writes(pod, snap, lambda f: f.operation == "status-delete"),
    )
    # A refused DELETE was tried: the stages before it are done.
    after = only_yes(any_of([deleted_last, refused_last]))

    def kubelet_step(sign: Signed) -> Signed:
        tried = any_of([never_placed, after])
        return tried if tried.value else sign

    steps = [
        StageStep(
            "requested",
            say("request deletion"),
            some(snap, Deletion, pod, lambda f: [f] if f.requested else []),
        ),
        StageStep(
            "kubelet-saw-it", say("notify kubelet"), kubelet_step(_judge_kubelet_saw_deletion(pod, snap))
        ),
        StageStep("grace-over", say("grace period"), _is_grace_over(pod, snap), certain=True),
        StageStep(
            "containers-stopped",
            say("stop containers"),
            kubelet_step(_judge_containers_stopped(pod, snap)),
            first=True,
        ),
        StageStep("sandbox-stopped", say("stop sandbox"), kubelet_step(_judge_sandbox_stopped(pod, snap))),
        *_make_phase_steps(pod, snap, kubelet_step),
        StageStep(
            "volumes-unmounted",
            say("unmount volumes"),
            kubelet_step(_judge_volumes_unmounted(pod, snap)),
            # A kubelet up to 1.21 never releases a Pod whose container cannot be removed, even if other
            # stages are unknown.
            certain=_removal_gates(pod, snap) is True and bool(_judge_removal_refused(pod, snap).value),
        ),
        StageStep("cgroup-removed", say("remove cgroup"), kubelet_step(_judge_cgroup_removed(pod, snap))),
        StageStep(
            "final-delete",
            say("final delete"),
            _judge_final(never_placed, deleted_last, refused_last),
            certain=bool(refused_last.value),
            first=True,
            implies=True,
        ),
        StageStep("finalizers-cleared", say("clear finalizers"), has_no_finalizers(pod, snap)),
        StageStep(
            "gone", say("removal"), some(snap, Presence, pod, lambda f: [] if f.exists else [f]), implies=True
        ),
    ]
    if any(f.mirror for f in snap.of(Life, pod)):
        steps = [s for s in steps if s.id in _OF_A_MIRROR]
    return order_stages(steps)


def _judge_final(never_placed: Signed, deleted: Signed, refused: Signed) -> Signed:
    if never_placed.value or deleted.value:
        return never_placed if never_placed.value else deleted
    return Sign(False, seen=refused.seen) if refused.value else deleted


def has_no_finalizers(ref: Ref, snap: Facts) -> Signed:
    """Return done when `metadata.finalizers` is empty."""
    left = some(snap, Finalizers, ref, lambda f: f.names)
    return Sign(not left.value, seen=left.seen) if left.value is not None else left


def _judge_terminal_phase(pod: Ref, snap: Facts) -> Signed:
    return some(snap, Phase, pod, lambda f: [f.phase] if f.phase in TERMINAL else [])


def _judge_kubelet_saw_deletion(pod: Ref, snap: Facts) -> Signed:
    """Judge by the kubelet's own list of Pods. A lagging generation proves nothing: a refused status
    update looks the same.
    """
    listed = hearsay(snap, KubeletPod, pod, lambda f: [f] if f.deleting is not None else [])
    observed = hearsay(
        snap,
        Life,
        pod,
        lambda f: (
            [f] if f.observed is not None and f.generation is not None and f.observed >= f.generation else []
        ),
    )
    killing = hearsay(snap, Events, pod, lambda f: [e for e in f.items if e.reason == "Killing"])
    heard_of = any_of(
        [
            s
            for s in (
                _judge_terminal_phase(pod, snap),
                _judge_failing(
                    pod,
                    snap,
                    "container-stop",
                    "sandbox-stop",
                    "network-tear-down",
                    "resources-unprepare",
                    "volume-tear-down",
                ),
                _find_tearing_down(pod, snap),
                observed,
                killing,
                listed,
            )
            if s.value
        ]
    )
    if heard_of.value:
        return heard_of
    own = some(snap, KubeletPod, pod, lambda f: [f] if f.listed and f.deleting is None else [])
    if own.value:
        return Sign(False, seen=own.seen, wants=_judge_terminal_phase(pod, snap).wants)
    return Sign(None, seen=heard_of.seen, wants=(Want(Life, pod), Want(Events, pod)))


def _judge_failing(pod: Ref, snap: Facts, *operations: Operation) -> Signed:
    return hearsay(snap, Failure, pod, lambda f: [f] if f.operation in operations else [])


def _is_grace_over(pod: Ref, snap: Facts) -> Signed:
    facts = [f for f in snap.of(Deletion, pod) if f.due is not None]
    over = some(snap, Deletion, pod, lambda f: [f] if f.due is not None and snap.now >= f.due else [])
    return over if facts or over.value else Sign(None, seen=over.seen, wants=over.wants)


def _judge_containers_stopped(pod: Ref, snap: Facts) -> Signed:
    """Decide by the kubelet's report that none runs; a report that one runs may be old, so the node's own
    view of it counts more.

    Processes alone do not open it: leftovers in the Pod's cgroup after the kubelet's report belong to the
    cgroup's stage.
    """
    running = some(snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.state == "running"])
    unreported = [
        f for f in snap.of(ContainerStatuses, pod) if not f.items or any(s.state == "none" for s in f.items)
    ]
    if running.value is False and not (unreported and not is_terminal(pod, snap)):
        return Sign(True, seen=running.seen)
    if running.value is None:
        return running
    alive = some(
        snap, PodProcesses, pod, lambda f: [p for p in f.items if p.comm != "pause" and p.state != "Z"]
    )
    if alive.value is not None:
        return Sign(not alive.value, seen=alive.seen)
    node = find_node_of_pod(pod, snap)
    quiet: Signed = is_silent(node, snap) if node else Sign(None)
    if running.value and quiet.value is False:
        return Sign(False, seen=running.seen)
    return Sign(None, seen=unique((*running.seen, *quiet.seen)), wants=unique((*quiet.wants, *alive.wants)))


def _judge_sandbox_stopped(pod: Ref, snap: Facts) -> Signed:
    by_condition = some(
        snap,
        Conditions,
        pod,
        lambda f: [c for c in f.items if c.type == "PodReadyToStartContainers" and c.status == "False"],
    )
    # The kubelet gives claimed devices back only after it has stopped the sandbox.
    reported = _judge_terminal_phase(pod, snap)
    for after in (reported, _judge_failing(pod, snap, "resources-unprepare")):
        if after.value:
            return after
    # The condition turns False even where the network could not be taken down.
    not_done = any_of(
        [_judge_failing(pod, snap, "sandbox-stop", "network-tear-down"), _find_tearing_down(pod, snap)]
    )
    if not_done.value:
        return Sign(False, seen=not_done.seen, wants=reported.wants)
    return (
        by_condition if by_condition.value else Sign(None, seen=by_condition.seen, wants=by_condition.wants)
    )


def _find_tearing_down(pod: Ref, snap: Facts) -> Signed:
    """Find a network plugin that was called with DEL for this Pod and has not returned: the runtime is
    stopping its sandbox.
    """
    node, uid = find_node_of_pod(pod, snap), snap.canon(pod).uid
    return (
        hearsay(
            snap,
            NetworkPlugins,
            node,
            lambda f: [c for c in f.running if c.command == "DEL" and c.pod == uid],
        )
        if node and uid
        else Sign(None)
    )


def _make_phase_steps(pod: Ref, snap: Facts, placed: Any) -> list[StageStep]:
    node = find_node_of_pod(pod, snap)
    version = read_kubelet_version(node, snap) if node else None
    if version is not None and version < (1, 27):
        return []
    reported = _judge_terminal_phase(pod, snap)
    if version is None and reported.value is False:
        # Only from 1.27 on does the phase come before the volumes.
        reported = Sign(None, seen=reported.seen, wants=(Want(NodeInfo, node),) if node else ())
    refused = find_failed_writes(
        pod, snap, lambda f: f.operation == "status-update" and _is_since_due(f, pod, snap)
    )
    if refused.value and not reported.value:
        reported = Sign(False, seen=refused.seen, wants=reported.wants)
    return [
        StageStep(
            "phase-reported", say("report status"), placed(reported), certain=bool(refused.value), first=True
        )
    ]


def find_failed_writes(pod: Ref, snap: Facts, wanted: Callable[[Failure], bool]) -> Sign[Failure]:
    """Find the kubelet's lines that such a write about this Pod was refused.

    The lines hold no uid: lines from before the deletion request may belong to an earlier Pod of that name
    (StatefulSets reuse names), and are left out.
    """
    since = [at for f in snap.of(Deletion, pod) if f.requested and (at := request_time(f))]

    def is_of_this_one(failure: Failure) -> bool:
        return not since or failure.src.at is None or failure.src.at >= min(since)

    return hearsay(snap, Failure, pod, lambda f: [f] if wanted(f) and is_of_this_one(f) else [])


def _is_since_due(failure: Failure, pod: Ref, snap: Facts) -> bool:
    """Tell whether the message is from after the Pod's due end, so that it is no earlier, temporary
    refusal.
    """
    return any(
        f.due is not None and failure.src.at is not None and failure.src.at >= f.due
        for f in snap.of(Deletion, pod)
    )


def _removal_gates(pod: Ref, snap: Facts) -> bool | None:
    """Tell whether the kubelet waits for the removal of containers, as it does up to 1.21
    (PodResourcesAreReclaimed in pkg/kubelet/kubelet_pods.go).
    """
    node = find_node_of_pod(pod, snap)
    info = snap.one(NodeInfo, node) if node else None
    return KUBELET_WAITS_FOR_REMOVAL.has(info.kubelet) if info else None


def _judge_removal_refused(pod: Ref, snap: Facts) -> Signed:
    return _judge_failing(pod, snap, "rootfs-remove", "container-remove")


def _judge_volumes_unmounted(pod: Ref, snap: Facts) -> Signed:
    """Tell whether the Pod's volumes are unmounted. An old kubelet keeps a Pod here while its root filesystem
    cannot be removed, even if they are.
    """
    left = some(snap, PodDirectory, pod, lambda f: f.volumes if f.exists else [])
    refused, kept, gates = (
        _judge_failing(pod, snap, "volume-tear-down"),
        _judge_removal_refused(pod, snap),
        _removal_gates(pod, snap),
    )
    if kept.value and gates:
        return Sign(False, seen=any_of([left, refused, kept]).seen)
    if left.value is False and kept.value and gates is None:
        node = find_node_of_pod(pod, snap)
        return Sign(None, seen=kept.seen, wants=(Want(NodeInfo, node),) if node else (Want(Placement, pod),))
    if left.value is False and (trying := find_unmount_retries(pod, snap)).value:
        return Sign(False, seen=trying.seen)
    if left.value is False:
        return Sign(True, seen=left.seen)
    if left.value or refused.value:
        return Sign(False, seen=any_of([left, refused]).seen, wants=left.wants)
    return left


def find_unmount_retries(pod: Ref, snap: Facts) -> Signed:
    """Find failures within the kubelet's longest back-off to unmount a CSI volume whose directory no
    longer exists.
    """

    def is_recent(f: Failure) -> bool:
        return f.src.at is not None and snap.now - f.src.at < _BACK_OFF

    def is_own(f: Failure) -> bool:
        return f.operation == "volume-tear-down" and f.error == "data-file-missing" and is_recent(f)

    return hearsay(snap, Failure, pod, lambda f: [f] if is_own(f) else [])


def _judge_cgroup_removed(pod: Ref, snap: Facts) -> Signed:
    left = some(snap, PodCgroup, pod, lambda f: f.paths)
    return Sign(not left.value, seen=left.seen) if left.value is not None else left


def has_final_delete(pod: Ref, snap: Facts) -> Signed:
    """Look for the kubelet's last DELETE, which sets the grace to 0 and moves the time back; only an object
    with finalizers outlives it.

    A user's force delete looks the same, except that containers may still be reported running.
    """
    zero = some(snap, Deletion, pod, lambda f: [f] if f.requested and f.grace == 0 else [])
    if not zero.value:
        return zero
    running = some(snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.state == "running"])
    if running.value:
        return Sign(None, seen=zero.seen)
    return zero


def request_time(deletion: Deletion) -> datetime | None:
    """Return when the deletion was requested: the timestamp already includes the grace period."""
    if deletion.due is None:
        return None
    try:
        return deletion.due - timedelta(seconds=deletion.grace or 0)
    except OverflowError:
        return None
