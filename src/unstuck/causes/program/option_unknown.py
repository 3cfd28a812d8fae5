"""The program ends because it does not know an option

## How it happens

`args` or `command` in the Pod's template gives the program an option that it does not know: it is misspelled, it was removed or renamed
in the version of the image, or it belongs to another program or subcommand.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `unknown flag`, `unrecognized option`, `flag provided but not
defined` or the like, with the option.

## Known limits

Command lines are never read: it stays likely.

## References

- Go src/flag; pflag; getopt(3); Python argparse; OpenJDK arguments.cpp
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
    return plain(pod, snap, ("option-unknown",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    means = Text(f"it does not know the option {name}", f"它不认识选项 {name}")
    notes = (Text(f"the image is {one.run.spec.image}", f"镜像为 {one.run.spec.image}"),) if one.run.spec else ()
    step = mend(Text("correct args in the owner's template for this version of the image", "按该镜像的版本更正所属工作负载模板中的 args"))
    return finding(pod, one, means, (step,), notes=notes)


CAUSE = Cause(
    id="program.option-unknown",
    title=Text("the program ends because it does not know an option", "程序因不认识某个命令行选项而退出"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
