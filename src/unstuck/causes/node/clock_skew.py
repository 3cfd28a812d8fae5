"""The Node's clock is wrong

## How it happens

No program steers the clock, or it cannot reach its time servers: a firewall that drops NTP, a virtual machine that was paused or restored
from a snapshot, a battery clock that is empty or keeps local time. Certificates that were just issued are then not valid yet on that
machine, tokens are refused, leases and events carry times that were never.

## How to tell

A TLS connection is refused with `certificate has expired or is not yet valid`; newer ones say by which time: `current time … is before
…`. On the machine, the kernel's clock is not synchronized (`adjtimex`), or `timedatectl` says so.

## Known limits

Which of two machines is wrong such a message alone does not tell, and an old wording does not even tell whether the certificate has
expired: then this is no more than possible. A clock that is not synchronized may still be right.

## References

- Go crypto/x509 verify.go; adjtimex(2) STA_UNSYNC; RFC 5280 §4.1.2.5
"""

from __future__ import annotations

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, heard, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_limits import Clock
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(node: Ref, snap: Facts) -> Signs:
    early = heard(snap, Failure, node, lambda f: [f] if f.error == "not-yet-valid" else [])
    vague = heard(snap, Failure, node, lambda f: [f] if f.error == "outside-its-time" else [])
    free = some(snap, Clock, node, lambda f: [f] if f.synchronized is False else [])
    wrong = all_of((free, early))
    if wrong.value is None and (early.value or vague.value):
        # The older words may as well tell of a certificate that has expired.
        wrong = Sign(None, early.hits or vague.hits, early.seen or vague.seen, wrong.wants)
    return Signs(
        decisive={"a certificate is not valid yet by this clock, and nobody steers it": wrong},
        supporting={"a certificate is not valid yet by this clock": early},
        finding=lambda: _finding(node, early.hits[0], free.hits),
    )


def _finding(node: Ref, said: Failure, clock: tuple[Clock, ...]) -> Finding:
    name = node.name or "NODE"
    where = f"node:{name}"
    at = Text(f" (it read {said.key})", f"（当时读数为 {said.key}）") if said.key else Text("", "")
    notes = []
    if clock:
        service = clock[0].service
        notes.append(
            Text(f"{service} is running but has not synchronized it", f"{service} 在运行，但未完成同步")
            if service
            else Text("no time synchronization daemon was found", "未发现时间同步程序")
        )
        if (ahead := clock[0].ahead_of_rtc) is not None and abs(ahead) >= 2:
            notes.append(Text(f"it is {ahead:.0f} s ahead of the battery clock", f"它比硬件时钟快 {ahead:.0f} s"))
    return Finding(
        Text("the node's clock, or the certificate issuer's clock, is wrong", "该节点（或证书签发方）的时钟有误") + at,
        culprit=Ref("Clock", node.name, "clock"),
        blocks=(node,),
        notes=tuple(notes),
        help=(
            Step(
                Text("compare the clocks of the communicating machines", "比较相互通信的各机器的时钟"),
                where=where,
                command=command("sh -c 'date -u; timedatectl; chronyc tracking'"),
            ),
            Step(
                Text(
                    "run a time synchronization daemon (chrony, systemd-timesyncd) and check that it reaches its servers on UDP 123",
                    "运行时间同步程序（chrony、systemd-timesyncd），并确认其可通过 UDP 123 访问服务器",
                ),
                where=where,
                verify=Text("timedatectl shows the clock as synchronized", "timedatectl 显示时钟已同步"),
            ),
        ),
        do_not=(
            DoNot(
                Text("issue the certificates again first", "先重新签发证书"),
                Text("new ones would be just as invalid by this clock", "按这个时钟，新证书同样无效"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.clock-skew",
    title=Text("the Node's clock is wrong", "节点的时钟有误"),
    subjects=("Node",),
    reads=frozenset({Failure, Clock}),
    rule=_rule,
)
