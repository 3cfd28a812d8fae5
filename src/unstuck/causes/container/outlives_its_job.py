"""A container beside a Job's work never ends, so the Pod and the Job never finish

## How it happens

A Pod that is to end has finished when all its containers have. A helper beside the work (a database's proxy,
a mesh's proxy, a log shipper) is a server: it does not know that the work is done, and runs on. The Job stays
active, its Pod keeps its room, and a CronJob that forbids concurrency starts no more Jobs.

## How to tell

The Pod is not restarted (`restartPolicy` Never or OnFailure), a container of it has ended with exit code 0,
none has failed, and another has been running for more than a minute since. It is likely if every running
container is a server, as it declares a port or has a probe; without either, one of two workers may just be
done first.

## Known limits

Whether the running container still works for the Job is not looked up: it stays likely. Sidecars that are
init containers with `restartPolicy: Always` are ended by the kubelet, and are not covered.

## References

- Kubernetes documentation "Sidecar Containers", "Jobs with sidecar containers"; KEP-753
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, format_duration, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.aspects.pod import Containers, ContainerStatus, ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

_ENDS = ("Never", "OnFailure")
_SLACK = timedelta(minutes=1)


@record()
class _Outlived(Record):
    """The finished containers, and the running ones."""

    done: tuple[ContainerStatus, ...]
    on: tuple[ContainerStatus, ...]


def _rule(pod: Ref, snap: Facts) -> Signs:
    ends = some(snap, Containers, pod, lambda f: [f] if f.restart in _ENDS else [])
    outlived = some(snap, ContainerStatuses, pod, lambda f: _find_outlived(f, snap))
    servers = bool(outlived.value) and all(_is_server(pod, s, snap) for s in outlived.hits[0].on)
    return Signs(
        necessary={
            "its containers are not started again once they are done": ends,
            "one of them has finished, and another is still running": outlived,
        },
        # Its purpose is known only to its author.
        decisive={},
        supporting={
            "what runs on is a server": outlived if servers else Sign(None, outlived.hits, outlived.seen)
        },
        finding=lambda: _make_finding(pod, outlived.hits[0], snap),
    )


def _find_outlived(fact: ContainerStatuses, snap: Facts) -> list[_Outlived]:
    main = [s for s in fact.items if s.kind == "main"]
    done = tuple(s for s in main if s.ended and s.ended.code == 0)
    on = tuple(s for s in main if s.state == "running")
    ended = max((s.ended.finished for s in done if s.ended and s.ended.finished), default=None)
    whole = len(done) + len(on) == len(main)
    return [_Outlived(done, on)] if done and on and whole and ended and snap.now - ended > _SLACK else []


def _is_server(pod: Ref, status: ContainerStatus, snap: Facts) -> bool:
    """Tell whether it serves requests, and so does not end on its own."""
    spec = find_container_spec(pod, status.name, snap)
    return spec is not None and bool(spec.ports or spec.liveness or spec.readiness or spec.startup)


def _make_finding(pod: Ref, found: _Outlived, snap: Facts) -> Finding:
    done, on = list_names(s.name for s in found.done), list_names(s.name for s in found.on)
    job = next((snap.canon(f.controller) for f in snap.of(Owners, pod) if f.controller), None)
    ended = max((s.ended.finished for s in found.done if s.ended and s.ended.finished), default=snap.now)
    owner = (job,) if job else ()
    first = found.on[0].name
    return Finding(
        say(
            "{n:container|containers} {done} {n:has|have} done {n:its|their} work, {m:container|containers} "
            "{on} {m:runs|run} on beside it, and the Pod ends only once all of them do",
            n=len(found.done),
            m=len(found.on),
            done=done,
            on=on,
        ),
        culprit=make_container_ref(pod, first),
        blocks=(pod, *owner),
        notes=(
            say(
                "{done} ended {span} ago with exit code 0", done=done, span=format_duration(snap.now - ended)
            ),
        ),
        help=(
            Step(
                say(
                    "make {on} an init container with restartPolicy Always (a sidecar, from Kubernetes 1.29 "
                    "on), or have the main container stop it when the work is done",
                    on=on,
                ),
                where="source",
                verify=say("the Pod of the next run is Completed soon after its work is done"),
            ),
            Step(
                say("see what {first} still does", first=first),
                command=command(
                    "kubectl logs {space} {pod} --container={container} --tail=20",
                    space=given.space(pod),
                    pod=given.of(pod),
                    container=given.container(first),
                ),
            ),
        ),
        do_not=(
            DoNot(
                say("set concurrencyPolicy to Allow"),
                say("each run would leave one more Pod that never ends"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.outlives-its-job",
    title=say("a container beside a Job's work does not end, so the Job does not complete"),
    subjects=("Pod",),
    stages=("ready", "stays-up"),
    reads=frozenset({Containers, ContainerStatuses, Owners}),
    rule=_rule,
)
