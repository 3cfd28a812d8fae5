"""A container's postStart hook has not returned, so the container does not count as started

## How it happens

Right after the container's process is started the kubelet runs its `postStart` hook and waits for it, without
a limit: a loop until another server answers, a command that stays in the foreground, an unanswered HTTP
request. Until then it starts no further container of the Pod and runs no probe of this one, and no failure is
reported.

## How to tell

The Event `Started container NAME` exists, and the container's status is still `waiting` with
ContainerCreating or PodInitializing: the kubelet reports it when the hook has ended. The container has a
`postStart` hook in its spec. On the Node the container has a process that entered it from outside.

## Known limits

A kubelet that hangs, or whose status updates are refused, shows the same in the API: this is likely at most
before the hook's process was seen. A hook that is a request has no process.

## References

- Kubernetes documentation "Container Lifecycle Hooks"; pkg/kubelet/kuberuntime/kuberuntime_container.go
  (startContainer, 1.34)
"""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.causes._commands import logs
from unstuck.causes._hooks import find_hook_process
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay, only_yes, some
from unstuck.diagnosis.text import Messages, format_duration
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import PodProcesses, Proc
from unstuck.facts.aspects.objects import Conditions, Event, Events
from unstuck.facts.aspects.pod import Containers, ContainerSpec, ContainerStatuses, Handler, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.stages.waiting import reports

say = Messages(__name__)

# Most hooks return sooner.
_LONG = timedelta(seconds=30)
_SLACK = timedelta(seconds=2)
_NOT_REPORTED = ("ContainerCreating", "PodInitializing")
_ENDS = ("FailedPostStartHook", "Killing", "BackOff", "Failed")


@record()
class _Begun(Record):
    """A container with a hook that was started, and when."""

    container: str
    hook: Handler
    at: datetime


def _rule(pod: Ref, snap: Facts) -> Signs:
    hooks = some(snap, Containers, pod, lambda f: [c for c in f.items if c.post_start])
    names = {c.name for c in hooks.hits}
    waiting = some(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [
            s for s in f.items if s.name in names and s.state == "waiting" and s.reason in _NOT_REPORTED
        ],
    )
    waits = waiting if hooks.value else Sign[object](None, wants=waiting.wants)
    open_ = {s.name for s in waiting.hits}
    told = tuple(e for f in snap.of(Events, pod) for e in f.items)
    begun = hearsay(
        snap,
        Events,
        pod,
        lambda f: [b for c in hooks.hits if c.name in open_ and (b := _hook_start(c, f.items, told, snap))],
    )
    began = min((b.at for b in begun.hits), default=None)
    process = find_hook_process(pod, snap, [b.hook for b in begun.hits], began - _SLACK if began else None)
    return Signs(
        applies=reports(pod, snap),
        necessary={"a container has a postStart hook": hooks, "its status does not say that it runs": waits},
        decisive={"a process entered the container after its start": process},
        supporting={"it was started a while ago": only_yes(begun)},
        finding=lambda: _make_finding(pod, begun.hits[0], next(iter(process.hits), None), snap),
    )


def _hook_start(
    spec: ContainerSpec, events: tuple[Event, ...], told: tuple[Event, ...], snap: Facts
) -> _Begun | None:
    """Return the last start, if it is a while ago and no end was reported since. told: every report about
    the Pod.
    """
    started = max(
        (e.last for e in events if e.reason == "Started" and e.last and _names(e, spec.name)), default=None
    )
    if (
        spec.post_start is None
        or started is None
        or snap.now - started < _LONG
        or any(e.reason in _ENDS and e.last and e.last >= started for e in told)
    ):
        return None
    return _Begun(spec.name, spec.post_start, started)


def _names(event: Event, container: str) -> bool:
    return container in event.message.replace('"', " ").split()


def _make_finding(pod: Ref, one: _Begun, process: Proc | None, snap: Facts) -> Finding:
    what = " ".join(part for part in (one.hook.how, one.hook.what) if part)
    span = format_duration(snap.now - one.at)
    notes = (
        (say("it is process {pid} ({comm}) on the node", pid=str(process.pid), comm=process.comm),)
        if process
        else ()
    )
    return Finding(
        say(
            (
                "the postStart hook ({what}) of container {name} has not returned since {span}, so the "
                "container does not count as started"
            ),
            what=what,
            name=one.container,
            span=span,
        ),
        culprit=make_container_ref(pod, one.container),
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                say("read the container's log; a hook's own output is not kept"),
                command=logs(pod, one.container),
            ),
            Step(
                say(
                    "make the hook finish: with a timeout, in the background, or as an init container or "
                    "sidecar instead"
                ),
                where="source",
                verify=say("the container is Running within seconds of its start"),
            ),
        ),
        do_not=(
            DoNot(
                say("restart the kubelet to end the wait"),
                say("the hook runs again with the next container, so its finished part may be done twice"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.post-start-running",
    title=say("a container's postStart hook has not returned, so the container does not count as started"),
    subjects=("Pod",),
    stages=(),
    reads=frozenset({Conditions, Containers, ContainerStatuses, Events, Lease, Placement, PodProcesses}),
    rule=_rule,
)
