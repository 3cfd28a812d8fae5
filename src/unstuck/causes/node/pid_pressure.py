"""The Node has no room for more processes

## How it happens

Every thread takes a process number. A program that starts threads or children without end, zombies that are not reaped, or very many Pods
against a low `kernel.pid_max` use them up. Then nothing can start: `fork: Resource temporarily unavailable`, `pthread_create failed`, exec
probes and hooks fail, runc cannot run. The kubelet sets PIDPressure and evicts, if it still can.

## How to tell

The Node's condition PIDPressure is True, or `/proc/loadavg` counts as many tasks as `kernel.pid_max` or `kernel.threads-max` allows.

## Known limits

A Pod's own limit (`podPidsLimit`, `pids.max` of its cgroup) stops that Pod only, with the same messages; then the kernel says
`cgroup: fork rejected by pids controller in …`. Who has the tasks is not looked at.

## References

- proc(5) loadavg, pid_max, threads-max; kubernetes.io: Process ID Limits And Reservations; pkg/kubelet/eviction (pid.available)
"""

from __future__ import annotations

from unstuck.causes.node._limits import used_up
from unstuck.causes.node._pressure import pressed
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, heard
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_limits import HostLimit, HostLimits
from unstuck.facts.aspects.objects import Condition, Conditions, Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

_COUNT = "ps -eLo pid,comm --no-headers | sort | uniq -c | sort -n | tail"


def _rule(node: Ref, snap: Facts) -> Signs:
    full = used_up(node, snap, "threads")
    told = pressed(node, snap, "PIDPressure")
    refused = heard(snap, Failure, node, lambda f: [f] if f.operation == "process-start" and f.error == "EAGAIN" else [])
    return Signs(
        decisive={"as many tasks as there may be": full, "the kubelet says PIDPressure": told},
        # A unit's or a user's own limit gives the same word.
        supporting={"a process could not be started": Sign(None, refused.hits, refused.seen)},
        finding=lambda: _finding(node, full.hits, told.hits),
    )


def _finding(node: Ref, full: tuple[HostLimit, ...], told: tuple[Condition, ...]) -> Finding:
    item = full[0] if full else None
    where = f"node:{node.name}"
    steps = [Step(Text("find out what has so many", "查明是谁占用了如此多"), where=where, command=command(_COUNT))]
    if item:
        steps.append(
            Step(
                Text("raise the limit until that is fixed", "在修复期间提高上限"),
                where=where,
                command=command("sysctl -w {setting}={limit}", setting=given.plain(item.setting), limit=given.number(item.limit * 2)),
                risk="reversible",
                undo=command("sysctl -w {setting}={limit}", setting=given.plain(item.setting), limit=given.number(item.limit)),
                verify=Text("new processes can start", "进程可以重新启动"),
            )
        )
    steps.append(
        Step(
            Text(
                "permanently: podPidsLimit in the kubelet's configuration, so that one Pod cannot take them all",
                "长期：在 kubelet 配置中设置 podPidsLimit，使单个 Pod 无法占满",
            ),
            where="source",
        )
    )
    notes = [Text(f"PIDPressure: {c.message}", f"PIDPressure：{c.message}") for c in told if c.message]
    return Finding(
        Text(
            f"Node {node.name} cannot start more processes: {item.used} of {item.limit} tasks",
            f"节点 {node.name} 已无法容纳更多进程：{item.used} / {item.limit} 个任务",
        )
        if item
        else Text(f"The kubelet of Node {node.name} reports too few PIDs left", f"节点 {node.name} 的 kubelet 报告剩余 PID 过少"),
        culprit=Ref("Sysctl", node.name, item.setting) if item else node,
        blocks=(node,) if item else (),
        notes=tuple(notes),
        help=tuple(steps),
        do_not=(
            DoNot(
                Text("restart the runtime or the kubelet first", "先重启运行时或 kubelet"),
                Text("they need processes to start, and may not come back", "它们启动时需要新进程，可能无法恢复"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.pid-pressure",
    title=Text("the node cannot start more processes", "节点已无法启动更多进程"),
    subjects=("Node",),
    reads=frozenset({Failure, HostLimits, Conditions}),
    rule=_rule,
)
