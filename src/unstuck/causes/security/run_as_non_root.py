"""The Pod must not run as root, and its image does

## How it happens

`runAsNonRoot: true` stands in the Pod's or the container's securityContext, and the user that the container would get is root: the image
names none, names one by name (which the kubelet cannot check), or `runAsUser: 0` says so. The kubelet refuses to make the container.

## How to tell

The container waits with CreateContainerConfigError, `container has runAsNonRoot and image will run as root`, `image has non-numeric user
(x), cannot verify user is non-root`, or `container's runAsUser breaks non-root policy`.

## Known limits

Whether the program can run as another user the image's author knows. What the Namespace's Pod Security level refuses is refused before:
admission.pod-security.

## References

- Kubernetes pkg/kubelet/kuberuntime/security_context_others.go (verifyRunAsNonRoot)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import container_ref
from unstuck.facts.lookup import Facts


def _why(f: Failure) -> tuple[str, str]:
    if "non-numeric" in f.message:
        return "its image names its user by name, which cannot be checked", "其镜像以名称指定用户，无法核实"
    return ("runAsUser is root", "runAsUser 为 root") if "breaks" in f.message else ("its image runs as root", "其镜像以 root 运行")


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.signs(subject, snap, _mine, lambda f: _finding(subject, f, snap))


def _mine(f: Failure) -> bool:
    return f.error == "run-as-root"


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        Text(
            f"{f'container {f.container}' if f.container else 'a container'} must not run as root, but {_why(f)[0]}",
            f"{f'容器 {f.container} ' if f.container else '有容器'}不得以 root 运行，而{_why(f)[1]}",
        ),
        culprit=container_ref(subject, f.container),
        blocks=_starting.blocked(subject, snap),
        notes=_starting.quoted(f),
        help=(
            Step(
                Text(
                    "set runAsUser to a numeric user other than 0 that the program can run as, or build the image with a numeric USER",
                    "将 runAsUser 设为程序可用的非 0 数字用户，或在构建镜像时使用数字 USER",
                ),
                where="source",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                Text("remove runAsNonRoot as a workaround", "仅为绕过而去掉 runAsNonRoot"),
                Text(
                    "the program then runs as root on the node's kernel, which the setting was meant to prevent",
                    "程序会在节点内核上以 root 运行，而这正是该设置要防止的",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="security.run-as-non-root",
    title=Text("the Pod must not run as root, but its image does", "Pod 不得以 root 运行，而其镜像以 root 运行"),
    subjects=("Pod",),
    stages=("init-done", "containers-created"),
    reads=_starting.READS,
    rule=_rule,
)
