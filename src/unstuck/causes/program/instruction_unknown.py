"""A program uses an instruction that the processor does not have

## How it happens

The program, or a library of it, was compiled for newer processors (AVX, AVX2, SSE4.2, x86-64-v2), and runs on
an older one, or on a virtual machine whose type of CPU hides these features. It may start on one Node and
not on another. The kernel ends it with SIGILL, exit code 132.

## How to tell

`Illegal instruction` by the shell that started it, `SIGILL`, `trap invalid opcode` in the kernel's log.

## Known limits

Its evidence is the message alone: it is never more than likely. Which feature is missing is seen by comparing
the program's requirements with `lscpu`. A damaged file of the program gives the same words, rarely.

## References

- signal(7) SIGILL; Linux arch/x86/kernel/traps.c; MongoDB and TensorFlow release notes on AVX
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("instruction-unknown",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    who = one.complaint.name or say("the program")
    means = say(
        "{who} uses an instruction that its node's processor does not have, such as AVX: it is built for "
        "newer ones, or the virtual machine hides what its host has",
        who=who,
    )
    look = Step(
        say("on the node: see which features its processor shows"),
        command=command("sh -c 'lscpu | grep -i -e model -e flags'"),
    )
    image = mend(
        say(
            "use a version or build of the image for older processors, or place the Pod on nodes whose "
            "processor has the feature (nodeSelector)"
        )
    )
    machine = Step(
        say(
            "if a virtual machine hides it: set its CPU type to the host's, and start it again; its Pods "
            "are down meanwhile"
        ),
        risk="disrupts",
    )
    return make_finding(pod, one, means, (look, image, machine))


CAUSE = Cause(
    id="program.instruction-unknown",
    title=say("a program uses an instruction that the processor does not have"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
