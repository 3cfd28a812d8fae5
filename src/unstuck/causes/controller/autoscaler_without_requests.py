"""A HorizontalPodAutoscaler has no request to measure against

## How it happens

A target in per cent is a share of the containers' requests. If one container, even an injected sidecar, has
no request for that resource, the share of the whole Pod is unknown: the autoscaler does not scale.

## How to tell

`missing request for cpu in container … of Pod …`, `failed to get cpu utilization: missing request for cpu`.

## Known limits

Its evidence is the message alone: it is never more than likely. Older versions do not name the container.

## References

- Kubernetes pkg/controller/podautoscaler/replica_calculator.go; documentation: Horizontal Pod Autoscaling
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "request-unset", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = (
        say(
            (
                "container {container} of Pod {pod} requests no {resource}, so its autoscaler cannot tell a "
                "share of it"
            ),
            container=c.name,
            pod=c.path,
            resource=c.resource,
        )
        if c.name
        else say(
            "a container of its target requests no {resource}, so the autoscaler cannot tell a share of it",
            resource=c.resource,
        )
    )
    look = Step(
        say("see what each container requests, injected sidecars too"),
        command=command(
            "kubectl get pods -A -o "
            "'custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,REQUESTS:.spec.containers[*].resources.requests'"
        ),
    )
    step = Step(
        say(
            "set resources.requests.{resource} on every container of the template, or measure one container "
            "alone (type ContainerResource) or an amount (AverageValue)",
            resource=c.resource,
        ),
        where="source",
        verify=say("the autoscaler's condition ScalingActive becomes True"),
    )
    return make_finding(text, one, means, (look, step))


CAUSE = Cause(
    id="controller.autoscaler-without-requests",
    title=say("a HorizontalPodAutoscaler has no request to measure against"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
