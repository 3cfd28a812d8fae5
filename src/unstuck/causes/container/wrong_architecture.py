"""The container's program is made for another processor than its Node has

## How it happens

The image was built for one architecture and runs on another: an image built on an arm64 laptop for amd64 Nodes, a manifest that names an
`-amd64` image on a cluster with arm64 Nodes, a single-architecture base in a multi-architecture tag, a binary copied into the wrong stage.

## How to tell

The kernel refuses the program with ENOEXEC: `exec format error`, as the runtime's word in the container's status, or as the only thing that
its log holds, written by the runtime before the program came to run. The Node's architecture is in its label `kubernetes.io/arch`.

## Known limits

The kernel gives the same answer for a text file without a `#!` line and for an empty file: where the file has a script's name that is
container.not-executable. Only the program's own header settles it, so that this is likely at most.

## References

- execve(2) ENOEXEC; runc libcontainer/standard_init_linux.go
- opencontainers/image-spec config.md (architecture), image-index.md (platform)
"""

from __future__ import annotations

from unstuck.causes.container._ends import STAGES, called
from unstuck.causes.container._refused import Refusal, first, is_script, refused, wrote
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, only_yes
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import container_ref, container_spec, node_of
from unstuck.facts.lookup import Facts


def _rule(pod: Ref, snap: Facts) -> Signs:
    said, mine = refused(pod, snap, _fits)
    logged = wrote(pod, snap, _fits)
    # What the header of the file says nobody here can read: a refusal makes it likely, and no refusal at all is a no.
    settled: Sign[Refusal] = Sign(False, seen=mine.seen) if mine.value is False and not logged.wants else Sign(None, wants=logged.wants)

    return Signs(
        decisive={"the program's header names another processor": settled if not logged.value else Sign(None)},
        supporting={"the runtime could not execute it": only_yes(said), "its log holds the runtime's refusal alone": only_yes(logged)},
        finding=lambda: _finding(pod, first(mine, said, logged), snap),
    )


def _fits(refusal: Refusal) -> bool:
    return refusal.error == "exec-format" and not is_script(refusal)


def _finding(pod: Ref, refusal: Refusal, snap: Facts) -> Finding:
    name = refusal.container
    who, what = called(name), refusal.path or ""
    spec = container_spec(pod, name, snap)
    node = node_of(pod, snap)
    labels = dict(next((f.labels for f in snap.of(NodeShape, node)), ())) if node else {}
    arch = labels.get("kubernetes.io/arch", "")
    of = Text(f" {what}", f" {what}") if what else Text("", "")
    notes = [Text(f"the Node's architecture is {arch}", f"该节点的架构为 {arch}")] if arch else []
    if spec:
        notes.append(Text(f"the image is {spec.image}", f"镜像为 {spec.image}"))
    notes.append(Text("a text file without a #! line gives the same error", "没有 #! 首行的文本文件也会得到同样的结果"))
    return Finding(
        Text(f"{who.en} cannot run its program", f"{who.zh} 无法运行其程序")
        + of
        + Text(": it is not built for its node's CPU architecture", "：它不是为该节点的处理器构建的"),
        culprit=Ref("Image", None, spec.image) if spec else container_ref(pod, name),
        blocks=(container_ref(pod, name), pod) if spec else (pod,),
        notes=tuple(notes),
        help=(
            Step(
                Text("see which architectures the image supports, and which the nodes have", "查看镜像支持哪些架构，以及各节点的架构"),
                command=command("kubectl get nodes -L kubernetes.io/arch"),
            ),
            Step(
                Text(
                    "build or choose an image for that architecture, or restrict the Pods to suitable "
                    "nodes with nodeSelector kubernetes.io/arch",
                    "构建或选用该架构的镜像，或用 nodeSelector kubernetes.io/arch 把 Pod 限制在合适的节点上",
                ),
                where="source",
                verify=Text("the container starts", "容器能够启动"),
            ),
        ),
        do_not=(
            DoNot(
                Text("install an emulator for all programs on the nodes", "在节点上为所有程序安装模拟器"),
                Text("it runs many times slower, and affects every Pod on the node", "运行会慢许多倍，且会影响节点上的所有 Pod"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.wrong-architecture",
    title=Text("the container's program is built for another CPU architecture", "容器的程序是为其他处理器架构构建的"),
    subjects=("Pod",),
    stages=(*STAGES, "containers-created"),
    reads=frozenset({Failure, ContainerStatuses, Containers, LastLines, Placement, NodeShape}),
    rule=_rule,
)
