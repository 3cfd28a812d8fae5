"""A GPU of the node, or its driver, does not work

## How it happens

The driver loses the device (it fell off the bus: power, heat, the slot), its memory has an error that cannot
be corrected, its firmware hangs, or a link between GPUs is down. Pods that use it fail, and the device plugin
reports one device less; new Pods for it stay Pending or are rejected. Other numbers mean that a program
itself misused the GPU.

## How to tell

The kernel's log: NVIDIA's `NVRM: Xid (PCI:…): NUMBER`, `fallen off the bus`, `RmInitAdapter failed`; AMD's
`ring … timeout`. In a container: `Failed to initialize NVML: Unknown Error`.

## Known limits

One line does not tell hardware from a driver's fault. Whether the device has recovered since is not seen.

## References

- NVIDIA "XID Errors"; Linux drivers/gpu/drm/amd/amdgpu
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_Sort = Literal["program", "memory", "link", "firmware", "lost"]
# NVIDIA's numbers, by what they report: "XID Errors", table of causes.
_SORTS: Mapping[int, _Sort] = MappingProxyType[int, _Sort](
    {
        **dict.fromkeys((13, 31, 43, 45, 68, 69), "program"),
        **dict.fromkeys((48, 63, 64, 92, 94, 95, 140), "memory"),
        **dict.fromkeys((74, 144, 145, 149, 150), "link"),
        **dict.fromkeys((61, 62, 109, 119, 120), "firmware"),
        79: "lost",
    }
)
# NVML in a container: `Failed to initialize NVML: Unknown Error`.
_CUT_OFF = "initialize NVML: "
_LOST = ("off the bus", "is lost", "RmInitAdapter")
_MEANS: Mapping[_Sort, Text] = MappingProxyType[_Sort, Text](
    {
        "memory": say("its memory has an error that cannot be corrected, or no spare rows are left"),
        "link": say("a link to another GPU has failed"),
        "firmware": say("its firmware does not answer"),
        "lost": say("the driver no longer reaches it on the bus"),
    }
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "device-failed", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    blocks = (one.of,) if one.of else ()
    if _CUT_OFF in c.reason:
        return Finding(_ACCESS_LOST, text, blocks, (), _REGAIN)
    sort = "lost" if any(word in c.line for word in _LOST) else _SORTS.get(c.at)
    device = say(" at {name}", name=c.name) if c.name else NO_TEXT
    number = say(" (Xid {number})", number=c.at) if c.at else NO_TEXT
    if sort == "program":
        means = say(
            "A program misused the GPU{device}{number}: the GPU itself is most likely fine",
            device=device,
            number=number,
        )
        return Finding(means, text, blocks, (), (_LOOK, _PROGRAM))
    means = say("A GPU of the node has failed{device}{number}", device=device, number=number)
    if sort:
        means += say(": {what}", what=_MEANS[sort])
    return Finding(means, text, blocks, (), (_LOOK, _DRAIN, _REPAIR), do_not=(_UNSEEN,))


_LOOK = Step(
    say(
        "see which GPUs the driver still knows, their errors and temperature, and all such lines of the "
        "kernel"
    ),
    where="node",
    command=command("nvidia-smi -q -d ECC,ROW_REMAPPER,TEMPERATURE,POWER; dmesg -T | grep -e NVRM -e amdgpu"),
)
_DRAIN = Step(
    say(
        "drain the node, then reset the GPU (nvidia-smi --gpu-reset) or restart the machine; the Pods that "
        "use its GPUs stop meanwhile"
    ),
    risk="disrupts",
    verify=say("the node's allocatable GPUs are complete again, and the kernel no longer writes it"),
)
_REPAIR = Step(
    say(
        "if it comes back after that: update driver and firmware, check power, cooling and the card's seat, "
        "or have the provider replace the card or the machine"
    ),
    where="source",
)
_PROGRAM = Step(
    say(
        "find the program by the pid in the line, and look in its own log for an illegal access or an "
        "out-of-bounds index; if the same GPU reports it for different programs, test the GPU (dcgmi diag)"
    ),
    where="source",
)
_ACCESS_LOST = say(
    "the container has lost its access to the GPU while it runs: systemd has rewritten the device rules of "
    "its cgroup (daemon-reload), or it never had them"
)
_REGAIN = (
    Step(
        say("see whether the GPU works on the node itself; then only the container's access is lost"),
        where="node",
        command=command("nvidia-smi"),
    ),
    Step(
        say("delete the Pod, so that it starts again with the device; it stops meanwhile"),
        risk="disrupts",
    ),
    Step(
        say(
            "keep it from coming back: use CDI or a current NVIDIA container toolkit with the links of "
            "nvidia-ctk system create-dev-char-symlinks"
        ),
        where="source",
    ),
)
_UNSEEN = DoNot(
    say("only restart the Pods"),
    say("on the same node they get the same GPU again, or none"),
)

CAUSE = Cause(
    id="node.gpu-failed",
    title=say("a GPU of the node, or its driver, does not work"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
