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
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_ROOT = DoNot(
    say("run the container as root, or make the path writable for all"),
    say("whoever breaks into the program then has that right as well"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("permission-denied",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    path, port = one.complaint.path, one.complaint.port
    if port:
        means = say("it may not listen on port {port}", port=port)
        step = mend(say("let it listen on a port above 1023, or give it NET_BIND_SERVICE"))
        return finding(pod, one, means, (step,))
    means = say("it has no permission on {path}", path=path) if path else say("it lacks a permission")
    look = Step(
        say("see as whom it runs, and what is mounted there"),
        command=command("kubectl get {pod} {space} -o yaml", pod=given.of(pod), space=given.space(pod)),
    )
    step = mend(say("give the volume to its user (securityContext.fsGroup), or run it as the user that the path belongs to"))
    return finding(pod, one, means, (look, step), do_not=(_ROOT,))


CAUSE = Cause(
    id="program.permission-denied",
    title=say("the program ends because the kernel does not allow it what it tries"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
