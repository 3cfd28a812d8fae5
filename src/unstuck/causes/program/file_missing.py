"""The program ends because a file that it needs is not there

## How it happens

The program opens a file that it needs, finds none, and gives up: the path in its settings is misspelled, a volume is mounted elsewhere or
over the directory, a ConfigMap or Secret has the key under another name, a build stage did not copy the file, or an init container did
not write it.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `No such file or directory`, `ENOENT` or `FileNotFoundException`,
mostly with the path.

## Known limits

What is mounted there is not held against the path: it stays likely.

## References

- Linux errno(3), ENOENT
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("file-missing",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    path = one.complaint.path
    means = Text(f"{path} is not there", f"{path} 不存在") if path else Text("a file that it needs is not there", "它所需的文件不存在")
    look = Step(
        Text("see what is mounted where", "查看各处挂载了什么"),
        command=command("kubectl describe {pod} {space}", pod=given.of(pod), space=given.space(pod)),
    )
    step = mend(Text("correct the path, or mount or build in what belongs there", "更正路径，或把应在该处的内容挂载或构建进去"))
    return finding(pod, one, means, (look, step))


CAUSE = Cause(
    id="program.file-missing",
    title=Text("the program ends because a file that it needs is not there", "程序因缺少所需的文件而退出"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
