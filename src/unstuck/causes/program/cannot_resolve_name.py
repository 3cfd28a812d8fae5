"""The program ends because it cannot resolve a host name

## How it happens

The program connects to a host by its name, the name has no address, and the program gives up: the name of the Service is misspelled or was
changed, the Service lies in another Namespace (a short name is looked up in the Pod's own), it has not been created, a headless Service has
no Pod that is ready, a name outside of the cluster does not exist, or the DNS of the cluster does not answer.

## How to tell

The run ended with an error, nobody ended it, and its last lines say so in the words of its language: `no such host` (Go),
`UnknownHostException` (Java), `getaddrinfo ENOTFOUND` (Node.js), `Name or service not known` (glibc), `host not found in upstream` (nginx).
It is proven where the name is that of a Service in this cluster and the whole list of its Namespace has none of that name.

## Known limits

Of `NAME.NAMESPACE` nobody can tell whether the cluster or the world is meant: it stays likely, as every name of the world does. A line that
the program wrote some time before it ended for another reason reads the same; the last few lines alone are read.

## References

- Documentation "DNS for Services and Pods"; Go src/net/dnsclient_unix.go; glibc posix/gai_strerror-strs.h; nginx ngx_http_upstream.c
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, not_overcome
from unstuck.causes.program._service import near, no_service, service_of
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, alone, finding, told
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = told(pod, snap, "name-unresolved")
    services = [s for t in said.hits if (s := service_of(t.complaint.name, pod))]
    missing: Sign[Ref] = any_of([no_service(s, snap) for s in services]) if services else Sign(None)
    lone = alone(pod, snap, "name-unresolved")
    return Signs(
        necessary={"the last lines of a run that ended badly say that a name was not resolved": said},
        decisive={"the Namespace has no Service of this name": not_overcome(missing)},
        supporting={"its words are those of a resolver": said if said.value else lone},
        finding=lambda: _finding(pod, said.hits[0], missing, snap),
    )


def _finding(pod: Ref, one: ProgramMessage, missing: Sign[Ref], snap: Facts) -> Finding:
    name = one.complaint.name
    service = service_of(name, pod)
    what = (
        Text(f"it cannot resolve the name {name}", f"它无法解析名称 {name}")
        if name
        else Text("it cannot resolve a name", "它无法解析某个名称")
    )
    correct = mend(Text("correct the name in the program's settings", "在程序的配置中更正该名称"))
    if service is None or service not in missing.hits:
        return finding(pod, one, what, (*_look(service), correct))
    alike = near(service, snap)
    notes = (Text(f"did you mean {alike[0]}? That Service exists", f"是否应为 {alike[0]}？该 Service 存在"),) if alike else ()
    lacks = Text(
        f"; there is no Service {service.name} in Namespace {service.within}", f"；Namespace {service.within} 中没有 Service {service.name}"
    )
    return finding(pod, one, what + lacks, (*_look(service), correct), notes=notes, culprit=service)


def _look(service: Ref | None) -> tuple[Step, ...]:
    if service is None:
        return ()
    return (
        Step(
            Text("see which Services there are", "查看有哪些 Service"),
            command=command("kubectl get services {space}", space=given.space(service)),
        ),
    )


CAUSE = Cause(
    id="program.cannot-resolve-name",
    title=Text("the program ends because it cannot resolve a host name", "程序因无法解析主机名而退出"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Names},
    rule=_rule,
)
