"""The registry refuses the pull because there were too many

## How it happens

The registry counts pulls, for each account or, without credentials, for each address from which they come: all Nodes behind one NAT share
one count. A rollout on many Nodes, `imagePullPolicy: Always` with a crash loop, or a build system in the same network uses it up. The
kubelet has a limit of its own, `registryPullQPS`, which is met before any registry is asked.

## How to tell

`toomanyrequests`, `429 Too Many Requests` or `You have reached your pull rate limit` in the kubelet's words about its own pull, with the
container still waiting; for the kubelet's own limit `pull QPS exceeded`.

## Known limits

Whose pulls used up the count cannot be seen from here, and neither when the registry lets more through; some say it in a header of their
answer. Nothing is wrong with the image or with its name.

## References

- opencontainers/distribution-spec spec.md (TOOMANYREQUESTS); pkg/kubelet/images/helpers.go (throttledImageService)
"""

from __future__ import annotations

from unstuck.causes.image._pull import READS, STAGES, pull, registry, said, signs, where_of
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import node_of
from unstuck.facts.lookup import Facts

_LATER = Text("the kubelet retries the pull, and succeeds once the registry allows it", "kubelet 会自动重试，待仓库放行后即可拉到")


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("rate-limited", "pull-qps"))
    return signs("too many pulls", one, lambda failure: _finding(pod, failure, snap))


def _finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    if failure.error == "pull-qps":
        return _own(pod, failure, snap)
    host = failure.host or "?"
    return Finding(
        Text(f"registry {host} rejects the pull: too many pulls came from here", f"镜像仓库 {host} 拒绝拉取：来自此处的拉取过多"),
        culprit=registry(failure),
        blocks=(pod,),
        notes=(said(failure),),
        help=(
            Step(
                Text(
                    "pull with an account: it has its own, higher limit (a Secret of type kubernetes.io/dockerconfigjson, "
                    "referenced by imagePullSecrets)",
                    "使用账户拉取：其限额独立且更高（类型为 kubernetes.io/dockerconfigjson 的 Secret，通过 imagePullSecrets 关联）",
                ),
                where="source",
                verify=_LATER,
            ),
            Step(
                Text(
                    "or have the nodes pull through your own mirror or cache, so that each image is fetched once",
                    "或让节点经自有的镜像缓存拉取，使每个镜像只获取一次",
                ),
                where="cluster",
                verify=_LATER,
            ),
        ),
        do_not=(
            DoNot(
                Text("keep deleting the Pod to force a retry", "反复删除 Pod 促其重试"),
                Text("each attempt counts: the limit lasts longer", "每次尝试都会计数：限制持续更久"),
            ),
            DoNot(
                Text("prune images or replace nodes meanwhile", "在此期间清理镜像或替换节点"),
                Text("images on the nodes need no pull; removed images do", "节点上已有的无需拉取；一旦清除就必须再拉"),
            ),
        ),
    )


def _own(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    """Return the finding for the kubelet's own limit: no registry was asked."""
    node = node_of(pod, snap)
    name = (node.name if node else None) or "NODE"
    return Finding(
        Text(
            f"the kubelet of Node {name} is not starting more pulls for now: its own limit is reached",
            f"节点 {name} 的 kubelet 暂不发起更多拉取：其自身限额已用尽",
        ),
        culprit=Ref("Kubelet", None, name),
        blocks=(pod,),
        notes=(said(failure),),
        help=(
            Step(
                Text(
                    "wait: it retries automatically. If many Pods often start at once on a node, raise registryPullQPS and "
                    "registryBurst in the kubelet's configuration",
                    "等待：它会自动重新拉取。若节点上常有大量 Pod 同时启动，可在 kubelet 配置中调高 registryPullQPS 与 registryBurst",
                ),
                where=where_of(pod, snap),
                verify=Text("the image is pulled within minutes", "镜像会在数分钟内拉到"),
            ),
        ),
    )


CAUSE = Cause(
    id="image.rate-limited",
    title=Text("the registry rate-limits the pull", "拉取过多，被镜像仓库限流"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Placement},
    rule=_rule,
)
