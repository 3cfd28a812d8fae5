"""A proxy or gateway gets no valid answer from the backend

## How it happens

A proxy reaches an address behind the Service, and the connection is refused, cut, or uses another protocol
than expected: the Service's targetPort is not the program's port, the program serves HTTPS and is asked for
HTTP (or the other way round), or it ends while it answers.

## How to tell

`502 Bad Gateway` of nginx, `upstream connect error or disconnect/reset before headers` of Envoy, `The server
returned an invalid or incomplete response` of HAProxy.

## Known limits

Its evidence is the message alone: it is never more than likely, and the gateway's own log shows which of the
three it is. If Envoy was connected and only reports that the connection was reset or terminated, the reason
stays open.

## References

- nginx src/http/ngx_http_special_response.c; Envoy source/common/http/utility.cc (resetReasonToString)
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.causes.service._gateway import SEE_LOG, SEE_ROUTES
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)


# Envoy source/common/http/utility.cc (resetReasonToString): it was connected, and the later course is not
# given.
_CUT = regex(r"^(?:(?:remote |local )?reset|connection termination)\W{0,3}$")
_COMPARE = Step(
    say(
        "compare the two sides: mTLS (PeerAuthentication and DestinationRule), the port's protocol, and "
        "whether the server's Pods are ready or just ended"
    )
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "backend-broken", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    if _CUT.match(one.complaint.reason):
        cut = say(
            "the server's side cut the connection before it answered ({why}); these words do not say why",
            why=one.complaint.reason,
        )
        look = Step(
            say(
                "read the log of the proxy beside the server, too: its response flags (UC, UF, UPE, URX) "
                "say who cut it, and over what"
            ),
            command=command("kubectl logs -n NAMESPACE pod/POD -c istio-proxy --tail=50"),
        )
        return make_finding(text, one, cut, (look, _COMPARE))
    means = say(
        "the gateway reached an address behind the Service, and its connection was "
        "refused, cut, or not understood"
    )
    if one.complaint.reason:
        means = say("the gateway gets no answer from the backend: {why}", why=one.complaint.reason)
    remedy = mend(
        say(
            "set the Service's targetPort to the port the program listens on, name its protocol in the route "
            "(HTTP, HTTPS, gRPC), or see why the program ends"
        )
    )
    return make_finding(text, one, means, (SEE_LOG, SEE_ROUTES, remedy))


CAUSE = Cause(
    id="service.backend-broken",
    title=say("a proxy or gateway gets no valid answer from the backend"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
