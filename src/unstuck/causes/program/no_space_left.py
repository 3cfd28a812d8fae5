"""The program ends because no space is left where it writes

## How it happens

The program writes to a volume or to its own layer, no space or no inode is left there, or its quota is used up, and it gives up.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `No space left on device`, `Disk quota exceeded` or `ENOSPC`, mostly
with the path.

## Known limits

Which file system the path lies on, and whether its bytes or its inodes are used up, is not looked up: it stays likely. A full file system
of the Node is told by node.disk-full. Watches of inotify that are used up have the same errno, and are told by node.inotify-exhausted.

## References

- Linux errno(3), ENOSPC, EDQUOT
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_DELETE = DoNot(
    say("delete files of a database or a queue to make room"),
    say("what they hold is lost, and the rest may no longer fit together"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("no-space",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    path = one.complaint.path
    means = say("no space is left where it writes {path}", path=path) if path else say("no space is left where it writes")
    # The errno is the same for both, and more room gives no inode.
    look = Step(say("see which is used up where it writes, bytes (`df -h`) or inodes (`df -i`)"))
    step = mend(say("delete what the program can make again; where bytes are used up, enlarging the volume helps too"))
    return finding(pod, one, means, (look, step), do_not=(_DELETE,))


CAUSE = Cause(
    id="program.no-space-left",
    title=say("the program ends because no space is left where it writes"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
