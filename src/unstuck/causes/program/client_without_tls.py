"""A client speaks plain HTTP to a port that speaks TLS

## How it happens

The server takes TLS only, and the client uses an address with `http://`: a probe without `scheme: HTTPS`, a
scraper, an Ingress or a proxy that is not configured for a TLS backend.

## How to tell

`client sent an HTTP request to an HTTPS server` in the server's log, with the client's address; at the
client's end `malformed HTTP response`, or 400 with `plain HTTP request was sent to HTTPS port`.

## Known limits

Only its address identifies the client: a Node's is mostly the kubelet's, with a probe. It is never more than
likely.

## References

- Go src/net/http/server.go (`tlsRecordHeaderLooksLikeHTTP`); documentation "Configure Liveness, Readiness and
  Startup Probes" (`scheme`)
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    make_finding,
    write_address,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_BY_SERVER = "from"


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("tls-wanted",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    server = write_address(one.complaint)
    if one.complaint.verb == _BY_SERVER:
        means = say(
            "{client} speaks plain HTTP to this HTTPS server; if that is the address of a Node, it is "
            "probably the kubelet, whose probe lacks scheme: HTTPS",
            client=one.complaint.name,
        )
        look = Step(
            say("see whose address {client} is, a Node's or a Pod's", client=one.complaint.name),
            command=command("kubectl get nodes,pods -A -o wide"),
        )
    else:
        means = (
            say("{server} is an HTTPS server, and the client speaks plain HTTP to it", server=server)
            if server
            else say("a client speaks plain HTTP to an HTTPS server")
        )
        look = Step(
            say("see which scheme the probes use"),
            command=command("kubectl get pods -A -o yaml | grep -n -A6 -e httpGet:"),
        )
    step = mend(
        say(
            "have the client use https: scheme: HTTPS in the probe's httpGet or the scraper's settings, "
            "https:// in the address, the annotation for the backend's protocol on an Ingress"
        )
    )
    return make_finding(pod, one, means, (step, look))


CAUSE = Cause(
    id="program.client-without-tls",
    title=say("a client speaks plain HTTP to a port that speaks TLS"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
