"""The serviceName of a StatefulSet is no headless Service, and its Pods are looked up by another name

## How it happens

`serviceName` gives each Pod of a StatefulSet its name in the DNS: `NAME-0.SERVICE`. The API server does not
check that a Service of that name exists. If the Service has another name (`raft-hl` and `raft-headless`), the
Pods use a name for themselves that does not resolve and is in no list of members. A Service of that name
with a clusterIP gives its Pods no names either.

## How to tell

The last lines of the program name the Pod's subdomain, which is the StatefulSet's serviceName, and no Service
of its Namespace has that name; or they name one of its Pods by it, and the Service has a clusterIP.

## Known limits

The program's need for that name is inferred from its messages. An existing Service that selects no Pods is
service.selector-matches-nothing.

## References

- Kubernetes documentation "StatefulSets", Stable Network ID; core/v1 PodSpec.subdomain
"""

from __future__ import annotations

from unstuck.causes.container._ends import STAGES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, make_words_check
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import NO_TEXT, Messages, who
from unstuck.diagnosis.verdict import DoNot, Signs, Step
from unstuck.facts.aspects.objects import Names, Owners
from unstuck.facts.aspects.services import ServiceSpec
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_POD_NAME = regex(r"\b([a-z0-9](?:[a-z0-9-]*[a-z0-9])?-[0-9]{1,5})\.([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)")
_LABEL = regex(r"[a-z0-9]+(?:-+[a-z0-9]+)*")


def _match(
    pod: Ref, word: ContainerLine, settings: PodSettings, _: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    labels = [m[0] for line in (word.line, *word.fact.lines) for m in _LABEL.finditer(line)]
    of_set = any(f.controller and f.controller.kind == "StatefulSet" for f in snap.of(Owners, pod))
    if not of_set or not settings.subdomain or settings.subdomain not in _LABEL.findall(word.line):
        return None
    return some(
        snap,
        Names,
        Ref("ServiceList", pod.within),
        lambda f: (
            [_find_misfit(pod, word, settings.subdomain, f.names, labels)]
            if f.whole and settings.subdomain not in f.names
            else []
        ),
    )


def _find_misfit(
    pod: Ref, word: ContainerLine, name: str, services: tuple[str, ...], labels: list[str]
) -> Misfit:
    said = [s for s in services if s in labels]
    near = (*said, *pick_nearest(name, services))[:1]
    there = say("; Service {near} is there", near=near[0]) if near else NO_TEXT
    mend = (
        say(
            (
                "recreate the StatefulSet with serviceName {near}: the field cannot be changed; "
                "`--cascade=orphan` keeps its Pods meanwhile"
            ),
            near=near[0],
        )
        if near
        else say("create a headless Service {name} that selects its Pods", name=name)
    )
    return Misfit(
        of=pod,
        field="spec.subdomain",
        says=say(
            "{who} wrote “{line}”: the Pod is called {pod}.{name}, as serviceName of its StatefulSet is "
            "{name}, and the Namespace has no Service {name}{there}",
            who=word.title,
            line=word.quote,
            pod=pod.name,
            name=name,
            there=there,
        ),
        help=(
            Step(mend, where="source", verify=say("the Pods find each other by name")),
            Step(
                say("see which Services there are"),
                command=command("kubectl get services {space}", space=given.space(pod)),
            ),
        ),
        do_not=(
            DoNot(
                say("look for the fault in the cluster's DNS"),
                say("it answers what Services there are, and this one is not"),
            ),
        ),
    )


def _match_cluster_ip(
    pod: Ref, word: ContainerLine, settings: PodSettings, _: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    """Compare the kind of the Service with the names in a line: one with a clusterIP gives its Pods none."""
    service = Ref("Service", pod.within, settings.subdomain)
    names = [m[0] for m in _POD_NAME.finditer(word.line) if m[2] == settings.subdomain]
    if not settings.subdomain or not names:
        return None
    return some(
        snap,
        ServiceSpec,
        service,
        lambda f: [_find_cluster_ip(word, service, names[0], f.addresses[0])] if f.addresses else [],
    )


def _find_cluster_ip(word: ContainerLine, service: Ref, name: str, address: str) -> Misfit:
    return Misfit(
        of=service,
        field="spec.clusterIP",
        says=say(
            "{who} wrote “{line}”: {service}, the serviceName of its StatefulSet, has clusterIP {address}, "
            "and only a headless Service gives its Pods names such as {name}",
            who=word.title,
            line=word.quote,
            service=who(service),
            address=address,
            name=name,
        ),
        help=(
            Step(
                say(
                    "make {service} headless: its clusterIP cannot be changed, so that it has to "
                    "be deleted first, and meanwhile nobody reaches its address",
                    service=who(service),
                ),
                where="source",
                risk="disrupts",
                verify=say("the Pods find each other by name"),
            ),
            Step(
                say("see its clusterIP"),
                command=command(
                    "kubectl get {service} {space}", service=given.of(service), space=given.space(service)
                ),
            ),
        ),
    )


PAIRS = (
    Pair(
        "the Service that its Pods are called by has a clusterIP",
        "of-kind",
        ("Pod",),
        make_words_check(_match_cluster_ip),
        READS | {ServiceSpec},
    ),
    Pair(
        "the serviceName that its Pods are called by is no Service",
        "there",
        ("Pod",),
        make_words_check(_match),
        READS | {Names, Owners},
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.service-name-unlike",
    title=say("the serviceName of a StatefulSet is no headless Service"),
    subjects=("Pod",),
    stages=STAGES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
