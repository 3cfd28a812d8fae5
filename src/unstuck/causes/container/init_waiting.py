"""An init container runs and does not end, so the others wait

## How it happens

Init containers run one after the other, and the next one starts when the one before has ended with 0. One
that loops until a server answers (`until nc -z db 5432; do sleep 2; done`, wait-for-it, `kubectl wait`) runs
forever if that server never comes: its Service has another name, no ready endpoint, or is in another
Namespace. A long copy or migration just needs its time. A sidecar (an init container with restartPolicy
Always) does not have to end, but if it has a startup probe the next ones wait until that succeeds: a mesh's
proxy that gets no configuration holds up the whole Pod.

## How to tell

The Pod shows `Init:0/1`, the init container is `running` since a while (of a sidecar: and not `started`),
without a failure: no Event, no restart. Its last log line names its dependency; if that is a Service, the API
shows whether it exists, and whether it has a ready endpoint.

## Known limits

It is seen to run, but its end cannot be predicted: if its log names no Service, this reports the Pod's stage
and quotes the line. A host outside of the cluster is not looked up.

## References

- Kubernetes documentation "Init Containers"; pkg/kubelet/kuberuntime/kuberuntime_container.go
  (computeInitContainerActions)
"""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.causes._commands import logs
from unstuck.causes.program._service import find_near_services, find_service, is_service_absent
from unstuck.diagnosis import given
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, format_duration
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Conditions, Names
from unstuck.facts.aspects.pod import (
    Complaint,
    Containers,
    ContainerStatus,
    ContainerStatuses,
    LastLines,
    Placement,
)
from unstuck.facts.aspects.services import ServicePods, ServiceSpec
from unstuck.facts.core import Ref, Want, quote_line
from unstuck.facts.derive.pods import find_container_spec, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.stages.waiting import reports

say = Messages(__name__)

# Most end sooner, and then there is no fault to report.
_LONG = timedelta(minutes=1)
_OF_A_SERVER: tuple[ProgramError, ...] = (
    "name-unanswered",
    "name-unresolved",
    "connection-refused",
    "connection-timed-out",
    "waits",
)


@record()
class _RunningInit(Record):
    """An init container that has been running for a while, and since when. sidecar: its startup probe has
    not succeeded yet.
    """

    container: str
    since: datetime
    sidecar: bool = False


def _rule(pod: Ref, snap: Facts) -> Signs:
    runs = some(
        snap, ContainerStatuses, pod, lambda f: [one for s in f.items if (one := _find_running(pod, s, snap))]
    )
    said = _find_server_complaint(pod, runs.hits[0].container, snap) if runs.hits else Sign[Complaint](None)
    service = _find_service_named(said.hits[0], pod) if said.hits else None
    missing = is_service_absent(service, snap) if service and _is_host(said.hits[0]) else Sign[Ref](None)
    nobody = _selects_nobody(service, snap) if service and not missing.value else Sign[Ref](None)
    absent = any_of((missing, nobody))
    return Signs(
        applies=reports(pod, snap),
        # An object in its log that the server does not have is shown with it.
        decisive={
            "an init container has been running for a while": runs._replace(
                seen=unique((*runs.seen, *absent.seen))
            )
        },
        finding=lambda: _make_finding(pod, runs.hits[0], said, service, missing, nobody, snap),
    )


def _find_running(pod: Ref, s: ContainerStatus, snap: Facts) -> _RunningInit | None:
    spec = find_container_spec(pod, s.name, snap) if s.kind == "sidecar" and s.started is False else None
    waits = s.kind == "init" or (spec is not None and spec.startup is not None)
    if not waits or s.state != "running" or s.since is None or snap.now - s.since < _LONG:
        return None
    return _RunningInit(s.name, s.since, s.kind == "sidecar")


def _find_server_complaint(pod: Ref, container: str, snap: Facts) -> Sign[Complaint]:
    return some(
        snap,
        LastLines,
        make_container_ref(pod, container),
        lambda f: [f.complaint] if f.complaint and f.complaint.error in _OF_A_SERVER else [],
    )


def _find_service_named(said: Complaint, pod: Ref) -> Ref | None:
    """Return the Service that the complaint names. `NAME.NAMESPACE` with the Pod's own Namespace is in the
    cluster.
    """
    name, _, within = said.name.partition(".")
    return find_service(name if within == pod.within else said.name, pod)


def _is_host(said: Complaint) -> bool:
    """Tell whether the word is a host's name: `waiting for database` need not mean one."""
    return said.error != "waits" or bool(said.port) or "." in said.name


def _selects_nobody(service: Ref, snap: Facts) -> Sign[Ref]:
    selects = some(snap, ServiceSpec, service, lambda f: [service] if f.selector and not f.outside else [])
    none = some(
        snap, ServicePods, service, lambda f: [service] if not any(b.ready for b in f.matched) else []
    )
    return all_of((selects, none))


def _make_finding(
    pod: Ref,
    one: _RunningInit,
    said: Sign[Complaint],
    service: Ref | None,
    missing: Sign[Ref],
    nobody: Sign[Ref],
    snap: Facts,
) -> Finding:
    name, span = one.container, format_duration(snap.now - one.since)
    runs = (
        say(
            (
                "sidecar {name} has been running for {span}, and its startup probe has not succeeded: the "
                "other containers start only then"
            ),
            name=name,
            span=span,
        )
        if one.sidecar
        else say(
            (
                "init container {name} has been running for {span}, and the other containers start only "
                "when it ends"
            ),
            name=name,
            span=span,
        )
    )
    goes_on = (
        say("its startup probe succeeds within its period")
        if one.sidecar
        else say("it ends within its next try")
    )
    line = _line(pod, name, said, snap)
    notes: tuple[Text, ...] = (say("it writes: {line}", line=line),) if line else ()
    help_: tuple[Step, ...] = (Step(say("read what it does or waits for"), command=logs(pod, name)),)
    culprit = pod
    if service is not None and missing.value:
        alike = find_near_services(service, snap)
        what = say(
            "; it waits for Service {service}, which does not exist in Namespace {space}",
            service=service.name,
            space=service.within,
        )
        notes += (say("did you mean {name}? That Service exists", name=alike[0]),) if alike else ()
        help_ = (
            Step(
                say("see which Services there are"),
                command=command("kubectl get services {space}", space=given.space(service)),
            ),
            Step(say("correct the name it waits for, or create the Service"), where="source", verify=goes_on),
        )
        culprit = service
    elif service is not None and nobody.value:
        what = say("; it waits for Service {service}, which has no ready Pods", service=service.name)
        look = ask_why(service)
        help_ = (Step(say("see the endpoints of the Service"), command=look, verify=goes_on),)
        culprit = service
    else:
        what = NO_TEXT
    return Finding(
        runs + what,
        culprit,
        unique((make_container_ref(pod, name), pod)),
        notes,
        help_,
        (_do_not(one),),
        _ask_further(pod, name, said, missing, nobody),
    )


def _do_not(one: _RunningInit) -> DoNot:
    if one.sidecar:
        return DoNot(say("remove its startup probe"), say("the others then start before it can serve them"))
    return DoNot(
        say("remove the init container"),
        say("what it prepares or waits for is then missing when the others start"),
    )


def _line(pod: Ref, container: str, said: Sign[Complaint], snap: Facts) -> str:
    """Return the line that names the dependency, else its complaint, else the last one."""
    seen = snap.of(LastLines, make_container_ref(pod, container))
    complaints = [f.complaint.line for f in seen if f.complaint]
    lines = [line for f in seen for line in f.lines if line.strip()]
    last = lines[-1].strip() if lines else ""
    return quote_line(said.hits[0].line if said.hits else complaints[0] if complaints else last)


def _ask_further(
    pod: Ref, container: str, said: Sign[Complaint], missing: Sign[Ref], nobody: Sign[Ref]
) -> tuple[Want, ...]:
    if not said.hits:
        return () if said.seen else (Want(LastLines, make_container_ref(pod, container)),)
    return (*missing.wants, *nobody.wants)


CAUSE = Cause(
    id="container.init-waiting",
    title=say("an init container runs and does not end, so the others wait"),
    subjects=("Pod",),
    stages=("init-done",),
    reads=frozenset(
        {
            Conditions,
            Containers,
            ContainerStatuses,
            LastLines,
            Lease,
            Names,
            Placement,
            ServicePods,
            ServiceSpec,
        }
    ),
    rule=_rule,
)
