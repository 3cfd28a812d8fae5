"""SELinux prevents a container from starting

## How it happens

The Node's SELinux policy does not cover the runtime's operations (container-selinux is missing or older than
runc 1.0-rc8), or the runtime may not give a volume the label that the container requires: a file system
without labels (NFS, some CSI drivers), or a path of the system that must not be relabelled. Or the program
that attaches and mounts the volume (`iscsiadm`), or the container's own, is denied an operation.

## How to tell

Starting fails with `write /proc/self/attr/keycreate: permission denied`, `relabel failed`, `lsetxattr …:
operation not supported`, or `SELinux relabeling of /x is not allowed`. The kernel's audit log says `avc:
denied { PERMISSION } for … comm="PROGRAM"`.

## Known limits

A line of the audit log counts only if it is in the input, and only for the domains of containers, their
runtimes and the programs that attach their volumes. It records the denial, and not its effect: it makes this
likely at most.

## References

- moby/moby issue 39109; containerd/containerd issue 3862; github.com/opencontainers/selinux go-selinux
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)


_ACCESS: Operation = "access"
_PROGRAM = regex(r"comm=\"(?P<name>[^\"]{1,64})\"")
_OFF = DoNot(
    say("disable SELinux on the node"),
    say("every container there then runs without its confinement"),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind == "Node":
        return _judge_node(subject, snap)
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _judge_node(node: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        node,
        snap,
        lambda f: _is_match(f) and f.operation == _ACCESS,
        lambda f: _make_audit_finding(node, f, snap),
        decides=None,
    )


def _make_audit_finding(node: Ref, f: Failure, snap: Facts) -> Finding:
    """Return the finding from a line of the audit log, which names the program and the permission."""
    program = _PROGRAM.search(f.message)
    says = (
        say(
            "SELinux denies {program} the permission {permission}",
            program=program["name"],
            permission=f.key or "?",
        )
        if program
        else say("SELinux denies the permission {permission}", permission=f.key or "?")
    )
    return Finding(
        says + _starting.say_on_node(node, snap),
        culprit=Ref("SELinux", _starting.find_node_name(node, snap), f.key or "policy"),
        blocks=_starting.list_blocked_objects(node, snap),
        notes=_starting.quote(f),
        help=(
            _look(node, snap),
            Step(
                say(
                    "update the policy's packages there, or allow the access by a separate policy module "
                    "(audit2allow shows it)"
                ),
                where=_starting.place_step(node, snap),
                verify=say("the audit log says nothing of it any more"),
            ),
        ),
        do_not=(_OFF,),
    )


def _look(subject: Ref, snap: Facts) -> Step:
    return Step(
        say("see what was denied"),
        where=_starting.place_step(subject, snap),
        command=command("ausearch -m avc -ts recent"),
    )


def _is_match(f: Failure) -> bool:
    return f.error == "selinux-denied"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        say("SELinux prevents a container from starting")
        + (say(": {path}", path=f.path) if f.path else NO_TEXT)
        + _starting.say_on_node(subject, snap),
        culprit=Ref("SELinux", _starting.find_node_name(subject, snap), f.path or "policy"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            _look(subject, snap),
            Step(
                say(
                    "install or update container-selinux there; mount a volume without labels with a context "
                    "option or do not set seLinuxOptions"
                ),
                where=_starting.place_step(subject, snap),
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(_OFF,),
    )


CAUSE = Cause(
    id="security.selinux-denied",
    title=say("SELinux prevents a container from starting"),
    subjects=("Pod", "Node"),
    stages=("sandbox-and-network", *_starting.CONTAINERS),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
