"""A container's postStart hook fails, so the kubelet ends it

## How it happens

Right after the container's process is started the kubelet runs its `postStart` hook: a command in it, or an
HTTP request to it. The hook returns an error, its command is not in the image, or the program does not listen
yet (the hook does not wait for it). The kubelet kills the container and starts it again by its restart
policy.

## How to tell

`FailedPostStartHook` repeats, and the container waits with PostStartHookError or CrashLoopBackOff; its
process was ended by the kubelet's signal (137 or 143), not on its own.

## Known limits

Newer kubelets write only `PostStartHook failed`; the hook's message is in the container's status, and in the
kubelet's log. A program that ends at once takes the hook with it, which then fails as well: if it ended with
its own error (1 to 128), or the hook was killed (137), this is likely at most, and its log shows which came
first.

## References

- Kubernetes pkg/kubelet/kuberuntime/kuberuntime_container.go (startContainer),
  pkg/kubelet/lifecycle/handlers.go (1.34)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.causes._commands import show_previous_log
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# Neither a signal's number nor 0, with which many programs answer SIGTERM.
_OWN = range(1, 129)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        subject,
        snap,
        _is_match,
        lambda f: _make_finding(subject, f),
        decides=lambda f: not _may_end_by_itself(subject, f, snap),
    )


def _is_match(f: Failure) -> bool:
    return f.operation == "post-start"


def _may_end_by_itself(pod: Ref, f: Failure, snap: Facts) -> bool:
    """Tell whether the program may have ended first, and the hook with it: with its own error, or a killed
    hook, too.
    """
    ends = [
        e
        for facts in snap.of(ContainerStatuses, pod)
        for s in facts.items
        if s.name == f.container and (e := s.ended or s.last)
    ]
    return (
        f.error == "container-stopped" or "exited with 137" in f.message or any(e.code in _OWN for e in ends)
    )


def _make_finding(subject: Ref, f: Failure) -> Finding:
    who = say("container {container}", container=f.container) if f.container else say("a container")
    log = show_previous_log(subject, f.container)
    return Finding(
        say("the postStart hook of {who} fails, so the kubelet ends the container", who=who),
        culprit=make_container_ref(subject, f.container),
        blocks=(subject,),
        notes=_starting.quote(f),
        help=(
            Step(say("read the container's log from before it was stopped"), command=log),
            Step(
                say(
                    "fix the hook: its command must be in the image, must wait for the program itself, and "
                    "must exit with 0"
                ),
                where="source",
                verify=say("the container stays up"),
            ),
        ),
        do_not=(
            DoNot(
                say("end the hook's command with `|| true`"),
                say("its setup is then missing while the container looks healthy"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.post-start-failing",
    title=say("a container's postStart hook fails, so the kubelet ends it"),
    subjects=("Pod",),
    stages=_starting.CONTAINERS,
    reads=_starting.READS,
    rule=_rule,
)
