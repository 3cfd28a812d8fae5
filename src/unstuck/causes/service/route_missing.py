"""No Ingress has the host and path that were asked for

## How it happens

An Ingress controller answers with its default backend: no Ingress of its class has the host and path of the
request, it has another host name than the one that was asked for, or its `ingressClassName` is another
controller's, so this one does not serve it.

## How to tell

`default backend - 404`, the whole answer of ingress-nginx' default backend.

## Known limits

Its evidence is the message alone: it is never more than likely.

## References

- ingress-nginx defaultbackend (server.go); Kubernetes documentation "Ingress", "IngressClass"
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.causes.service._gateway import SEE_ROUTES
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "route-missing", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    means = say("the Ingress controller is reached, and no Ingress of its class has this host and path")
    remedy = mend(say("give an Ingress this host and path, and the ingressClassName of this controller"))
    return make_finding(text, one, means, (SEE_ROUTES, remedy))


CAUSE = Cause(
    id="service.route-missing",
    title=say("no Ingress has the host and path that were asked for"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
