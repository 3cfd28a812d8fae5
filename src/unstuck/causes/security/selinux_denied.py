"""SELinux prevents a container from starting

## How it happens

The Node's SELinux policy does not know what the runtime does (container-selinux is missing or older than runc 1.0-rc8), or the runtime may
not give a volume the label that the container asks for: a file system without labels (NFS, some CSI drivers), or a path of the system that
must not be relabelled.

## How to tell

Starting fails with `write /proc/self/attr/keycreate: permission denied`, `relabel failed`, `lsetxattr …: operation not supported`, or
`SELinux relabeling of /x is not allowed`.

## Known limits

A program that runs and is refused a file gets `Permission denied` in its own log, and `avc: denied` in the audit log: not seen here.

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

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.signs(subject, snap, _mine, lambda f: _finding(subject, f, snap))


def _mine(f: Failure) -> bool:
    return f.error == "selinux-denied"


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        say("SELinux prevents a container from starting")
        + (say(": {path}", path=f.path) if f.path else NO_TEXT)
        + _starting.on(subject, snap),
        culprit=Ref("SELinux", _starting.node_name(subject, snap), f.path or "policy"),
        blocks=_starting.blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("see what was denied"),
                where=_starting.where(subject, snap),
                command=command("ausearch -m avc -ts recent"),
            ),
            Step(
                say(
                    "install or update container-selinux there; mount a volume without labels with a context option or do not set "
                    "seLinuxOptions"
                ),
                where=_starting.where(subject, snap),
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("disable SELinux on the node"),
                say("every container there then runs without its confinement"),
            ),
        ),
    )


CAUSE = Cause(
    id="security.selinux-denied",
    title=say("SELinux prevents a container from starting"),
    subjects=("Pod",),
    stages=("sandbox-and-network", *_starting.CONTAINERS),
    reads=_starting.READS,
    rule=_rule,
)
