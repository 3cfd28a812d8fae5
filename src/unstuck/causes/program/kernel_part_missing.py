"""The kernel lacks a module or device that a program needs

## How it happens

Network plugins create interfaces (`vxlan`, `wireguard`), storage drivers and runtimes mount file systems
(`overlay`, `nfs`, `ceph`), and programs open devices (`/dev/fuse`, `/dev/net/tun`, `/dev/kvm`), which a
module of the Node's kernel makes. It is not loaded, not in this kernel, or in a package of extra modules. A
container sees a device only if it is given to it.

## How to tell

`operation not supported` for a new interface, `unknown filesystem type`, `fuse: device not found`, a missing
file of `/dev`, `Can't find library for match`.

## Known limits

Its evidence is the message alone: it is never more than likely. A container without the device and a node
without the module give the same words.

## References

- Linux net/core/rtnetlink.c; libfuse lib/mount.c; util-linux libmount; iptables
  libxtables
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.kernel_modules import find_kernel_module

say = Messages(__name__)

_DEVICES = "/dev/"
_IS_DIRECTORY = "s a directory"
_DONE = say("the next attempt gets past this line")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("kernel-part-missing",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    said = one.complaint
    if said.verb:
        return _make_protocol_finding(pod, one)
    if not said.name:
        return _make_match_finding(pod, one)
    known = find_kernel_module(said.name)
    module = known.name if known else said.name
    device = (
        said.name if said.name.startswith(_DEVICES) else known.devices[0] if known and known.devices else ""
    )
    option = say(" ({option})", option=known.option) if known and known.option else NO_TEXT
    fix = Step(
        say(
            "on every node that needs it: modprobe {module}, and its name in /etc/modules-load.d for each "
            "start; if the kernel has no such module: its package of extra modules (linux-modules-extra, "
            "kernel-modules-extra), or another kernel",
            module=module,
        )
        + option,
        verify=_DONE,
    )
    look = _look_at_module(module)
    if not device:
        means = say(
            "the node's kernel has no {what}: module {module} is missing or not loaded",
            what=said.name,
            module=module,
        )
        return make_finding(pod, one, means, (look, fix))
    means = _tell_device(device, module, said.line)
    give = mend(
        say(
            "if the node has {device}: give it to the container, by a device plugin for it, or by "
            "privileged and a hostPath of type CharDevice",
            device=device,
        )
    )
    show = Step(
        say("on the node: see whether the device is there"),
        command=command("ls -l {path}", path=given.path(device)),
    )
    return make_finding(pod, one, means, (show, look, give, fix))


def _tell_device(device: str, module: str, line: str) -> Text:
    if _IS_DIRECTORY in line:
        return say(
            "{device} is a directory: the device was missing on the node when a Pod mounted it as a "
            "hostPath, which then created a directory; module {module} is missing or not loaded there",
            device=device,
            module=module,
        )
    return say(
        "{device} is not there: the container is not given it, or module {module} is not loaded on the node",
        device=device,
        module=module,
    )


def _look_at_module(module: str) -> Step:
    return Step(
        say("on the node: see whether the kernel has the module, and which kernel is running"),
        command=command("uname -r; modinfo {module}", module=given.plain(module)),
    )


def _make_protocol_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a kind of interface or protocol that the kernel does not know, unnamed."""
    means = say(
        "the node's kernel does not know a kind of interface or protocol that a network program asks for: "
        "a module is missing, such as vxlan or wireguard"
    )
    look = Step(
        say("on the node: see which of the usual modules its kernel lacks"),
        command=command(
            "sh -c 'uname -r; modinfo -F filename vxlan ipip wireguard ip_set ip6_tables xt_set'"
        ),
    )
    fix = Step(
        say(
            "install the kernel's package of extra modules on the node (linux-modules-extra, on a Raspberry "
            "Pi with Ubuntu linux-modules-extra-raspi; kernel-modules-extra), and load the missing one"
        ),
        verify=_DONE,
    )
    return make_finding(pod, one, means, (look, fix))


def _make_match_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a rule of the node that this iptables has no extension for."""
    match = one.complaint.path
    means = say(
        "rules on the node use the match {match}, for which the iptables of this program, usually that of "
        "its image, has no extension: it cannot list or change these rules",
        match=match,
    )
    look = Step(
        say("on the node: find the rules with -m {match}, and what writes them", match=match),
        command=command("sh -c 'iptables-save; ip6tables-save'"),
    )
    fix = Step(
        say("remove these rules where they are made, or write them without this match"),
        verify=_DONE,
    )
    return make_finding(pod, one, means, (look, fix))


CAUSE = Cause(
    id="program.kernel-part-missing",
    title=say("the kernel lacks a module or device that a program needs"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
