"""A client refuses the certificate that a server shows it

## How it happens

A webhook, an aggregated API server, a metrics endpoint: its certificate was reissued, and its clients still
trust the previous CA; `caBundle` was never filled in; the client calls it by a name that the certificate
lacks; a browser or a script does not know the cluster's authority. The server sees only the client's alert
and its address.

## How to tell

The server's log: `http: TLS handshake error from ADDRESS: remote error: tls: bad certificate` (or `expired
certificate`), etcd's `rejected connection from`, nginx' `while SSL handshaking, client:`. The client's own
log shows which of these it is. Behind a call of one's own the same alert is
program.client-certificate-refused.

## Known limits

Only its address identifies the client. A browser or an external probe causes no harm this way. Its evidence
is the message alone: it is never more than likely.

## References

- Go src/net/http/server.go, src/crypto/tls/alert.go; Kubernetes documentation: Dynamic Admission Control,
  Contacting the webhook
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.derive.certificates import Alert, find_alert
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_WHY: Mapping[Alert, Text] = MappingProxyType[Alert, Text](
    {
        "expired": say(": it has expired"),
        "untrusted": say(": it does not know the authority that signed it"),
        "absent": NO_TEXT,
        "refused": NO_TEXT,
    }
)
_FIND = Step(
    say(
        "see whose address that is (a control plane machine: the API server, which calls webhooks and "
        "aggregated APIs)"
    ),
    command=command("kubectl get nodes,pods -A -o wide"),
)
_TRUST = say(
    "give that client the CA of this server's certificate (of a webhook: caBundle in its configuration; of "
    "an aggregated API: caBundle of the APIService), or have the certificate made for the name that it "
    "calls; what writes caBundle (cert-manager's cainjector, a Job) may not have done so"
)
_RENEW = say("renew this server's certificate, and restart the server if it reads it only at startup")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("serving-certificate-refused",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    alert = find_alert(one.complaint.line) or "refused"
    means = (
        say("the client at {name} refuses this server's certificate", name=one.complaint.name) + _WHY[alert]
    )
    mends: Text = _RENEW if alert == "expired" else _TRUST
    return make_finding(
        pod,
        one,
        means,
        (_FIND, mend(mends)),
        do_not=(
            DoNot(
                say(
                    "issue a certificate from another authority for this server without updating its clients"
                ),
                say("clients that accept it today refuse it, too"),
            ),
        ),
    )


CAUSE = Cause(
    id="program.serving-certificate-refused",
    title=say("a client refuses a server's certificate"),
    subjects=("Text",),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
