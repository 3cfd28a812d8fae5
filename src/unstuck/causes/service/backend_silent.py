"""A proxy or gateway gets no response from the backend in time

## How it happens

A proxy passes a request on, and no answer comes in the time that it waits: the program is too slow or hangs,
or packets to it are dropped (a NetworkPolicy, a firewall, a Pod that is gone while its address is still in
use).

## How to tell

`504 Gateway Time-out` of nginx, `upstream request timeout` of Envoy, `The server didn't respond in time` of
HAProxy.

## Known limits

Its evidence is the message alone: it is never more than likely. A request from another Pod shows whether the
program is slow or unreachable.

## References

- nginx src/http/ngx_http_special_response.c; Envoy source/common/router/router.cc
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.causes.service._gateway import SEE_LOG, SEE_ROUTES
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "backend-silent", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    means = say("the gateway passed the request on, and no answer came in the time that it waits")
    remedy = mend(
        say(
            "make the program answer sooner, let the gateway wait longer where slow answers are right, or "
            "open the way to the Pods"
        )
    )
    return make_finding(text, one, means, (SEE_LOG, SEE_ROUTES, remedy))


CAUSE = Cause(
    id="service.backend-silent",
    title=say("a proxy or gateway gets no response from the backend in time"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
