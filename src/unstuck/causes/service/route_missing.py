"""No Ingress matches the requested host and path

## How it happens

An Ingress controller answers with its default backend: no Ingress of its class has the host and path of the
request, it has another host name than the requested one, or its `ingressClassName` is another controller's,
so this one does not serve it.

## How to tell

`default backend - 404`, the whole answer of ingress-nginx' default backend; in the controller's log `Ignoring
ingress because of error while validating ingress class`, with the Ingress' name.

## Known limits

Its evidence is the message alone: it is never more than likely.

## References

- ingress-nginx defaultbackend (server.go); Kubernetes documentation "Ingress", "IngressClass"
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.causes.service._gateway import SEE_ROUTES
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "route-missing", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    if one.complaint.name:
        return _make_ignored_finding(text, one)
    means = say("the Ingress controller is reached, and no Ingress of its class has this host and path")
    remedy = mend(say("give an Ingress this host and path, and the ingressClassName of this controller"))
    return make_finding(text, one, means, (SEE_ROUTES, remedy))


def _make_ignored_finding(text: Ref, one: ProgramMessage) -> Finding:
    """Return the finding of an Ingress that the controller leaves out by its class."""
    c = one.complaint
    ingress = Ref("Ingress", c.namespace or None, c.name)
    means = say(
        "the Ingress controller ignores Ingress {name}: it has no class, or another one than this controller "
        "serves",
        name=f"{c.namespace}/{c.name}" if c.namespace else c.name,
    )
    look = Step(
        say("compare its ingressClassName, or its annotation kubernetes.io/ingress.class, with the classes"),
        command=command(
            "kubectl get ingressclasses; kubectl get {it} {space} -o yaml",
            it=given.of(ingress),
            space=given.space(ingress),
        ),
    )
    step = mend(say("set spec.ingressClassName to a class of this controller, or make one class the default"))
    return make_finding(text, one, means, (step, look))


CAUSE = Cause(
    id="service.route-missing",
    title=say("no Ingress matches the requested host and path"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
