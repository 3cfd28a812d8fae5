"""A Service's selector matches no Pod

## How it happens

The labels in `spec.selector` differ from the Pods': a typing error, a label that a chart's release or version
changes in the template and not in the Service, a selector that was copied with one label too many, or Pods in
another Namespace, which a selector never reaches.

## How to tell

The Service has a selector, and no Pod of its Namespace has all of these labels. The Pods themselves may be
well: asked about one of them, or about its workload, the answer names a Service that was plainly meant for
it: its selector differs by a typing error (a letter, case, a separator), or it has the workload's name and a
label of its Pods.

## Known limits

A Service without a selector is served by the writer of its endpoints, and one of type ExternalName by a name:
neither is covered here. Finished Pods are not counted. A workload that would make such Pods and has none is
reported by service.scaled-to-none, or by the cause of their absence. The Pods that a Service is meant for are
not recorded anywhere: seen from a Pod it is likely at most.

## References

- Kubernetes documentation "Service"; pkg/controller/endpointslice
"""

from __future__ import annotations

from unstuck.causes._node_config import add_node_words
from unstuck.causes._told_by_node import NodeWords
from unstuck.causes.service._beside import (
    PODS,
    find_empty,
    find_services_beside,
    is_well,
    may_select_nobody,
)
from unstuck.causes.service._static_pods import READS as _STATIC_READS
from unstuck.causes.service._static_pods import tell_static_pod
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, only_yes, some
from unstuck.diagnosis.text import Messages, Text, join_texts, same_in_both, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Backends, Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Labels, Owners
from unstuck.facts.aspects.services import (
    Beside,
    Nearly,
    Pairs,
    ServicePods,
    ServicesBeside,
    ServiceSpec,
    ServiceWorkloads,
)
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_alike
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace

say = Messages(__name__)

# Fields of a Service's spec. Source: staging/src/k8s.io/api/core/v1/types.go (ServiceSpec).
_OWN_FIELDS = frozenset(
    {
        "allocateLoadBalancerNodePorts",
        "clusterIP",
        "externalIPs",
        "externalName",
        "externalTrafficPolicy",
        "healthCheckNodePort",
        "internalTrafficPolicy",
        "ipFamilies",
        "ipFamilyPolicy",
        "loadBalancerClass",
        "loadBalancerIP",
        "loadBalancerSourceRanges",
        "publishNotReadyAddresses",
        "sessionAffinity",
    }
)
_BY_HAND = DoNot(
    say("label the running Pods by hand"),
    say("their owner's next Pods do not have it, and a changed label may detach a Pod from its owner"),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _judge_service(subject, snap) if subject.kind == "Service" else _judge_pods(subject, snap)


def _judge_service(service: Ref, snap: Facts) -> Signs:
    selects: Sign[ServiceSpec] = some(
        snap, ServiceSpec, service, lambda f: [f] if f.selector and not f.outside else []
    )
    none = _selects_none(service, snap)
    spec = selects.hits[0] if selects.hits else None
    empty = find_empty(service, snap)
    shown, field = _find_nearly_selected(service, spec, empty, snap), _find_own_field(spec, empty)
    # service.scaled-to-none asks for the workloads.
    makers = some(snap, ServiceWorkloads, service, lambda f: [] if f.items else [f])
    return Signs(
        applies=may_select_nobody(service, snap),
        necessary={
            "it selects Pods by their labels": selects,
        },
        decisive={
            "no Pod of its Namespace has these labels, and no workload would make such Pods": all_of(
                (makers, none)
            )
        },
        supporting={
            "no Pod of its Namespace has these labels": none,
            "it has no endpoints, or a Pod that was shown has nearly these labels": shown,
            "it has no endpoints": empty,
            "it has no endpoints, and selects by a field of its own, which is no label": field,
        },
        finding=lambda: (
            _add_static_pod(
                _make_finding(
                    service,
                    selects.hits[0].selector,
                    _list_notes(service, none.hits[0]),
                    _find_maker(service, snap),
                    nobody=makers.value is True and not none.hits[0].total,
                    near=next(iter(none.hits[0].nearly), None),
                ),
                service,
                selects.hits[0].selector,
                snap,
                alone=makers.value is True,
            )
            if none.value
            else _make_finding_of_shown(service, selects.hits[0].selector, shown, field)
        ),
    )


def _add_static_pod(finding: Finding, service: Ref, selector: Pairs, snap: Facts, *, alone: bool) -> Finding:
    """Return the finding with the static Pod of a node that has the labels; its fix is the only one. alone:
    whether no workload would make such Pods.
    """
    told = tell_static_pod(service, selector, snap) if alone else NodeWords()
    found = add_node_words(finding, told)
    return replace(found, help=told.help, do_not=()) if told.help else found


def _find_nearly_selected(
    service: Ref, spec: ServiceSpec | None, empty: Sign[Backends], snap: Facts
) -> Sign[Nearly]:
    """Return the nearest Pods that a text shows: if the Service has no endpoints, or their labels differ from
    the wanted ones only in part.
    """
    wanted = dict(spec.selector) if spec else {}

    def near(f: ServicePods) -> list[Nearly]:
        return [
            n
            for n in f.nearly
            if not f.whole
            and (empty.hits or all(own and pick_alike(wanted.get(k, ""), (own,)) for k, own in n.differs))
        ]

    return only_yes(some(snap, ServicePods, service, near))


def _find_own_field(spec: ServiceSpec | None, empty: Sign[Backends]) -> Sign[str]:
    """Find a key of the selector that is the name of a field of Services: a chart wrote it one level too
    deep.
    """
    keys = [k for k, _ in spec.selector if k in _OWN_FIELDS] if spec else []
    return Sign(True, tuple(keys), empty.seen) if keys and empty.hits else Sign(None)


def _make_finding_of_shown(service: Ref, selector: Pairs, shown: Sign[Nearly], field: Sign[str]) -> Finding:
    """Return the finding from some of the Pods, as a text shows them, or from the selector alone."""
    labels = ",".join(f"{k}={v}" for k, v in selector)
    says = say("Service {service} selects {labels}", service=service.name, labels=labels)
    if field.value:
        says += say(
            ", and {field} is a field of the Service's spec, which no Pod has as a label", field=field.hits[0]
        )
    for pod in shown.hits[:1]:
        says += say("; Pod {pod} has {has}", pod=pod.name, has=_differs(pod.differs))
    return Finding(
        says,
        culprit=service,
        blocks=(),
        notes=tuple(_near(n) for n in shown.hits[1:]),
        help=_list_steps(service, near=next(iter(shown.hits), None)),
        do_not=(_BY_HAND,),
    )


def _judge_pods(subject: Ref, snap: Facts) -> Signs:
    """Judge from healthy Pods: it is certain that the Service selects no Pod, but not that it was meant for
    these.
    """
    meant = find_services_beside(subject, snap, lambda b: bool(b.differs))
    none = {b: _selects_none(b.service, snap) for b in meant.hits}
    lost = [b for b, sign in none.items() if sign.value]
    return Signs(
        applies=is_well(subject, snap),
        necessary={
            "a Service clearly meant for them selects no Pod at all": any_of([*none.values()])
            if none
            else meant
        },
        # Only the Service's author could confirm that it was meant for these Pods.
        decisive={},
        supporting={"its labels are nearly the same as theirs, or it has the name of their workload": meant},
        finding=lambda: _make_finding(
            lost[0].service,
            lost[0].selector,
            (_name_these(subject, lost[0]),),
            _find_maker(lost[0].service, snap),
        ),
        of_well=True,
    )


def _selects_none(service: Ref, snap: Facts) -> Sign[ServicePods]:
    return some(snap, ServicePods, service, lambda f: [f] if f.whole and not f.matched else [])


def _name_these(subject: Ref, service: Beside) -> Text:
    has = _differs(service.differs)
    if subject.kind == "Pod":
        return say("{subject} has {has}, and gets no traffic through this Service", subject=subject, has=has)
    return say(
        "the Pods of {subject} have {has}, and get no traffic through this Service", subject=subject, has=has
    )


def _list_notes(service: Ref, pods: ServicePods) -> tuple[Text, ...]:
    if not pods.total:
        return (say("Namespace {within} has no Pod at all", within=service.within),)
    return tuple(_near(n) for n in pods.nearly)


def _find_maker(service: Ref, snap: Facts) -> Ref | None:
    """Return the object whose controller made the Service; None if it was written by hand, or if that is
    unknown.
    """
    return next((snap.canon(f.controller) for f in snap.of(Owners, service) if f.controller), None)


def _make_finding(
    service: Ref,
    selector: Pairs,
    notes: tuple[Text, ...],
    maker: Ref | None,
    *,
    nobody: bool = False,
    near: Nearly | None = None,
) -> Finding:
    """Return the finding. nobody: the Namespace has no Pod and no template, so that there is no label to
    match. near: the Pod with nearly these labels.
    """
    labels = ",".join(f"{k}={v}" for k, v in selector)
    if maker:
        # Its controller writes the selector, and makes the Pods as well.
        return Finding(
            say(
                (
                    "Service {service} selects {labels}, and no Pod has these labels: {maker}, which it was "
                    "made for, has no such Pods"
                ),
                service=service.name,
                labels=labels,
                maker=who(maker),
            ),
            culprit=service,
            blocks=(),
            notes=notes,
            help=(
                Step(
                    say("see why {maker} has no Pods: its status, and its controller", maker=who(maker)),
                    command=command(
                        "kubectl describe {maker} {space}", maker=given.of(maker), space=given.space(maker)
                    ),
                    verify=say("kubectl get endpointslices lists the Pods' addresses"),
                ),
            ),
            do_not=(
                DoNot(
                    say("change the selector, or label Pods by hand"),
                    say(
                        "the controller of {maker} writes it back, and other Pods would answer in its name",
                        maker=who(maker),
                    ),
                ),
            ),
        )
    return Finding(
        say(
            "Service {service} selects {labels}, and no Pod has these labels",
            service=service.name,
            labels=labels,
        ),
        culprit=service,
        blocks=(),
        notes=notes,
        help=_list_steps(service, nobody=nobody, near=near),
        do_not=() if nobody else (_BY_HAND,),
    )


def _list_steps(service: Ref, *, nobody: bool = False, near: Nearly | None = None) -> tuple[Step, ...]:
    """Return the steps. near: the Pod that is probably meant, None without one."""
    meant = near is not None and all(value for _, value in near.differs)
    match = (
        say(
            "if Pod {pod} is meant: set {labels} in the Service's selector; if not: give the labels of the "
            "selector to the template of the Pods that are meant",
            pod=near.name,
            labels=_differs(near.differs),
        )
        if near is not None and meant
        else say("make the selector and the Pod template's labels match, in their source")
    )
    return (
        Step(
            say("see the Pods' labels"),
            command=command("kubectl get pods {space} --show-labels", space=given.space(service)),
        ),
        Step(
            say(
                "find out what made Pods with these labels (a workload that was deleted or never applied, or "
                "the file of a static Pod on its node), and bring that back"
            )
            if nobody
            else match,
            where="source",
            verify=say("kubectl get endpointslices lists the Pods' addresses"),
        ),
    )


def _near(pod: Nearly) -> Text:
    has = _differs(pod.differs)
    return say("closest is Pod {pod}: it has {has}", pod=pod.name, has=has)


def _differs(labels: Pairs) -> Text:
    return join_texts(same_in_both(f"{k}={v}") if v else say("no {key}", key=k) for k, v in labels)


CAUSE = Cause(
    id="service.selector-matches-nothing",
    title=say("a Service's selector matches no Pod"),
    subjects=("Service", *PODS),
    reads=frozenset(
        {
            Backends,
            Labels,
            ServiceSpec,
            ServicePods,
            ServicesBeside,
            ServiceWorkloads,
            Conditions,
            Deletion,
            Owners,
            Workload,
        }
    )
    | _STATIC_READS,
    rule=_rule,
)
