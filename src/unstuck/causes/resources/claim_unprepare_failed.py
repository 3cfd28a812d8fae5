"""The driver of a Pod's claimed devices does not give them back

## How it happens

A Pod that uses a ResourceClaim (dynamic resource allocation) ends. Before it reports the Pod's end the kubelet asks the driver's plugin on
the Node to unprepare the devices. The driver was uninstalled or crashed, or its call fails. The kubelet retries for ever; the Pod is still
shown as Running, with all of its containers ended, and no event is written.

## How to tell

The kubelet's log repeats `unprepare dynamic resources`, with `DRA driver NAME is not registered`, with `connection refused` or `no such
file` of its socket, after 45 s with `context deadline exceeded`, or with the driver's own error for the claim. No plugin of that name has a
socket in the kubelet's `plugins_registry`, or below its `plugins`. The API shows a Pod that is Running, all its containers ended.

## Known limits

Where the driver's socket is there and it fails by itself, the kubelet's words are all that is known, and that is likely only. Those of a
claim name the claim and not the driver.

## References

- KEP-4381; pkg/kubelet/cm/dra/manager.go (UnprepareResources); pkg/kubelet/kubelet.go (SyncTerminatingPod)
"""

from __future__ import annotations

from unstuck.causes.resources._claims import driver_of, which_driver
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, heard, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Demands, Placement
from unstuck.facts.aspects.storage import PluginSockets
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.overdue import overdue

_HOW: dict[ErrorWord, tuple[str, str]] = {
    "driver-not-registered": ("is not registered", "未注册"),
    "driver-not-answering": ("does not answer", "无响应"),
    "deadline-exceeded": ("does not return from unpreparing", "在撤销准备时未返回"),
}


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = node_of(pod, snap)
    said = heard(snap, Failure, pod, lambda f: [f] if f.operation == "resources-unprepare" else [])
    gone = _gone(pod, node, said.hits, snap)
    return Signs(
        applies=overdue(pod, snap),
        necessary={"it claims devices": said if said.value else _claims(pod, node, snap)},
        decisive={"the driver has no socket with the kubelet": gone if gone.value else Sign(None, wants=gone.wants)},
        supporting={"the kubelet says that unpreparing failed": said},
        finding=lambda: _finding(pod, node, _first(said.hits, gone.hits)),
    )


def _gone(pod: Ref, node: Ref | None, said: tuple[Failure, ...], snap: Facts) -> Sign[str]:
    """Find drivers that the kubelet misses and that left no socket: neither to register with, nor, where it calls one, to be called at."""
    unregistered = sorted({d for f in said if f.error == "driver-not-registered" and (d := driver_of(f))})
    silent = sorted({d for f in said if f.error == "driver-not-answering" and (d := driver_of(f))})
    if node is None:
        return Sign(None, wants=(Want(Placement, pod),))
    if not (unregistered or silent):
        return Sign(None)
    return some(
        snap,
        PluginSockets,
        node,
        lambda f: (
            [d for d in unregistered if f.whole and not any(d in s for s in f.registered)]
            + [d for d in silent if f.whole and d not in f.drivers]
        ),
    )


def _first(said: tuple[Failure, ...], gone: tuple[str, ...]) -> Failure:
    """Return what to tell: of a driver that is gone, else of one that is named."""
    return next((f for f in said if driver_of(f) in gone), next((f for f in said if driver_of(f)), said[0]))


def _claims(pod: Ref, node: Ref | None, snap: Facts) -> Sign[Demands]:
    """Return no for a Pod without claims; else the kubelet's log would tell whether it fails."""
    listed = tuple(f for f in snap.of(Demands, pod) if f.claims is not None)
    if any(f.claims for f in listed):
        return Sign(None, seen=listed, wants=(Want(LogSeen, node),) if node else ())
    return Sign(False, seen=listed) if any(f.whole for f in listed) else Sign(None, wants=(Want(Demands, pod),))


def _finding(pod: Ref, node: Ref | None, said: Failure) -> Finding:
    on = node.name if node and node.name else "its Node"
    driver = driver_of(said)
    who, who_zh = (f"DRA driver {driver}", f"DRA 驱动 {driver}") if driver else ("The DRA driver", "DRA 驱动")
    how, how_zh = _HOW.get(said.error, ("fails", "调用失败"))
    quoted = (Text(f"driver: {said.message}", f"驱动：{said.message}"),) if said.error in ("call-failed", "other") else ()
    return Finding(
        Text(
            f"{who} {how} on {on}, so the Pod's devices cannot be released",
            f"{on} 上的 {who_zh} {how_zh}，该 Pod 占用的设备无法释放",
        ),
        culprit=Ref("DRADriver", node.name if node else None, driver or None),
        notes=quoted,
        blocks=(pod,),
        help=(
            *(() if driver else which_driver(pod, said)),
            Step(
                Text(
                    "restore the driver's DaemonSet on that node, or fix the problem in its log; the kubelet retries automatically",
                    "让该驱动的 DaemonSet 重新在该节点上运行，或修复其日志所述问题；kubelet 会自动重试",
                ),
                where="source",
                verify=Text("the Pod reaches a terminal phase and is deleted", "Pod 进入终止阶段并随之删除"),
            ),
        ),
        do_not=(
            DoNot(
                Text("force delete the Pod", "强制删除该 Pod"),
                Text(
                    "the ResourceClaim is allocated again while the device is still set up for the old Pod: two Pods may "
                    "use one device, and a recreated ResourceClaim of that name is rejected on that node",
                    "设备仍为旧 Pod 配置时，ResourceClaim 会被重新分配：两个 Pod 可能使用同一设备；"
                    "以同名重建的 ResourceClaim 在该节点上会被拒绝",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="resources.claim-unprepare-failed",
    title=Text("a driver does not release the Pod's devices", "驱动未能释放 Pod 的设备"),
    subjects=("Pod",),
    stages=("phase-reported",),
    reads=frozenset({Deletion, Placement, Demands, Failure, LogSeen, PluginSockets}),
    rule=_rule,
)
