"""A certificate authority's challenge is not answered correctly

## How it happens

For a certificate cert-manager has to show that the name is its own: by an answer at
`http://NAME/.well-known/acme-challenge/…` (HTTP-01) or a TXT record (DNS-01). It looks itself first. Another
server answers at the name: another Ingress or controller, for the solver's Ingress has another class; a load
balancer in front; an address that leads elsewhere. Or the record does not reach the name's own servers. A CAA
record may forbid the authority.

## How to tell

`Waiting for HTTP-01 challenge propagation: wrong status code '404', expected '200'`, `Waiting for DNS-01
challenge propagation: DNS record for … not yet propagated`, `urn:ietf:params:acme:error:caa`.

## Known limits

Its evidence is the message alone: it is never more than likely. In the first minutes it is the normal wait.
The server that answers instead is not seen.

## References

- cert-manager documentation: Troubleshooting Problems with ACME / Let's Encrypt Certificates; RFC 8555; RFC
  8659
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import class_commands
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "challenge-unanswered", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    look = Step(
        say("check the challenges, and the Ingresses and Pods that should answer them"),
        command=class_commands.solvers(),
    )
    if "caa" in c.verb:
        means = say(
            "a CAA record of the name forbids this authority to issue certificates for it: {reason}",
            reason=c.reason,
        )
        step = mend(
            say(
                "add the authority to the name's CAA records (for Let's Encrypt: 0 issue letsencrypt.org), "
                "or take the authority that they name"
            )
        )
        return make_finding(text, one, means, (step,))
    if c.verb.upper() == "DNS-01" or c.reason.startswith("DNS record "):
        means = say(
            "the authoritative name servers do not return the TXT record of the challenge: {reason}",
            reason=c.reason,
        )
        step = mend(
            say(
                "look at the Challenge's events and at the zone: the record must be in the zone that the "
                "name's NS records lead to; if the cluster's name servers see another zone (split horizon), "
                "give cert-manager --dns01-recursive-nameservers"
            )
        )
        challenges = Step(
            say("check what each Challenge waits for, and for which zone and name"),
            command=command("kubectl describe challenges.acme.cert-manager.io -A"),
        )
        return make_finding(text, one, means, (challenges, step))
    means = say(
        "a server other than the solver answers the challenge at the address of this name: {reason}",
        reason=c.reason,
    )
    step = mend(
        say(
            "let the name's address lead to the Ingress controller of this cluster, and the solver's Ingress "
            "have its class (ingressClassName in the Issuer's solver); see whether another Ingress or a "
            "redirect takes /.well-known/acme-challenge"
        )
    )
    return make_finding(text, one, means, (look, step))


CAUSE = Cause(
    id="program.challenge-unanswered",
    title=say("a certificate authority's challenge is not answered correctly"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
