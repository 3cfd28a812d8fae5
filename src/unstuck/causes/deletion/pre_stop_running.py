"""A container's preStop hook runs, and the Pod waits for it

## How it happens

Before a container gets SIGTERM its preStop hook runs; it drains connections, hands over a lock, or only
sleeps. The hook may use the whole grace period, and one that hangs does. At the end of the grace period the
kubelet kills the container, hook or not.

## How to tell

The container has `lifecycle.preStop`, still runs, and the grace period is not over. On the node a process
that entered the container after the deletion was requested is the hook itself. No Event is written while a
hook runs.

## Known limits

From the API alone a running hook and a process that is slow to end after SIGTERM look the same, so it is
likely only. Hooks that are HTTP requests or sleeps have no process. `FailedPreStopHook` is also written
because the container was killed.

## References

- Kubernetes documentation: Container Lifecycle Hooks
- pkg/kubelet/kuberuntime/kuberuntime_container.go (executePreStopHook, killContainer); field notes
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.causes._hooks import find_hook_process
from unstuck.causes.deletion._grace import find_due_time, format_clock, is_within_grace, make_period_ref
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import Messages, Text, format_duration
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import PodProcesses, Proc
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Handler, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.stages.pod_deletion import request_time
from unstuck.stages.waiting import reports

say = Messages(__name__)

_BEFORE = timedelta(seconds=2)
_NEARLY = timedelta(seconds=5)


def _rule(pod: Ref, snap: Facts) -> Signs:
    ahead = is_within_grace(pod, snap)
    hooks = some(snap, Containers, pod, lambda f: [c for c in f.items if c.pre_stop])
    with_hook = {c.name for c in hooks.hits}
    running = some(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [s for s in f.items if s.state == "running" and s.name in with_hook],
    )
    runs = running if hooks.value else Sign(None, wants=running.wants)
    began = request_time(ahead.hits[0]) if ahead.hits else None
    process = find_hook_process(
        pod, snap, [c.pre_stop for c in hooks.hits], began - _BEFORE if began else None
    )
    failed = hearsay(snap, Failure, pod, lambda f: [f] if f.operation == "pre-stop" else [])

    def finding() -> Finding:
        names = [s.name for s in runs.hits]
        container, hook = next((c.name, c.pre_stop) for c in hooks.hits if c.pre_stop and c.name in names)
        return _make_finding(
            pod,
            container,
            hook,
            ahead.hits[0],
            snap,
            failed=bool(failed.value),
            process=next(iter(process.hits), None),
        )

    return Signs(
        applies=reports(pod, snap),
        necessary={
            "inside the grace period": ahead,
            "a container has a preStop hook": hooks,
            "that container still runs": runs,
        },
        decisive={"a process entered the container after the deletion": process},
        supporting={"its hook is not known to have ended": runs},
        finding=finding,
    )


def _make_finding(
    pod: Ref,
    container: str,
    hook: Handler,
    deletion: Deletion,
    snap: Facts,
    failed: bool,
    process: Proc | None,
) -> Finding:
    due = find_due_time(deletion)
    until, left = format_clock(due), due - snap.now
    what = " ".join(p for p in (hook.how, hook.what) if p)
    notes: list[Text] = []
    if process:
        notes.append(say("it is process {pid} ({comm}) on the node", pid=process.pid, comm=process.comm))
    if failed:
        notes.append(say("kubelet: a preStop hook failed"))
    if left <= max(_NEARLY, timedelta(seconds=(deletion.grace or 0) / 10)):
        span = format_duration(left)
        notes.append(say("it will be cut off in {span}: it hangs or needs more time", span=span))
    return Finding(
        say(
            "The preStop hook of container {hook} ({what}) is running; it has until {until}",
            hook=container,
            what=what,
            until=until,
        ),
        culprit=make_container_ref(pod, container),
        # The hook itself was seen, which explains that the Pod uses its grace period.
        blocks=(pod, make_period_ref(pod)) if process else (pod,),
        notes=tuple(notes),
        help=(
            _wait(until),
            Step(
                say(
                    "permanently: make the hook finish in time, or set a longer terminationGracePeriodSeconds"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("force delete now"),
                say("the hook's work would be lost"),
            ),
        ),
    )


def _wait(until: str) -> Step:
    return Step(
        say("wait: at {until} the kubelet kills the container, hook or not", until=until),
        verify=say("the Pod is deleted within seconds after that"),
    )


CAUSE = Cause(
    id="deletion.pre-stop-running",
    title=say("a preStop hook is still running"),
    subjects=("Pod",),
    stages=("grace-over",),
    reads=frozenset(
        {Deletion, Containers, ContainerStatuses, PodProcesses, Placement, Failure, Conditions, Lease}
    ),
    rule=_rule,
    intended=True,
)
