"""The command that the container should run is not in the image

## How it happens

`command` in the Pod's spec, or the image's own entrypoint, names a file that the container does not have: a typing error, another base
image or architecture of path (`/usr/local/bin` and `/usr/bin`), a build stage that was not copied, a volume mounted over the directory,
or a shell that a minimal image lacks.

## How to tell

The kubelet reports StartError or RunContainerError with the runtime's words: `exec: "/app/server": stat /app/server: no such file or
directory` for a path, `executable file not found in $PATH` for a bare name. The container's process never ran, so it has no log.

## Known limits

Where the words do not say `stat`, the file may be there and the interpreter in its first line, or its dynamic loader, is what lacks. A
shell in the container that does not find a command returns 127 after it has run: that is container.exits-by-itself. A probe's or a hook's
command that is not found does not keep the container from starting. A bare name may be missed because the runtime set no $PATH
(containerd 1.2.7 to 1.2.9), so that a message alone makes it no more than possible.

## References

- runc libcontainer/standard_init_linux.go, Go os/exec; Kubernetes pkg/kubelet/kuberuntime (ErrRunContainer)
"""

from __future__ import annotations

from unstuck.causes.container._ends import STAGES, called
from unstuck.causes.container._refused import refused, whence
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import heard
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import container_ref, container_spec
from unstuck.facts.snapshot import Snapshot


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    said, mine = refused(pod, snap, lambda f: f.error == "exec-not-found")

    return Signs(
        decisive={"the runtime did not find the command, and that container has not run": mine},
        supporting={
            "a message says that a path was not found": heard(snap, Failure, pod, lambda f: [f] if f in said.hits and f.path else [])
        },
        finding=lambda: _finding(pod, (*mine.hits, *said.hits)[0], snap),
    )


def _finding(pod: Ref, failure: Failure, snap: Snapshot) -> Finding:
    what = failure.path or failure.key or "?"
    name = failure.container
    who = called(name)
    says = Text(f"{who.en} cannot start: {what} does not exist in it", f"{who.zh} 无法启动：其中不存在 {what}")
    if failure.key and not failure.path:
        says = Text(f"{who.en} cannot start: {what} is not in its $PATH", f"{who.zh} 无法启动：在其 $PATH 中找不到 {what}")
    notes = list(whence(container_spec(pod, name, snap)))
    if failure.path and "stat " not in failure.message:
        notes.append(
            Text("the file may exist and the interpreter or loader that it names lack", "文件可能存在，而它所指定的解释器或加载器缺失")
        )
    return Finding(
        says,
        container_ref(pod, name),
        (pod,),
        tuple(notes),
        (
            Step(
                Text(
                    "correct the command in the owner's template, or use an image that has it; see that no volume covers its directory",
                    "在所属工作负载的模板中更正命令，或改用包含它的镜像；并确认没有卷挂载覆盖其目录",
                ),
                where="source",
                verify=Text("the container starts and writes its log", "容器启动并输出日志"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.command-not-found",
    title=Text("the command that the container should run is not in the image", "镜像中没有容器要运行的命令"),
    subjects=("Pod",),
    stages=(*STAGES, "containers-created"),
    reads=frozenset({Failure, ContainerStatuses, Containers}),
    rule=_rule,
)
