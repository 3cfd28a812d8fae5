"""A process of the Pod is stopped (state T), so it does not react to termination signals

## How it happens

It got SIGSTOP or SIGTSTP and never SIGCONT: from an abandoned debugger, a script that pauses a program for a
backup, a lost terminal. A stopped process gets the kubelet's SIGTERM only when it is continued. The Pod uses
its whole grace period, even an hour if so configured, and then SIGKILL ends it: that signal works in state T
too.

## How to tell

Within the grace period a process of the Pod is in state T on the Node. The API shows a Pod in its grace
period, and no more.

## Known limits

The sender of the signal is not recorded. State `t` is a process under a debugger, which is reported the same
way: the debugger has to let it go.

## References

- signal(7), proc_pid_stat(5); pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer)
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes.deletion._grace import find_due_time, format_clock, is_within_grace, make_period_ref
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import PodProcesses, Proc
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    ahead = is_within_grace(pod, snap)
    # Do not ask for this alone: a Pod in its grace period is usually well.
    stopped: Sign[Proc] = hearsay(
        snap, PodProcesses, pod, lambda f: [p for p in f.items if p.state in ("T", "t") and p.comm != "pause"]
    )
    return Signs(
        necessary={"inside the grace period": ahead},
        decisive={"a process of it is stopped": stopped},
        finding=lambda: _make_finding(pod, ahead.hits[0], stopped.hits, snap),
    )


def _make_finding(pod: Ref, deletion: Deletion, stopped: tuple[Proc, ...], snap: Facts) -> Finding:
    node, first = find_node_of_pod(pod, snap), stopped[0]
    name, more = node.name if node else None, len(stopped) - 1
    also = say(" and {more} more", more=more) if more else NO_TEXT
    return Finding(
        say(
            (
                "Process {pid} ({comm}){also} of the Pod is stopped (state T): it does not act on SIGTERM, "
                "and is killed at {until} only"
            ),
            pid=str(first.pid),
            comm=first.comm,
            also=also,
            until=format_clock(find_due_time(deletion)),
        ),
        culprit=Ref("Process", name, str(first.pid)),
        blocks=(pod, make_period_ref(pod)),
        help=(
            Step(
                say("continue it: it then gets the SIGTERM that waits for it"),
                where=place_on_node(name),
                command=command("kill -CONT {pids}", pids=given.numbers(p.pid for p in stopped)),
                risk="reversible",
                undo=command("kill -STOP {pids}", pids=given.numbers(p.pid for p in stopped)),
                verify=say("the Pod is deleted as soon as the process has ended"),
            ),
        ),
        do_not=(
            DoNot(
                say("force delete the Pod"),
                say("the stopped process keeps running on the node, with its memory, locks and volumes"),
            ),
        ),
    )


CAUSE = Cause(
    id="process.stopped",
    title=say("a Pod's process is stopped, so it does not react to termination signals"),
    subjects=("Pod",),
    stages=("grace-over",),
    reads=frozenset({Deletion, Placement, PodProcesses}),
    rule=_rule,
)
