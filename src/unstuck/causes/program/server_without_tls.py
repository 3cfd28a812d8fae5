"""A program speaks TLS to a server that does not

## How it happens

The address says `https` and the server behind it answers in plain HTTP, or another protocol: a registry
without a certificate, a port of another service, a proxy that ended TLS before.

## How to tell

`server gave HTTP response to HTTPS client`, `first record does not look like a TLS handshake`, `wrong version
number`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- Go src/net/http/transport.go, src/crypto/tls/conn.go; OpenSSL ssl/record
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
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("not-tls",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    server = write_address(one.complaint)
    means = (
        say("{server} does not use TLS, but the program connects with TLS", server=server)
        if server
        else say("the server does not use TLS, but the program connects with TLS")
    )
    step = mend(
        say(
            "use http:// (for a registry: declare it as insecure), correct the port, or give the server a "
            "certificate"
        )
    )
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.server-without-tls",
    title=say("a program speaks TLS to a server that does not"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
