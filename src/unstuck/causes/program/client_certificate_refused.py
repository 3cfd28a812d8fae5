"""A server refuses the certificate that a client shows it, or that it shows none

## How it happens

The server asks its clients for a certificate (etcd, the API server, the kubelet, a webhook, a broker with
mutual TLS). The client has none configured, one signed by another authority, or an expired one: the server
ends the handshake, and the client gets only an alert. Both sides log it, each with its own message.

## How to tell

The client: `remote error: tls: bad certificate`, `certificate required`, `unknown certificate authority`,
`alert unknown ca`, behind a call of its own. The server: `failed to verify client's certificate`, `client
didn't provide a certificate`, `Unable to authenticate the request … x509`. The same alert behind `TLS
handshake error from` is program.serving-certificate-refused.

## Known limits

The alert `bad certificate` covers a missing, a foreign and a damaged one. Its evidence is the message alone:
it is never more than likely.

## References

- Go src/crypto/tls/alert.go, handshake_server.go; RFC 8446 section 6.2
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes._certificates import describe_flaw
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Ref
from unstuck.facts.derive.certificates import Alert, find_alert, find_flaw
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_WHY: Mapping[Alert, Text] = MappingProxyType[Alert, Text](
    {
        "expired": say(": it has expired"),
        "untrusted": say(": it does not know the authority that signed it"),
        "absent": say(": it received none"),
        "refused": NO_TEXT,
    }
)
_MENDS: Mapping[Alert, Text] = MappingProxyType[Alert, Text](
    {
        "expired": say("renew the client's certificate, and have the client read the new one"),
        "untrusted": say(
            "give the client a certificate that the server's client CA has signed, or the server the CA of "
            "this one"
        ),
        "absent": say(
            "give the client a certificate and its key (flags or files for the client's certificate), "
            "signed by the server's client CA"
        ),
        "refused": say(
            "give the client an unexpired certificate signed by the server's client CA, with its key: see "
            "which files the client uses, their issuer and their expiry"
        ),
    }
)
_NOT_ITS_CA = DoNot(
    say("give the client another CA to trust"),
    say("the server's own certificate is not the problem: the server is the side that refuses"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(
        pod,
        snap,
        ("client-certificate-refused", "caller-certificate-refused"),
        lambda one: _make_finding(pod, one),
    )


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    said = one.complaint
    if said.error == "caller-certificate-refused":
        return make_finding(pod, one, _describe_caller(said), (_mend_caller(said),), do_not=(_NOT_ITS_CA,))
    alert = find_alert(said.line) or "refused"
    who = (
        say("{name} refuses the client's certificate", name=said.name)
        if said.name
        else say("the server refuses the client's certificate")
    )
    return make_finding(pod, one, who + _WHY[alert], (mend(_MENDS[alert]),), do_not=(_NOT_ITS_CA,))


def _describe_caller(said: Complaint) -> Text:
    """Return the server's message about the client's certificate."""
    if "didn't provide" in said.line:
        return (
            say("the client at {name} presents no certificate", name=said.name)
            if said.name
            else say("a client presents no certificate")
        )
    whose = (
        say("the certificate of the client at {name}", name=said.name)
        if said.name
        else say("the certificate of a client")
    )
    flaw = find_flaw(said.line)
    return whose + (describe_flaw(flaw) if flaw else say(" is not accepted"))


def _mend_caller(said: Complaint) -> Step:
    if "didn't provide" in said.line:
        return mend(_MENDS["absent"])
    flaw = find_flaw(said.line)
    return mend(_MENDS["expired" if flaw and flaw.flaw in ("expired", "dates") else "untrusted"])


CAUSE = Cause(
    id="program.client-certificate-refused",
    title=say("a server refuses the certificate of its client"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
