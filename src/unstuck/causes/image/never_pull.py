"""The image is not on the Node and may not be pulled

## How it happens

`imagePullPolicy: Never` lets the kubelet use only what its Node has already, and this Node does not have it: it was loaded on another Node
or into another runtime's store (`docker load` where containerd runs, or containerd's wrong namespace), under another name or tag, or it was
removed when the disk ran full.

## How to tell

The container waits with ErrImageNeverPull, `Container image "x" is not present with pull policy of Never`. The kubelet looks again each
time it syncs the Pod, so the word is never older than that.

## Known limits

A kubelet that checks who may use an image (KubeletEnsureSecretPulledImages: 1.33 on, by default from 1.35) says the same of an image that
is on its Node and that was pulled with credentials which this Pod does not have. It does not reveal which of the two it is, and neither can
this: the list of the Node's images tells.

## References

- Kubernetes pkg/kubelet/images/image_manager.go (imageNotPresentOnNeverPolicyError); KEP-2535
"""

from __future__ import annotations

from unstuck.causes._commands import by_docker
from unstuck.causes.image._pull import READS, STAGES, image, image_of, pull, signs, where_of
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import kubelet_version, node_of
from unstuck.facts.lookup import Facts

# Alpha and off in 1.33 and 1.34, on by default from 1.35: pkg/features/kube_features.go.
_CHECKS_SINCE = (1, 33)
_GUARDED = Text(
    "kubelets that check who may use an image (KubeletEnsureSecretPulledImages: from 1.33, by default from "
    "1.35) report the same for an image that is present but was pulled with credentials this Pod does not "
    "have",
    "会检查谁可以使用镜像的 kubelet（KubeletEnsureSecretPulledImages：自 1.33 起，1.35 起默认启用）"
    "对已在节点上、但当初用该 Pod 所没有的凭据拉取的镜像也这样说",
)
_OWN_SECRET = Step(
    Text(
        "if it is present under this exact name: add the Secret it was pulled with to the Pod's imagePullSecrets",
        "若该名称的镜像确在其上：在 Pod 的 imagePullSecrets 中加入当初拉取它所用的 Secret",
    ),
    where="source",
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("never-pulled",))
    return signs("not present, and never pulled", one, lambda failure: _finding(pod, failure, snap))


def _finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    node = node_of(pod, snap)
    name = image_of(failure)
    version = kubelet_version(node, snap) if node else None
    plain = version is not None and version < _CHECKS_SINCE
    on = Text(f"Node {node.name}", f"节点 {node.name}") if node else Text("the Node", "节点")
    return Finding(
        Text(
            f"{on.en} has no image {name} that the Pod may use, and its pull policy is Never",
            f"{on.zh} 上没有该 Pod 可用的镜像 {name}，而其拉取策略为 Never",
        ),
        culprit=image(failure),
        blocks=(pod,),
        notes=() if plain else (_GUARDED,),
        help=(
            Step(
                Text("list the runtime's images there, by full name", "查看该节点运行时中有哪些镜像（完整名称）"),
                where=where_of(pod, snap),
                command=command("docker images") if by_docker(pod, snap) else command("crictl images"),
            ),
            Step(
                Text(
                    "load the image under this exact name into the runtime of every node the Pod may run on (containerd: namespace k8s.io)",
                    "把镜像以同一名称加载到 Pod 可能运行的每个节点的运行时中（containerd 为其命名空间 k8s.io）",
                ),
                where=where_of(pod, snap),
                verify=Text("the kubelet checks again within 2 min", "kubelet 会在 2 分钟内自动再次检查"),
            ),
            *(() if plain else (_OWN_SECRET,)),
            Step(
                Text("or set imagePullPolicy: IfNotPresent in the Pod's template", "或在 Pod 模板中设为 imagePullPolicy: IfNotPresent"),
                where="source",
                verify=Text("the new Pods pull the image", "新的 Pod 会拉取镜像"),
            ),
        ),
        do_not=(
            DoNot(
                Text("give another image this name as a workaround", "给其他镜像打上该名称来绕过"),
                Text("the Pod would start an unintended program", "Pod 会启动非预期的程序"),
            ),
        ),
    )


CAUSE = Cause(
    id="image.never-pull",
    title=Text("the image is not on the node and must not be pulled", "镜像不在节点上且不允许拉取"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {NodeInfo, Placement},
    rule=_rule,
)
