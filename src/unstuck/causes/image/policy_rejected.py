"""The Node's policy for images refuses the image

## How it happens

CRI-O asks /etc/containers/policy.json (in OpenShift written from ClusterImagePolicy, ImagePolicy and the cluster's image configuration)
before it takes an image: images of a registry must be signed by a certain key, or are refused altogether. The image has no signature, or
one of another key or identity; a mirror copied the image without its signatures; a registry stands on the list of blocked ones. Or the
policy file itself cannot be read, and then nothing can be pulled.

## How to tell

The container waits with SignatureValidationFailed, ErrImagePull or ImagePullBackOff, and the runtime's words are `Source image rejected: A
signature was required, but no signature exists`, `… None of the signatures were accepted`, `… is rejected by policy`, or `invalid policy in
"/etc/containers/policy.json"`.

## Known limits

The policy and the keys are not read. Whether the signature lacks or the Node does not look for it (registries.d) the words do not tell.

## References

- containers/image signature/policy_eval.go; containers-policy.json(5), containers-registries.d(5)
- Kubernetes pkg/kubelet/images/types.go (ErrSignatureValidationFailed); OpenShift documentation: ClusterImagePolicy
"""

from __future__ import annotations

from unstuck.causes.image._pull import READS, RETRIES, STAGES, image, image_of, pull, said, signs, where_of
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

_FILE = "/etc/containers/policy.json"


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("policy-rejected",))
    return signs("the runtime's policy refuses the image", one, lambda failure: _finding(pod, failure, snap))


def _finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    why = failure.key or "?"
    unread = failure.path is not None
    says = Text(
        f"the node's image policy rejects {image_of(failure)}: {why}",
        f"节点的镜像策略拒绝 {image_of(failure)}：{why}",
    )
    if unread:
        says = Text(f"the node's image policy, {failure.path}, cannot be read: {why}", f"节点的镜像策略 {failure.path} 无法解析：{why}")
    return Finding(
        says,
        culprit=Ref("File", None, failure.path) if unread else image(failure),
        blocks=(pod,),
        notes=(said(failure),),
        help=(_look(pod, failure, snap), _repair_file() if unread else _sign()),
        do_not=(
            DoNot(
                Text(
                    "accept every image (`insecureAcceptAnything` as the default) as a workaround",
                    "为绕过而接受所有镜像（默认设为 `insecureAcceptAnything`）",
                ),
                Text("anyone who can push to a registry then decides what runs on the nodes", "此后能写入仓库的人就能决定节点上运行什么"),
            ),
        ),
    )


def _look(pod: Ref, failure: Failure, snap: Facts) -> Step:
    return Step(
        Text("on that node, see what the policy requires for this registry", "在该节点上查看策略对该仓库的要求"),
        where=where_of(pod, snap),
        command=command("cat {file}", file=given.path(failure.path or _FILE)),
    )


def _sign() -> Step:
    return Step(
        Text(
            "sign the image with the key and identity required by the policy, copy it together with its signatures, "
            "or use a signed one; if the policy is wrong, ask its owner to correct it",
            "用策略指定的密钥和身份为镜像签名，连同签名一起复制镜像，或改用已签名的镜像；若策略本身有误，请其所有者更正",
        ),
        where="source",
        verify=RETRIES,
    )


def _repair_file() -> Step:
    return Step(
        Text(
            "correct the file, or upgrade a runtime that is too old for its content; until then nothing can be pulled there",
            "更正该文件，或升级无法识别其内容的旧版运行时；在此之前该节点无法拉取任何镜像",
        ),
        where="source",
        verify=RETRIES,
    )


CAUSE = Cause(
    id="image.policy-rejected",
    title=Text("the node's image policy rejects the image", "节点的镜像策略拒绝该镜像"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Placement},
    rule=_rule,
)
