"""A task on the Node has been blocked in the kernel for minutes

## How it happens

A task waits inside the kernel for a lock, a disk or a server, and does not run at all: storage that does not
answer, a driver or kernel bug, a lock whose holder waits itself. Tasks that need the same lock join it: runc,
the runtime, the kubelet, `ps`. The Node may stay Ready.

## How to tell

The kernel says `task … blocked for more than 120 seconds` with a call trace, and that task is still in state
D.

## Known limits

The kernel reports it ten times after a boot and then no more (`kernel.hung_task_warnings`), and not at all
where `kernel.hung_task_timeout_secs` is 0: its silence is no proof. A task that has run again since was slow,
not stuck. A task in D whose last report is older than some minutes, or a report of the last minutes where the
process cannot be looked at, makes it likely.

## References

- Linux kernel/hung_task.c; Documentation/admin-guide/sysctl/kernel.rst (hung_task_timeout_secs)
- node-problem-detector, condition KernelDeadlock
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages, make_text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kernel import HungTask, HungTasks
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.waits import Wait, find_wait

say = Messages(__name__)

_SHOWN = 4
# The kernel looks every two minutes: a task not reported for longer has run, or it has been reported ten
# times.
_JUST_NOW = timedelta(minutes=5)


def _rule(node: Ref, snap: Facts) -> Signs:
    still = some(snap, HungTasks, node, lambda f: [t for t in f.items if t.alive and _just_now(t, snap)])
    unsure = hearsay(
        snap,
        HungTasks,
        node,
        lambda f: [t for t in f.items if t.alive or (t.alive is None and _just_now(t, snap))],
    )
    if still.value is False and unsure.value:
        still = Sign(None, seen=unsure.seen)
    earlier = hearsay(snap, HungTasks, node, lambda f: [t for t in f.items if t.alive is None])
    told = hearsay(
        snap,
        Conditions,
        node,
        lambda f: [c for c in f.items if c.type == "KernelDeadlock" and c.status == "True"],
    )
    return Signs(
        decisive={"a task that the kernel found blocked is still in D": still},
        supporting={
            "the kernel found a task blocked, and it may be so still": unsure,
            "the kernel found a task blocked once, and whether it still is was not checked": Sign(
                None, earlier.hits, earlier.seen
            ),
            "node-problem-detector says KernelDeadlock": told,
        },
        finding=lambda: _make_finding(node, still.hits or unsure.hits),
    )


def _just_now(task: HungTask, snap: Facts) -> bool:
    return task.last is not None and snap.now - task.last <= _JUST_NOW


def _make_finding(node: Ref, tasks: tuple[HungTask, ...]) -> Finding:
    where = f"node:{node.name}"
    reboot = Step(
        say(
            "only if nothing else helps: drain whatever can be drained, then reboot the node; everything on "
            "it stops"
        ),
        where=where,
        risk="disrupts",
    )
    keep = DoNot(
        say("restart the kubelet or the runtime"),
        say("the new process may wait for the same lock, leaving nothing to run the Pods"),
    )
    stacks = Step(
        say("have the kernel print where every blocked task waits"),
        where=where,
        command=command("sh -c 'echo w > /proc/sysrq-trigger; dmesg | tail -200'"),
    )
    if not tasks:
        return Finding(
            say("node-problem-detector saw a task of Node {node} blocked in the kernel", node=node.name),
            culprit=node,
            blocks=(),
            help=(stacks, reboot),
            do_not=(keep,),
        )
    first = min(tasks, key=lambda t: (_wait(t) is None, -t.seconds, t.pid))
    wait = _wait(first)
    target = make_text(wait.name) if wait else say("something in the kernel")
    more = say(" (and {more} more)", more=len(tasks) - 1) if len(tasks) > 1 else NO_TEXT
    trace = " < ".join(first.functions[:_SHOWN])
    return Finding(
        say(
            "Task {comm} ({pid}){more} has been blocked for over {seconds} s: it waits for {target}",
            comm=first.comm,
            pid=first.pid,
            more=more,
            seconds=first.seconds,
            target=target,
        ),
        culprit=Ref("Process", node.name, str(first.pid)),
        blocks=(node,),
        notes=(say("it waits in {trace}", trace=trace),) if trace else (),
        help=(
            Step(
                say("restore or detach the resource it waits for ({target})", target=target),
                where=where,
                verify=say("the task leaves state D"),
            ),
            stacks,
            reboot,
        ),
        do_not=(keep,),
    )


def _wait(task: HungTask) -> Wait | None:
    """Return the thing it waits for, by the innermost telling function."""
    return next((w for f in task.functions if (w := find_wait(f.partition(" ")[0]))), None)


CAUSE = Cause(
    id="node.kernel-deadlock",
    title=say("a task has been blocked in the kernel for minutes"),
    subjects=("Node",),
    reads=frozenset({HungTasks, Conditions}),
    rule=_rule,
)
