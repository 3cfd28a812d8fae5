"""A process limit of the runtime is too low

## How it happens

Containers inherit the limits of their runtime's service: open files, locked memory, processes. The runtime
may not raise them beyond its own (`LimitNOFILE`, `LimitMEMLOCK`, `TasksMax` of its unit), or the program
needs more than it got: Go 1.14 locks a page for signals, and on kernels 5.2 to 5.4.1 fails where memlock is
small.

## How to tell

Starting fails with `error setting rlimit type 7: operation not permitted`, `mlock of signal stack failed`, or
`failed to create new OS thread (… errno=11)`.

## Known limits

`failed to create new OS thread` can also be the Node's or the Pod's limit of processes: node.pid-pressure has
the numbers. So this message makes it `likely` at most.

## References

- runc libcontainer/init_linux.go (setupRlimits); golang/go issue 37436; systemd.exec(5)
"""

from __future__ import annotations

import re

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_THREADS = regex(r"new OS thread|pthread_create", re.IGNORECASE)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        subject, snap, _is_match, lambda f: _make_finding(subject, f, snap), decides=_of_runtime
    )


def _is_match(f: Failure) -> bool:
    return f.error == "rlimit"


def _of_runtime(f: Failure) -> bool:
    """Tell whether it is the runtime's own limit: messages about threads also come from the Pod's or the
    Node's limit of processes.
    """
    return _THREADS.search(f.message) is None


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        say("a process limit of the runtime is too low for this container")
        + _starting.say_on_node(subject, snap),
        culprit=Ref("Runtime", _starting.find_node_name(subject, snap), "limits"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("see the runtime process's limits"),
                where=_starting.place_step(subject, snap),
                command=command("sh -c 'cat /proc/$(pidof -s containerd dockerd crio)/limits'"),
            ),
            Step(
                say(
                    "raise LimitNOFILE, LimitMEMLOCK or TasksMax in its unit and restart it in a maintenance "
                    "window; running containers keep their old limits, new ones wait meanwhile"
                ),
                where=_starting.place_step(subject, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("raise the limits to infinity for everything on the node (LimitNOFILE=infinity)"),
                say(
                    "programs that loop over or preallocate every file number up to the limit then take "
                    "minutes and gigabytes to start"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="runtime.ulimit-too-low",
    title=say("a process limit of the runtime is too low"),
    subjects=("Pod",),
    stages=("sandbox-and-network", *_starting.CONTAINERS),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
