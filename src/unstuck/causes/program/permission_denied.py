"""The program ends because the kernel does not allow it what it tries

## How it happens

The program opens, creates or changes a file and may not, and gives up: the volume belongs to another user than the one that the container
runs as (a hostPath or an NFS export of root, a volume without `fsGroup`), the image expects to run as root, a file of a Secret has a mode
that excludes it; or it listens on a port below 1024 without the right to.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `Permission denied` or `Operation not permitted`, mostly with the path.

## Known limits

Who owns the path, and as whom the program runs, is not looked up: it stays likely. SELinux and AppArmor deny with the same word.
`Permission denied (publickey)` is a login that was refused, and told as such.

## References

- Linux errno(3), EACCES, EPERM; documentation "Configure a Security Context for a Pod or Container"
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

_ROOT = DoNot(
    Text("run the container as root, or make the path writable for all", "让容器以 root 运行，或把该路径改为所有人可写"),
    Text("whoever breaks into the program then has that right as well", "一旦程序被攻破，攻击者也就有了同样的权限"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("permission-denied",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    path, port = one.complaint.path, one.complaint.port
    if port:
        means = Text(f"it may not listen on port {port}", f"它无权监听端口 {port}")
        step = mend(
            Text("let it listen on a port above 1023, or give it NET_BIND_SERVICE", "改为监听 1023 以上的端口，或赋予 NET_BIND_SERVICE")
        )
        return finding(pod, one, means, (step,))
    means = Text(f"it has no permission on {path}", f"它对 {path} 没有权限") if path else Text("it lacks a permission", "它缺少权限")
    look = Step(
        Text("see as whom it runs, and what is mounted there", "查看它以哪个用户运行、那里挂载了什么"),
        command=command("kubectl get {pod} {space} -o yaml", pod=given.of(pod), space=given.space(pod)),
    )
    step = mend(
        Text(
            "give the volume to its user (securityContext.fsGroup), or run it as the user that the path belongs to",
            "把卷交给该用户（securityContext.fsGroup），或以该路径所属的用户运行",
        )
    )
    return finding(pod, one, means, (look, step), do_not=(_ROOT,))


CAUSE = Cause(
    id="program.permission-denied",
    title=Text("the program ends because the kernel does not allow it what it tries", "程序因没有权限而退出"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
