"""The command that the container should run is not in the image

## How it happens

`command` in the Pod's spec, or the image's own entrypoint, names a file that the container does not have: a typing error, another base
image or architecture of path (`/usr/local/bin` and `/usr/bin`), a build stage that was not copied, a volume mounted over the directory,
or a shell that a minimal image lacks. Or nothing is named at all: no `command` in the spec, and an image without one, as `docker import`
makes it where `docker load` was meant.

## How to tell

The kubelet reports StartError or RunContainerError with the runtime's words: `exec: "/app/server": stat /app/server: no such file or
directory` for a path, `executable file not found in $PATH` for a bare name, `no command specified` where none is named. The container's
process never ran, so it has no log.

## Known limits

`exec /run.sh: no such file or directory`, without `stat`, is the kernel's word of a file that is there: the interpreter in its first line
(`/bin/sh` and a carriage return, in a file from Windows), or its dynamic loader, is what lacks. A
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
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

# runc has looked the file up before it executes it, so that the kernel misses another one (libcontainer/standard_init_linux.go, 1.0–1.3).
_EXECUTED = regex(r"(?:standard_init_linux\.go:\d{1,5}: )?exec (?:user process caused|\"?/)")


def _rule(pod: Ref, snap: Facts) -> Signs:
    said, mine = refused(pod, snap, lambda f: f.error in ("exec-not-found", "no-command"))

    return Signs(
        decisive={"the runtime did not find the command, and that container has not run": mine},
        supporting={
            "a message says that a path was not found, or that none was given": heard(
                snap, Failure, pod, lambda f: [f] if f in said.hits and not f.key else []
            )
        },
        finding=lambda: _finding(pod, (*mine.hits, *said.hits)[0], snap),
    )


def _finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    if failure.error == "no-command":
        return _none(pod, failure)
    what = failure.path or failure.key
    name = failure.container
    who = called(name)
    says = Text(f"{who.en} cannot start: {what} does not exist in it", f"{who.zh} 无法启动：其中不存在 {what}")
    if failure.key and not failure.path:
        says = Text(f"{who.en} cannot start: {what} is not in its $PATH", f"{who.zh} 无法启动：在其 $PATH 中找不到 {what}")
    mend = Text(
        "correct the command, or use an image that contains it; check that no volume is mounted over its directory",
        "更正命令，或改用包含它的镜像；并确认没有卷挂载覆盖其目录",
    )
    notes = list(whence(container_spec(pod, name, snap)))
    if _EXECUTED.match(failure.message):
        of = Text(what, f" {what} ") if what else Text("its program", "其程序")
        says = Text(
            f"{who.en} cannot start: it lacks the interpreter or loader of {of.en}",
            f"{who.zh} 无法启动：其中不存在{of.zh}所指定的解释器或加载器",
        )
        mend = Text(
            "a script: save it with Unix line endings and use an interpreter in its first line that the image contains; a binary: "
            "build it for the image's C library, or statically",
            "脚本请以 Unix 换行保存，并在首行指定镜像中存在的解释器；程序请针对镜像的 C 库构建，或静态链接",
        )
        notes.append(
            Text(
                r"a script with Windows line endings (CRLF) asks for `/bin/sh\r`; "
                "a binary may be linked against another C library",
                r"若是脚本：使用 Windows 换行（CRLF）时，它指定的是 `/bin/sh\r`；若是程序：可能链接了另一种 C 库",
            )
        )
    elif failure.path and "stat " not in failure.message:
        notes.append(
            Text("the file itself may exist while its interpreter or loader is missing", "文件可能存在，而它所指定的解释器或加载器缺失")
        )
    return Finding(
        says,
        container_ref(pod, name),
        (pod,),
        tuple(notes),
        (
            Step(
                mend,
                where="source",
                verify=Text("the container starts and logs", "容器启动并输出日志"),
            ),
        ),
    )


def _none(pod: Ref, failure: Failure) -> Finding:
    who = called(failure.container)
    return Finding(
        Text(f"{who.en} cannot start: neither its image nor the Pod sets a command", f"{who.zh} 无法启动：镜像和 Pod 都没有指定命令"),
        container_ref(pod, failure.container),
        (pod,),
        (
            Text(
                "an image created with docker import has none; an incomplete download or load may have lost it",
                "用 docker import 制作的镜像没有命令，下载或加载不完整的镜像也可能没有",
            ),
        ),
        (
            Step(
                Text(
                    "set a command, or use an image that has an entrypoint; load the output of docker save "
                    "(docker load, ctr -n k8s.io images import), do not docker import it",
                    "指定命令，或改用带入口点的镜像；docker save 的产物应加载"
                    "（docker load、ctr -n k8s.io images import），而不是 docker import",
                ),
                where="source",
                verify=Text("the container starts and logs", "容器启动并输出日志"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.command-not-found",
    title=Text("the container's command is not in the image", "镜像中没有容器要运行的命令"),
    subjects=("Pod",),
    stages=(*STAGES, "containers-created"),
    reads=frozenset({Failure, ContainerStatuses, Containers}),
    rule=_rule,
)
