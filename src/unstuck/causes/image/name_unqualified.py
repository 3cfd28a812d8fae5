"""The name of the image has no registry, and the runtime does not choose one

## How it happens

`nginx` or `shop/web:1` is a short name: it does not name the registry. containerd and docker take docker.io for it; CRI-O asks
`unqualified-search-registries` of the Node's /etc/containers/registries.conf. Where that lists several registries and short names are
enforced to be unambiguous (CRI-O's default from 1.34 on, OpenShift 4.21), or where it lists none and no alias fits, the runtime refuses the
name. So Pods that ran for years fail after an upgrade, or after a move from another runtime.

## How to tell

The container waits with ImageInspectError, ErrImagePull or ImagePullBackOff, and the kubelet quotes the runtime: `short name mode is
enforcing, but image name x returns ambiguous list`, `short-name "x" did not resolve to an alias and no unqualified-search registries are
defined`, or, before 1.18, `no registries configured while trying to pull an unqualified image`.

## Known limits

Which registry was meant cannot be seen: docker.io is only what other runtimes would take. The Node's configuration is not read.

## References

- cri-o internal/storage/image.go, pull 9401; containers/image pkg/shortnames/shortnames.go; containers-registries.conf(5)
"""

from __future__ import annotations

from unstuck.causes.image._name import parsed
from unstuck.causes.image._pull import READS, RETRIES, STAGES, image_of, pull, signs, where_of
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import container_spec
from unstuck.facts.lookup import Facts


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("name-unqualified",))
    return signs("the name names no registry", one, lambda failure: _finding(pod, failure, snap))


def _finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    spec = container_spec(pod, failure.container, snap)
    name = failure.key or (spec.image if spec else image_of(failure))
    full = parsed(name)
    return Finding(
        Text(f'image name "{name}" has no registry, and {_why(failure).en}', f'镜像名称 "{name}" 没有指明仓库，而{_why(failure).zh}'),
        culprit=Ref("Image", None, name),
        blocks=(pod,),
        notes=(
            Text(
                f"if you meant Docker Hub: docker.io/{full.path}{f':{full.tag}' if full.tag else ''}",
                f"若本意是 Docker Hub：docker.io/{full.path}{f':{full.tag}' if full.tag else ''}",
            ),
        )
        if name != "?"
        else (),
        help=(
            Step(
                Text(
                    "put the registry into the image name in the Pod's template, or in the chart's value",
                    "在 Pod 模板的镜像名中（或 chart 的相应取值中）写明仓库",
                ),
                where="source",
                verify=Text("the new Pods pull their image", "新的 Pod 会拉取镜像"),
            ),
            Step(
                Text(
                    "or, for all Pods, list exactly one registry under unqualified-search-registries "
                    "in the nodes' /etc/containers/registries.conf, or an alias for this name, and reload "
                    "CRI-O; running containers are not affected",
                    "或面向所有 Pod：让各节点的 /etc/containers/registries.conf 在 unqualified-search-registries 中"
                    "只列出一个仓库，或为该名称设置别名，然后重新加载 CRI-O；运行中的容器不受影响",
                ),
                where=where_of(pod, snap),
                risk="reversible",
                verify=RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                Text(
                    "disable the check while several registries are listed",
                    "在列出多个仓库的情况下关闭该强制检查",
                ),
                Text(
                    "then anyone who takes that name in one of them decides which program runs",
                    "此后谁在其中一个仓库占用该名称，谁就决定运行什么程序",
                ),
            ),
        ),
    )


def _why(failure: Failure) -> Text:
    if "ambiguous list" in failure.message:
        return Text("the runtime would have to choose between several", "运行时需要在多个仓库之间选择")
    if "cannot prompt" in failure.message:
        return Text("the runtime must not choose between its search registries", "运行时不得自行在所搜索的仓库之间选择")
    return Text("the runtime has none set for such names", "运行时没有为这类名称设置仓库")


CAUSE = Cause(
    id="image.name-unqualified",
    title=Text("the image name has no registry, and the runtime does not pick one", "镜像名称没有指明仓库，运行时也不会选择"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Containers, Placement},
    rule=_rule,
)
