"""A proxy or gateway has no ready backend

## How it happens

A proxy, an Ingress controller, a mesh's sidecar or the API server's own proxy answers by itself, usually with
status 503: the Service that a route leads to has no ready Pod behind it, its selector matches none, or no
Service of that name exists.

## How to tell

`503 Service Temporarily Unavailable` of nginx, `no healthy upstream` of Envoy, `no available server` of
Traefik, `No server is available to handle this request` of HAProxy, and `no endpoints available for service
"NAME"` of the API server.

## Known limits

Its evidence is the message alone: it is never more than likely. A program may answer with 503 itself; then
the page or the headers are its own.

## References

- nginx src/http/ngx_http_special_response.c; Envoy source/common/router/router.cc; Kubernetes
  pkg/registry/core/service/storage/storage.go
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.causes.service._gateway import SEE_ROUTES, see_endpoints
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "backend-missing", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    means = (
        say("Service {name} has no ready endpoints", name=name)
        if name
        else say("the Service that the route leads to has no ready endpoints, or does not exist")
    )
    remedy = mend(
        say("make its Pods ready, or correct the Service's selector, or the name and port in the route")
    )
    return make_finding(
        text,
        one,
        means,
        (*((SEE_ROUTES,) if not name else ()), see_endpoints(name, one.complaint.namespace), remedy),
    )


CAUSE = Cause(
    id="service.backend-missing",
    title=say("a proxy or gateway has no ready backend"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
