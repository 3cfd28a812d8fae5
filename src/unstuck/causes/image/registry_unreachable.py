"""The registry of the image cannot be reached from the Node

## How it happens

The kubelet has the runtime pull an image, and the registry's address refuses the connection, does not answer, or has no route to it: the
registry is down, a firewall or a missing proxy lies between, the name points to an old address, or `localhost` was meant for another
machine than the Node.

## How to tell

The kubelet's own words about its own attempt: `dial tcp …: connect: connection refused`, `i/o timeout`, `no route to host`, repeated, with
the container still waiting for the image. No other Node's success speaks against it: each Node has its own way to the registry.

## Known limits

The name cannot be resolved, a certificate is not trusted, credentials are refused, the image is not found: these are other causes, the
registry or its name service answered. Where one attempt failed so and the last one otherwise, the last one counts. Whether the registry
or the way to it is at fault cannot be seen from here.

## References

- Go net and net/http errors as containerd, docker and CRI-O wrap them; Kubernetes pkg/kubelet/images/image_manager.go
"""

from __future__ import annotations

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, heard, some, unique
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import node_of
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.pod_start import PULL_REASONS

_UNREACHABLE = ("connection-refused", "timeout", "EHOSTUNREACH", "ENETUNREACH", "ECONNREFUSED")
_TWICE = 2


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    waiting = some(snap, ContainerStatuses, pod, lambda f: [s.name for s in f.items if s.reason in PULL_REASONS])
    pulls = tuple(f for f in snap.of(Failure, pod) if f.operation == "image-pull")
    last = tuple(f for f in pulls if not _outdated(f, pulls))
    mine = heard(snap, Failure, pod, lambda f: [f] if f in last and f.error in _UNREACHABLE else [])

    def finding() -> Finding:
        return _finding(pod, mine.hits[0], snap)

    return Signs(
        necessary={"the last attempt to pull found no way to the registry": _or_other(mine, last, waiting)},
        decisive={"a container still waits for an image whose pull failed so again and again": _repeated(mine, waiting)},
        supporting={"a message says that the registry cannot be reached": mine},
        finding=finding,
    )


def _outdated(failure: Failure, pulls: tuple[Failure, ...]) -> bool:
    """Whether a later attempt for the same container ended otherwise. A message without a time is taken for the latest."""
    at = failure.src.at
    others = (f.src.at for f in pulls if f.container == failure.container and f.error != failure.error)
    return at is not None and any(later is None or later > at for later in others)


def _or_other(mine: Sign[Failure], last: tuple[Failure, ...], waiting: Sign[str]) -> Sign[Failure]:
    """No where the status itself gives another reason for each container that waits for its image."""
    if mine.value:
        return mine
    status = {f.src.where for f in waiting.seen if f.whole}
    told = {f.container for f in last if f.src.where in status}
    if waiting.value is False or (waiting.value and status and set(waiting.hits) <= told):
        return Sign(False, seen=unique((*waiting.seen, *last)))
    return Sign(None, seen=last, wants=waiting.wants)


def _repeated(mine: Sign[Failure], waiting: Sign[str]) -> Sign[Failure]:
    """Repeated: an event counted twice or more, or beside it the status, whose back-off comes after a failed attempt."""
    if not mine.value or not waiting.value:
        return Sign(None, mine.hits, mine.seen, waiting.wants)
    found = tuple(f for f in mine.hits if f.container in (*waiting.hits, None) and _kubelets(f))
    if sum(f.count for f in found) < _TWICE:
        return Sign(None, found, found)
    return Sign(True, found, unique((*found, *waiting.seen)), sure=mine.sure)


def _kubelets(failure: Failure) -> bool:
    return failure.reporter.startswith("kubelet")


def _finding(pod: Ref, failure: Failure, snap: Snapshot) -> Finding:
    host = failure.host or "?"
    node = node_of(pod, snap)
    at = f" from Node {node.name}" if node else ""
    at_zh = f"（从节点 {node.name} 访问）" if node else ""
    how, how_zh = {
        "connection-refused": ("refuses the connection", "拒绝连接"),
        "timeout": ("does not answer", "无应答"),
    }.get(failure.error, ("cannot be reached", "无法到达"))
    image = f" ({failure.object.name})" if failure.object and failure.object.name else ""
    port = "" if ":" in host else ":443"
    return Finding(
        Text(f"registry {host} {how}{at}", f"镜像仓库 {host} {how_zh}{at_zh}"),
        culprit=Ref("Registry", None, host),
        blocks=(pod,),
        notes=(Text(f"the pull failed{image}: {failure.message}", f"拉取失败{image}：{failure.message}"),),
        help=(
            Step(
                Text("on that Node, see whether the registry answers", "在该节点上检查镜像仓库是否应答"),
                where=f"node:{node.name}" if node else "node",
                command=("curl", "-sv", "-o", "/dev/null", "--max-time", "10", f"https://{host}{port}/v2/"),
            ),
            Step(
                Text(
                    "start the registry, or open the way to it (firewall, proxy of the runtime, the name's address)",
                    "启动镜像仓库，或打通到它的路径（防火墙、运行时的代理、域名所指地址）",
                ),
                verify=Text("the kubelet pulls again by itself within 5 min", "kubelet 会在 5 分钟内自动重新拉取"),
            ),
        ),
        do_not=(
            DoNot(
                Text(
                    "drain or reboot Nodes, or delete running Pods that use this registry", "排空或重启节点，或删除使用该仓库的运行中 Pod"
                ),
                Text(
                    "what runs still has its image; once it moves it needs the registry too",
                    "正在运行的 Pod 仍有镜像；一旦迁移也需要该仓库",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="image.registry-unreachable",
    title=Text("the registry of the image cannot be reached from the Node", "从节点无法到达镜像仓库"),
    subjects=("Pod",),
    stages=("images-pulled", "init-done"),
    reads=frozenset({Failure, ContainerStatuses}),
    rule=_rule,
)
