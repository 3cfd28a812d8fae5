"""What refuses a Pod, in a person's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from unstuck.diagnosis.text import Text
from unstuck.facts.quantity import shown
from unstuck.scheduling.analysis import PlacementAnalysis
from unstuck.scheduling.preemption import NEVER, NO_VICTIMS, WAITING, Preemption
from unstuck.scheduling.queue import free, kept_for
from unstuck.scheduling.refused import NO_STATUS, NodeRejection

_SAYS: Mapping[str, Callable[[str], Text]] = MappingProxyType(
    {
        "node-cordoned": lambda _: Text("cordoned", "已停止调度（cordon）"),
        "taint-not-tolerated": lambda t: Text(f"taint {t} is not tolerated", f"污点 {t} 未被容忍"),
        "node-not-ready-taint": lambda t: (
            Text("has no status yet, so offers nothing", "尚无状态，因此不提供任何资源")
            if t == NO_STATUS
            else Text(f"not ready ({t})", f"未就绪（{t}）")
        ),
        "node-pressure-taint": lambda t: Text(f"short of something itself ({t})", f"自身资源紧张（{t}）"),
        "node-selector-mismatch": lambda t: Text(f"lacks label {t} of the nodeSelector", f"不带 nodeSelector 要求的 {t}"),
        "node-affinity-mismatch": lambda _: Text("does not meet the required node affinity", "不满足必需的节点亲和性"),
        "host-port-taken": lambda _: Text("a host port that the Pod wants is taken", "Pod 需要的主机端口已被占用"),
        "volume-in-use": lambda _: Text("a volume is in use by another Pod", "卷正被另一个 Pod 使用"),
        "volume-attach-limit": lambda _: Text("has reached its volume attach limit", "挂接的卷数已达上限"),
        "volume-node-conflict": lambda _: Text("a volume of the Pod cannot be reached from there", "Pod 的卷无法从该节点访问"),
        "storage.claim-unbound": lambda _: Text("no volume for a PVC of the Pod is available there", "Pod 的某个 PVC 在该处得不到卷"),
        "storage.claim-missing": lambda t: Text(f"PVC {t} does not exist", f"PVC {t} 不存在"),
        "storage.volume-missing": lambda _: Text("the volume bound to a PVC of the Pod does not exist", "Pod 的 PVC 所绑定的卷不存在"),
        "topology-spread-unsatisfiable": lambda _: Text("would break a topology spread constraint", "会违反拓扑分布约束"),
        "pod-affinity-unsatisfied": lambda _: Text("does not meet the required Pod affinity", "不满足必需的 Pod 亲和性"),
        "pod-anti-affinity-conflict": lambda _: Text("is excluded by Pod anti-affinity", "因 Pod 反亲和性被排除"),
        "dynamic-resource-unavailable": lambda _: Text("devices that the Pod claims are not there", "Pod 声明的设备在该处无法取得"),
        "insufficient-pods": lambda _: Text("has reached its Pod limit", "Pod 数已达上限"),
    }
)


_BARRED: Mapping[str, Text] = MappingProxyType(
    {
        NEVER: Text("is ruled out by preemptionPolicy: Never", "被 preemptionPolicy: Never 排除"),
        WAITING: Text("is under way", "正在进行"),
    }
)


def says(refusal: NodeRejection, found: PlacementAnalysis, nodes: Sequence[str]) -> Text:
    """Say what refuses the Pod. nodes: the Nodes that this is said of, for how near they come."""
    if refusal.kind.startswith("insufficient-") and refusal.what != "pods":
        return _short(refusal.what, found, nodes)
    if refusal.kind == "storage.claim-unbound" and (missing := _classless(found)):
        claim, class_ = missing
        return Text(f"PVC {claim} names StorageClass {class_}, which does not exist", f"PVC {claim} 指定的 StorageClass {class_} 不存在")
    if worded := _SAYS.get(refusal.kind):
        return worded(refusal.what)
    return Text(refusal.reason.message, refusal.reason.message)


def _classless(found: PlacementAnalysis) -> tuple[str, str] | None:
    """Return a claim of the Pod that waits for a class which is not there, and the class."""
    if "StorageClass" in found.cluster.unlisted:
        return None
    claims = (found.cluster.claims.get((found.pod.namespace, v.claim)) for v in found.pod.shape.spec.volumes if v.claim)
    waiting = ((c.name, c.storage_class) for c in claims if c and not c.volume and c.storage_class)
    return next(((name, class_) for name, class_ in waiting if class_ not in found.cluster.classes), None)


def _short(resource: str, found: PlacementAnalysis, nodes: Sequence[str]) -> Text:
    asked = found.pod.shape.requests.get(resource, 0)
    left, host = max((free(found.pod, found.cluster, found.cluster.nodes[n], resource), n) for n in nodes)
    offered = max(found.cluster.nodes[n].allocatable.get(resource, 0) for n in nodes)
    if offered == 0:
        return Text(f"offers no {resource}", f"不提供 {resource}")
    want, have = shown(resource, asked), shown(resource, max(left, 0))
    if offered < asked:
        most = shown(resource, offered)
        return Text(f"offers {most} in all, the Pod asks for {want}", f"总共提供 {most}，而 Pod 请求 {want}")
    on = Text(f" (at most, on {host})", f"（最多，在 {host} 上）") if len(nodes) > 1 else Text("", "")
    kept = [n for n in kept_for(host, found.pod, found.cluster) if n.shape.requests.get(resource, 0)]
    names = ", ".join(f"{n.namespace}/{n.name}" for n in kept[:3])
    held = Text(f", without what is kept for {names}, nominated there", f"（已扣除为提名到该节点的 {names} 预留的部分）")
    asks = Text(f", the Pod asks for {want}", f"，而 Pod 请求 {want}")
    return Text(f"{have} free", f"空闲 {have}") + on + (held if kept else Text("", "")) + asks


def preempts(p: Preemption, found: PlacementAnalysis) -> Text:
    """Return whether removing Pods of lower priority would make room, and why not; and for which Node the Pod is nominated."""
    return _preempts(p) + _nominated(found)


def _nominated(found: PlacementAnalysis) -> Text:
    name = found.pod.nominated
    if not name:
        return Text("", "")
    node = found.cluster.nodes.get(name)
    if node is None:
        return Text(f"; it is nominated for {name}, which does not exist", f"；它被提名到 {name}，而该节点不存在")
    leaving = sum(p.count for p in node.placed if p.shape.spec.terminating)
    more, more_zh = (f", where {leaving} Pods are being deleted", f"，该处有 {leaving} 个 Pod 正在删除") if leaving else ("", "")
    return Text(f"; it is nominated for {name}{more}", f"；它被提名到 {name}{more_zh}")


def _preempts(p: Preemption) -> Text:
    if p.barred:
        return _BARRED[p.barred]
    if p.opens:
        named = ", ".join(p.opens[:3])
        return Text(
            f"helps on {len(p.opens)} of {p.nodes} Nodes ({named}): the scheduler removes Pods of lower priority there",
            f"在 {p.nodes} 个节点中的 {len(p.opens)} 个（{named}）上有用：调度器会移除那里优先级更低的 Pod",
        )
    refused = (p.refused or {}).values()
    alone = sum(NO_VICTIMS in reasons for reasons in refused)
    parts = [
        (p.unhelpful, Text("other Pods are not the reason", "原因与其他 Pod 无关")),
        (alone, Text("no Pod has a lower priority", "没有优先级更低的 Pod")),
        (len(refused) - alone, Text("it would not make enough room", "移除后余量仍不足")),
        (p.untried, Text("it was not tried here", "此处未作尝试")),
    ]
    told = [Text(f"on {n} of {p.nodes} nodes ", f"{p.nodes} 个节点中的 {n} 个：") + why for n, why in parts if n]
    out = Text("does not help", "无用")
    for i, one in enumerate(told):
        out += Text("; ", "；") + one if i else Text(": ", "：") + one
    return out
