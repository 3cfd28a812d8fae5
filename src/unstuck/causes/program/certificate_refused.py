"""The program ends because it does not accept a server's certificate

## How it happens

The program connects with TLS and refuses the certificate that it is shown: it has expired or is not valid yet (by the clock of the Node),
the image does not trust its authority, it is for another name, or a proxy in between shows its own.

## How to tell

The run ended with an error, nobody ended it, and its last lines say so: `certificate has expired`, `certificate signed by unknown
authority`, `PKIX path building failed`, `self signed certificate`.

## Known limits

Whatever the words name is not looked up: it stays likely.

## References

- Go src/crypto/x509/verify.go; OpenSSL x509_txt.c; OpenJDK sun.security.validator
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_UNCHECKED = DoNot(
    say("turn the check of certificates off"),
    say("whoever stands between the two can then read and change everything"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("certificate-expired", "certificate-misnamed", "certificate-untrusted"), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    whose = say("the certificate of {name}", name=name) if name else say("the certificate")
    match one.complaint.error:
        case "certificate-expired":
            means, step = say(" is outside of its time"), mend(say("renew the server's certificate; check the clock of the Node"))
        case "certificate-misnamed":
            means = say(" is made for other names")
            if made_for := one.complaint.resource:
                means = say(" is made for {names}", names=made_for) + (say(" and not for {name}", name=name) if name else NO_TEXT)
            step = mend(say("address the server by a name in its certificate, or have one made for the name that is used"))
        case _:
            means, step = say(" is not trusted"), mend(say("give the program the authority that signed it"))
    return finding(pod, one, whose + means, (step,), do_not=(_UNCHECKED,))


CAUSE = Cause(
    id="program.certificate-refused",
    title=say("the program ends because it does not accept a server's certificate"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
