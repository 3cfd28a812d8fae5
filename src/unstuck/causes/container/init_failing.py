"""An init container keeps failing, so the others never start

## How it happens

Init containers run one after the other, and each must end with 0 before the next one starts. One of them ends
with an error: a migration that fails, a script that waits for a service and gives up, a missing right on a
volume. The kubelet starts it again with growing pauses; with restartPolicy Never the Pod is Failed.

## How to tell

The Pod shows `Init:Error` or `Init:CrashLoopBackOff`, which alone makes this possible; the status of the init
container has an exit code other than 0, and the Pod's own containers wait with PodInitializing.

## Known limits

This gives the Pod's stage. The reason why that container ends (its own error, memory, a missing command) is a
separate cause above this one, if it is known. A sidecar (an init container with restartPolicy Always) is none
of these.

## References

- Kubernetes documentation "Init Containers"; pkg/kubelet/kuberuntime/kuberuntime_container.go
  (computeInitContainerActions)
"""

from __future__ import annotations

from unstuck.causes._commands import logs, show_previous_log
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pod import Containers, ContainerStatus, ContainerStatuses
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_DOWN = ("CrashLoopBackOff", "RunContainerError", "StartError")


def _rule(pod: Ref, snap: Facts) -> Signs:
    asked = snap.one(Containers, pod)
    never = asked is not None and asked.restart == "Never"
    failing = some(snap, ContainerStatuses, pod, lambda f: [s for s in f.items if _fails(s)])
    twice = hearsay(
        snap, ContainerStatuses, pod, lambda f: [s for s in f.items if _fails(s) and (s.restarts or never)]
    )
    # A table's column shows that an init container is down, but not how it ended.
    shown = hearsay(snap, ContainerStatuses, pod, lambda f: [s for s in f.items if _lies_down(s)])
    open_: Sign[ContainerStatus] = Sign(None, wants=(Want(Containers, pod), Want(ContainerStatuses, pod)))
    return Signs(
        necessary={"an init container ended with an error and is not restarted yet": failing},
        decisive={
            "it has been started more than once, or is not started again": twice if twice.value else open_
        },
        supporting={
            "its status says so": failing
            if failing.value or not shown.hits
            else Sign(None, shown.hits, shown.seen)
        },
        finding=lambda: _make_finding(pod, (*twice.hits, *failing.hits)[0], never),
    )


def _lies_down(s: ContainerStatus) -> bool:
    """Tell whether a status without a recorded end means that the container is down after an earlier end."""
    return s.kind == "init" and not (s.ended or s.last) and s.reason in ("CrashLoopBackOff", "Error")


def _fails(s: ContainerStatus) -> bool:
    end = s.ended or (s.last if s.reason in _DOWN else None)
    return s.kind == "init" and end is not None and end.code != 0


def _make_finding(pod: Ref, s: ContainerStatus, never: bool) -> Finding:
    end = s.ended or s.last
    code = end.code if end else 0
    reason = f" ({end.reason})" if end and end.reason not in ("", "Error") else ""
    return Finding(
        say(
            "init container {s} exits with code {code}{reason}, so the Pod's containers do not start",
            s=s.name,
            code=code,
            reason=reason,
        ),
        # The cause of that container's end blocks this Pod too, and so explains this.
        culprit=pod,
        blocks=(pod,),
        notes=(say("restarted {restarts} times", restarts=s.restarts),) if s.restarts else (),
        help=(
            Step(
                say("read its log from before it exited"),
                command=logs(pod, s.name) if s.ended else show_previous_log(pod, s.name),
            ),
            Step(
                say("fix the problem it reports, and recreate the Pod: this one will not start again")
                if never
                else say("fix the problem it reports; the kubelet restarts it within 5 min"),
                where="source",
                verify=say("the init container exits with 0, and the next one starts"),
            ),
        ),
        do_not=(
            DoNot(
                say("remove the init container as a workaround"),
                say("the setup it does (a schema, files, start order) is then missing"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.init-failing",
    title=say("an init container keeps failing, so the others never start"),
    subjects=("Pod",),
    stages=("init-done",),
    reads=frozenset({ContainerStatuses, Containers}),
    rule=_rule,
)
