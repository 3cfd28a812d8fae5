"""The kubelet evicted the Pod

## How it happens

A container, an emptyDir volume or the Pod as a whole has written more than its limit of ephemeral storage; or the Node ran short of memory,
disk space, inodes or process numbers, and this Pod used more than it had requested. The kubelet then ends the Pod for good: its phase is
Failed, its reason Evicted, and only its owner makes another one.

## How to tell

The kubelet's own word is in the Pod's status: reason `Evicted`, with which limit or which resource it was for.

## Known limits

A Pod that `kubectl drain` evicts through the API is deleted instead, and has no such status. The evicted Pod keeps neither its containers
nor its emptyDir volumes: what had been written can only be seen in its successor.

## References

- Kubernetes pkg/kubelet/eviction/helpers.go, eviction_manager.go (1.34); documentation "Node-pressure Eviction"
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import heard, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Event, Events, Phase
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import container_ref, node_of
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

_NODE = regex(r"The node (?:was low on resource: (?P<what>[\w\[\], -]{1,80}?)|had condition: (?P<condition>\[?[\w ]{1,100}\]?))\.(?:\s|$)")
# Older kubelets name the Node's condition where later ones name what it was low on.
_CONDITIONS = {"MemoryPressure": "memory", "DiskPressure": "disk", "PIDPressure": "pids"}
_CONTAINER = regex(r"Container (?P<name>[a-z0-9-]{1,63}) exceeded its local ephemeral storage limit \"(?P<limit>[^\"]{1,40})\"")
_POD = regex(r"Pod ephemeral local storage usage exceeds the total limit of containers (?P<limit>[^\s.]{1,40})")
_VOLUME = regex(r"Usage of EmptyDir volume \"(?P<name>[^\"]{1,63})\" exceeds the limit \"(?P<limit>[^\"]{1,40})\"")


def _rule(pod: Ref, snap: Facts) -> Signs:
    status = some(snap, Phase, pod, lambda f: [f.message] if f.reason == "Evicted" else [])
    told = heard(snap, Events, pod, lambda f: [e.message for e in f.items if e.reason == "Evicted" and _of_kubelet(e)])
    return Signs(
        decisive={"the Pod's own status says Evicted": status},
        supporting={"the kubelet's event says Evicted": told},
        finding=lambda: _finding(pod, max((*status.hits, *told.hits), key=len), snap),
    )


def _of_kubelet(event: Event) -> bool:
    """Tell whether the kubelet wrote the event: others use this reason too, such as Karpenter for a Pod that it evicts through the API."""
    return not event.reporter or event.reporter.startswith("kubelet")


def _finding(pod: Ref, message: str, snap: Facts) -> Finding:
    node = node_of(pod, snap)
    says, culprit, mend, own = _why(pod, message, node)
    notes = (Text(f"kubelet: {message.strip()[:200]}", f"kubelet：{message.strip()[:200]}"),) if message.strip() else ()
    return Finding(
        says,
        culprit=culprit,
        blocks=(pod,),
        notes=notes,
        help=(
            *(
                ()
                if own
                else (
                    Step(
                        Text("see which resource the node is short of now", "查看该节点现在缺什么"),
                        command=command("unstuck why {node}", node=given.obj("node", node.name if node else None)),
                    ),
                )
            ),
            Step(mend, where="source", verify=Text("no more Pods of this owner are evicted", "该工作负载不再有 Pod 被驱逐")),
            Step(
                Text(
                    "delete the Failed Pod once you have looked at it: it uses no resources, and its record is deleted with it",
                    "该 Failed Pod 已不占用任何资源：查看完即可删除；其记录会随之删除",
                ),
                command=command("kubectl delete {pod} {space}", pod=given.of(pod), space=given.space(pod)),
                risk="disrupts",
            ),
        ),
        do_not=(_UNLIMITED if own else _UNGUARDED,),
    )


_UNLIMITED = DoNot(
    Text("remove the limit", "去掉限制"),
    Text("next time the node's disk fills up, for all of its Pods", "下一次会写满节点磁盘，影响其上的所有 Pod"),
)
_UNGUARDED = DoNot(
    Text("lower the kubelet's eviction thresholds", "调低 kubelet 的驱逐阈值"),
    Text(
        "eviction keeps the node itself from running out, which would hit every Pod, the runtime and the kubelet",
        "驱逐是为了避免节点资源真正耗尽，那会波及所有 Pod、运行时和 kubelet",
    ),
)


def _why(pod: Ref, message: str, node: Ref | None) -> tuple[Text, Ref, Text, bool]:
    """Return the reason, the culprit, the fix, and whether it is the Pod's own limit."""
    name = pod.name or "?"
    who = Text(f"Pod {pod.name}", f"Pod {pod.name} ") if pod.name else Text("the Pod", "该 Pod ")
    if m := _CONTAINER.search(message):
        says = Text(
            f"container {m['name']} wrote more than its limit of {m['limit']} of ephemeral storage, and the Pod was evicted",
            f"容器 {m['name']} 的写入量超过其临时存储限制 {m['limit']}，Pod 被驱逐",
        )
        return says, container_ref(pod, m["name"]), _less(), True
    if m := _VOLUME.search(message):
        says = Text(
            f"emptyDir volume {m['name']} grew beyond its sizeLimit of {m['limit']}, and the Pod was evicted",
            f"emptyDir 卷 {m['name']} 超过其 sizeLimit {m['limit']}，Pod 被驱逐",
        )
        return says, Ref("Volume", f"{pod.within}/{name}", m["name"]), _less(), True
    if m := _POD.search(message):
        says = Text(
            f"{who.en} wrote more than the {m['limit']} of ephemeral storage of its containers' limits, and was evicted",
            f"{who.zh}的写入量超过其容器临时存储限制之和 {m['limit']}，被驱逐",
        )
        return says, Ref("EphemeralStorage", f"{pod.within}/{name}", "limits"), _less(), True
    m = _NODE.search(message)
    if m and m["condition"]:
        return _not_let_in(who, m["condition"].strip("[]"), node)
    what = m["what"].strip("[]") if m else ""
    what = _CONDITIONS.get(what, what)
    of = Text(f"was short of {what}", f"缺少 {what}") if what else Text("was short of resources", "资源不足")
    where = f" {node.name} " if node and node.name else ""
    says = Text(f"{who.en} was evicted because its Node{where or ' '}", f"{who.zh}被驱逐，因为其节点{where}") + of
    mend = Text(
        "set this Pod's requests to its actual usage: a Pod within its requests is evicted last",
        "把该 Pod 的请求设为其实际用量：用量不超过请求的 Pod 最后被驱逐",
    )
    return says, node or Ref("Node"), mend, False


def _not_let_in(who: Text, condition: str, node: Ref | None) -> tuple[Text, Ref, Text, bool]:
    """Return the words for a Pod that never ran: under pressure a kubelet admits none (pkg/kubelet/eviction/eviction_manager.go, Admit)."""
    where = f" {node.name} " if node and node.name else ""
    says = Text(
        f"{who.en} was not admitted, because its Node{where or ' '}reports {condition}",
        f"{who.zh}未被接纳，因为其节点{where}报告 {condition}",
    )
    mend = Text(
        "wait for the pressure to end: meanwhile the owner's next Pod is scheduled to another node",
        "等待压力解除：期间所属工作负载的下一个 Pod 会被放到其他节点",
    )
    return says, node or Ref("Node"), mend, False


def _less() -> Text:
    return Text(
        "make it write less (rotate logs, delete scratch files), or put the data on a volume, or raise the limit to what it needs",
        "减少其写入（轮转日志、清理临时文件）、为数据使用卷，或把限制提高到所需值",
    )


CAUSE = Cause(
    id="container.evicted",
    title=Text("the kubelet evicted the Pod", "kubelet 驱逐了该 Pod"),
    subjects=("Pod",),
    reads=frozenset({Phase, Events, Placement}),
    rule=_rule,
)
