"""The program ends because a file that it runs is no program for this machine

## How it happens

A script or a program starts a file that the kernel does not take for a program: it is built for another CPU architecture, it is a script
without a `#!` line, or it is empty or cut short.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `Exec format error` or `cannot execute binary file`.

## Known limits

The file is not looked at: it stays likely. Where the runtime itself may not start the container's first program,
container.wrong-architecture tells it.

## References

- execve(2), ENOEXEC; bash execute_cmd.c
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("format-refused",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    path = one.complaint.path
    means = (
        Text(f"{path} is no program for this machine", f"{path} 不是此机器能执行的程序")
        if path
        else Text("what it runs is no program for this machine", "它所运行的文件不是此机器能执行的程序")
    )
    step = mend(Text("build it for the Node's architecture, or give the script its #! line", "针对该节点的架构构建，或为脚本加上 #! 首行"))
    return finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.exec-format-error",
    title=Text("the program ends because a file that it runs is no program for this machine", "程序因所运行的文件不能在此机器上执行而退出"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
