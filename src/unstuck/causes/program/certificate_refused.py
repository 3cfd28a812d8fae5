"""The program ends because it does not accept a server's certificate

## How it happens

The program connects with TLS and refuses the certificate that it is shown: it has expired or is not valid yet (by the clock of the Node),
its authority is not among those that the image trusts, it is for another name, or a proxy in between shows its own.

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
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

_UNCHECKED = DoNot(
    Text("turn the check of certificates off", "关闭证书校验"),
    Text("whoever stands between the two can then read and change everything", "处于两者之间的任何人都能读取和篡改全部内容"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("certificate-expired", "certificate-untrusted"), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    of = Text(f" of {name}", f" {name} ") if name else Text("", "对端")
    late = one.complaint.error == "certificate-expired"
    means = (
        Text("the certificate", "")
        + of
        + (Text(" is outside of its time", "的证书不在有效期内") if late else Text(" is not trusted", "的证书不受信任"))
    )
    step = (
        mend(Text("renew the server's certificate; check the clock of the Node", "更新对端的证书；并检查节点的时钟"))
        if late
        else mend(
            Text(
                "give the program the authority that signed it, or address the server by the name in it",
                "让程序信任其签发者，或以证书中的名称访问对端",
            )
        )
    )
    return finding(pod, one, means, (step,), do_not=(_UNCHECKED,))


CAUSE = Cause(
    id="program.certificate-refused",
    title=Text("the program ends because it does not accept a server's certificate", "程序因不接受对端证书而退出"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
