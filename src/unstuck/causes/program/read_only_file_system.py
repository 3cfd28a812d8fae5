"""The program ends because it writes to a read-only file system

## How it happens

The program writes a file (a pid, a cache, a log) where it may not, and gives up: its container has `readOnlyRootFilesystem`, the volume
is mounted with `readOnly`, a ConfigMap or Secret is mounted there, or the file system of the node was turned read-only by an error of its
disk.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `Read-only file system` or `EROFS`, mostly with the path.

## Known limits

Which of these it is, is not looked up: it stays likely.

## References

- Linux errno(3), EROFS; documentation "Configure a Security Context for a Pod or Container"
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("read-only",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    path = one.complaint.path
    means = (
        say("it cannot write {path}, where the file system is read-only", path=path)
        if path
        else say("it writes to a read-only file system")
    )
    step = mend(say("mount an emptyDir where it writes, or tell it to write elsewhere"))
    return finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.read-only-file-system",
    title=say("the program ends because it writes to a read-only file system"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
