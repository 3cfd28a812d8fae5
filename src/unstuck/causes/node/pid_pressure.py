"""The Node cannot start more processes

## How it happens

Every thread takes a process number. A program that starts threads or children without end, zombies that are
not reaped, or very many Pods against a low `kernel.pid_max` use them up. Then no process can start: `fork:
Resource temporarily unavailable`, `pthread_create failed`, exec probes and hooks fail, runc cannot run. The
kubelet sets PIDPressure and evicts, if it still can.

## How to tell

The Node's condition PIDPressure is True, or `/proc/loadavg` counts as many tasks as `kernel.pid_max` or
`kernel.threads-max` allows.

## Known limits

A Pod's own limit (`podPidsLimit`, `pids.max` of its cgroup) stops that Pod only, with the same messages; then
the kernel says `cgroup: fork rejected by pids controller in …`. The owners of the tasks are not looked at.

## References

- proc(5) loadavg, pid_max, threads-max; kubernetes.io: Process ID Limits And Reservations;
  pkg/kubelet/eviction (pid.available)
"""

from __future__ import annotations

from unstuck.causes.node._limits import is_used_up
from unstuck.causes.node._pressure import is_under_pressure
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_limits import HostLimit, HostLimits
from unstuck.facts.aspects.objects import Condition, Conditions, Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_COUNT = "ps -eLo pid,comm --no-headers | sort | uniq -c | sort -n | tail"


def _rule(node: Ref, snap: Facts) -> Signs:
    full = is_used_up(node, snap, "threads")
    told = is_under_pressure(node, snap, "PIDPressure")
    refused = hearsay(
        snap, Failure, node, lambda f: [f] if f.operation == "process-start" and f.error == "EAGAIN" else []
    )
    return Signs(
        decisive={"the number of tasks has reached the limit": full, "the kubelet says PIDPressure": told},
        # A unit's or a user's own limit gives the same word.
        supporting={"a process could not be started": Sign(None, refused.hits, refused.seen)},
        finding=lambda: _make_finding(node, full.hits, told.hits),
    )


def _make_finding(node: Ref, full: tuple[HostLimit, ...], told: tuple[Condition, ...]) -> Finding:
    item = full[0] if full else None
    where = f"node:{node.name}"
    steps = [Step(say("find out what has so many"), where=where, command=command(_COUNT))]
    if item:
        steps.append(
            Step(
                say("raise the limit until that is fixed"),
                where=where,
                command=command(
                    "sysctl -w {setting}={limit}",
                    setting=given.plain(item.setting),
                    limit=given.number(item.limit * 2),
                ),
                risk="reversible",
                undo=command(
                    "sysctl -w {setting}={limit}",
                    setting=given.plain(item.setting),
                    limit=given.number(item.limit),
                ),
                verify=say("new processes can start"),
            )
        )
    steps.append(
        Step(
            say(
                "permanently: podPidsLimit in the kubelet's configuration, so that "
                "one Pod cannot take them all"
            ),
            where="source",
        )
    )
    notes = [say("PIDPressure: {message}", message=c.message) for c in told if c.message]
    return Finding(
        say(
            "Node {node} cannot start more processes: {used} of {limit} tasks",
            node=node.name,
            used=item.used,
            limit=item.limit,
        )
        if item
        else say("The kubelet of Node {node} reports too few PIDs left", node=node.name),
        culprit=Ref("Sysctl", node.name, item.setting) if item else node,
        blocks=(node,) if item else (),
        notes=tuple(notes),
        help=tuple(steps),
        do_not=(
            DoNot(
                say("restart the runtime or the kubelet first"),
                say("they need processes to start, and may not come back"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.pid-pressure",
    title=say("the node cannot start more processes"),
    subjects=("Node",),
    reads=frozenset({Failure, HostLimits, Conditions}),
    rule=_rule,
)
