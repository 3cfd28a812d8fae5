"""An object refers to another one that is not healthy

## How it happens

The object that does its work does not work: the Service behind an Ingress has no ready Pod, the API that a
HorizontalPodAutoscaler reads its metrics from is registered and does not respond, a route's Gateway is not
programmed. The object itself is as it should be.

## How to tell

The other object exists and is stuck, by its own conditions or because of its dependencies. If the cause of
that is known, it is reported instead of this one.

## Known limits

Services, APIs and Gateways are known to fail with their targets; a CustomResource that reports a fault is
assumed to wait for its broken targets. Its other functions may be unaffected.

## References

- Kubernetes API reference; gateway-api apis/v1; pkg/controller/podautoscaler/metrics
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, unique
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import ApiService, Backends, Workload
from unstuck.facts.aspects.deciders import Deciders
from unstuck.facts.aspects.disruption import DisruptionBudget
from unstuck.facts.aspects.objects import Conditions, Deletion, Labels, Owners, Presence, Touches
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.aspects.refusals import ForbiddenRequests
from unstuck.facts.aspects.reported import Remarks, Reported, Switches
from unstuck.facts.aspects.services import ServicePods, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.named import find_awaited_resources
from unstuck.stages.references import find_references, is_target_stuck
from unstuck.stages.reported_state import list_own_words
from unstuck.stages.state import judge_state_alone

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    named = unique(
        (*(r for r in find_references(subject, snap) if r.serves), *find_awaited_resources(subject, snap))
    )
    not_well = (
        any_of([is_target_stuck(one, snap, lambda target: judge_state_alone(target, snap)) for one in named])
        if named
        else Sign[Reference](False)
    )
    return Signs(
        necessary={"what it refers to is there, and is stuck": not_well},
        # Only the other object's own cause can show whether that is the whole fault.
        decisive={},
        supporting={"it works no better than what it refers to": not_well},
        finding=lambda: _make_finding(subject, not_well.hits[0], snap),
    )


def _make_finding(subject: Ref, one: Reference, snap: Facts) -> Finding:
    target = snap.canon(one.to)
    words = list_own_words(target, snap)
    said = words[0].message or words[0].reason if words else ""
    return Finding(
        say(
            "{subject} refers to {target} in {field}, and that is not well",
            subject=who(subject),
            target=who(target),
            field=one.field,
        ),
        culprit=target,
        blocks=(subject,),
        notes=(say("it says: {said}", said=said),) if said else (),
        help=(
            Step(
                say("see the status of {target}, and what is behind it", target=who(target)),
                command=command(
                    "kubectl describe {target} {space}", target=given.of(target), space=given.space(target)
                ),
                verify=say("once that is well, {subject} recovers automatically", subject=who(subject)),
            ),
        ),
    )


CAUSE = Cause(
    id="reference.target-not-well",
    title=say("an object that it refers to is not healthy"),
    subjects=("*",),
    reads=frozenset(
        {
            *(References, Presence, Deletion, Workload, Conditions, Reported, Touches, Owners, Switches),
            *(
                ServiceSpec,
                ServicePods,
                Backends,
                ApiService,
                ForbiddenRequests,
                Labels,
                DisruptionBudget,
                Deciders,
                Remarks,
            ),
        }
    ),
    rule=_rule,
    fallback=True,
)
