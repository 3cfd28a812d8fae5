"""The driver of a GPU does not fit the program or the kernel

## How it happens

The loaded kernel module and the libraries of NVIDIA's driver are of different versions after an update
without a reboot; an image is built for a newer CUDA than the node's driver supports; a program has no code
for this model of GPU.

## How to tell

`Driver/library version mismatch`, `unsatisfied condition: cuda>=…`, `CUDA driver version is insufficient`,
`no kernel image is available for execution on the device`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- NVIDIA: CUDA Compatibility; libnvidia-container; GPU Operator documentation, Troubleshooting
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

_MISMATCH, _NO_CODE = "mismatch", "no kernel image"


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("driver-unfit",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    said = one.complaint
    if _MISMATCH in said.verb:
        means = say(
            "the loaded kernel module and the libraries of the NVIDIA driver on the node are of different "
            "versions: the driver was updated while the old module was in use"
        )
        look = Step(
            say("on the node: compare the loaded version with the installed one"),
            command=command("sh -c 'cat /proc/driver/nvidia/version; modinfo -F version nvidia; nvidia-smi'"),
        )
        fix = Step(
            say(
                "drain the node and reboot it, so that the installed module is loaded, and keep its "
                "unattended updates from updating the driver; its Pods are down meanwhile"
            ),
            risk="disrupts",
            verify=say("nvidia-smi on the node prints its table"),
        )
        return make_finding(pod, one, means, (look, fix))
    look = Step(
        say(
            "on the node: see the driver's version, the CUDA version that it supports, and the model of the "
            "GPU"
        ),
        command=command("nvidia-smi"),
    )
    if _NO_CODE in said.verb:
        means = say("the program or a library in its image has no code for this model of GPU")
        step = mend(say("use a build of the image that supports the compute capability of this GPU"))
        return make_finding(pod, one, means, (look, step))
    means = (
        say("the image needs {need}, and the NVIDIA driver of the node is older", need=said.name)
        if said.name.startswith("cuda")
        else say("the NVIDIA driver of the node is older than the CUDA version of the image needs")
    )
    step = mend(
        say(
            "use an image for a CUDA version that the node's driver supports, or update the driver on the "
            "node"
        )
    )
    return make_finding(pod, one, means, (look, step))


CAUSE = Cause(
    id="program.gpu-driver-unfit",
    title=say("the driver of a GPU does not fit the program or the kernel"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
