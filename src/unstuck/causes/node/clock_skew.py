"""The Node's clock is wrong

## How it happens

No program steers the clock, or it cannot reach its time servers: a firewall that drops NTP, a virtual machine
that was paused or restored from a snapshot, a battery clock that is empty or keeps local time. Certificates
that were just issued are then not valid yet on that machine, tokens are refused, leases and events carry
times that were never.

## How to tell

A TLS connection is refused with `certificate has expired or is not yet valid`; newer versions add the time:
`current time … is before …`. On the machine, the kernel's clock is not synchronized (`adjtimex`, or the
output of `timedatectl`).

## Known limits

Such a message alone does not show which of two machines is wrong, and an old wording does not even show
whether the certificate has expired: then this is no more than possible. A clock that is not synchronized may
still be right.

## References

- Go crypto/x509 verify.go; adjtimex(2) STA_UNSYNC; RFC 5280 §4.1.2.5
"""

from __future__ import annotations

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_limits import Clock
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(node: Ref, snap: Facts) -> Signs:
    early = hearsay(snap, Failure, node, lambda f: [f] if f.error == "not-yet-valid" else [])
    vague = hearsay(snap, Failure, node, lambda f: [f] if f.error == "outside-its-time" else [])
    free = some(snap, Clock, node, lambda f: [f] if f.synchronized is False else [])
    wrong = all_of((free, early))
    if wrong.value is None and (early.value or vague.value):
        # The older words may also mean an expired certificate.
        wrong = Sign(None, early.hits or vague.hits, early.seen or vague.seen, wrong.wants)
    return Signs(
        decisive={"a certificate is not valid yet by this clock, and nothing synchronises the clock": wrong},
        supporting={"a certificate is not valid yet by this clock": early},
        finding=lambda: _make_finding(node, early.hits[0], free.hits),
    )


def _make_finding(node: Ref, said: Failure, clock: tuple[Clock, ...]) -> Finding:
    name = node.name or "NODE"
    where = f"node:{name}"
    at = say(" (it read {key})", key=said.key) if said.key else NO_TEXT
    notes = []
    if clock:
        service = clock[0].service
        notes.append(
            say("{service} is running but has not synchronized it", service=service)
            if service
            else say("no time synchronization daemon was found")
        )
        if (ahead := clock[0].ahead_of_rtc) is not None and abs(ahead) >= 2:
            notes.append(say("it is {ahead:.0f} s ahead of the battery clock", ahead=ahead))
    return Finding(
        say("the node's clock, or the certificate issuer's clock, is wrong") + at,
        culprit=Ref("Clock", node.name, "clock"),
        blocks=(node,),
        notes=tuple(notes),
        help=(
            Step(
                say("compare the clocks of the communicating machines"),
                where=where,
                command=command("sh -c 'date -u; timedatectl; chronyc tracking'"),
            ),
            Step(
                say(
                    "run a time synchronization daemon (chrony, systemd-timesyncd) and check that it "
                    "reaches its servers on UDP 123"
                ),
                where=where,
                verify=say("timedatectl shows the clock as synchronized"),
            ),
        ),
        do_not=(
            DoNot(
                say("issue the certificates again first"),
                say("new ones would be just as invalid by this clock"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.clock-skew",
    title=say("the Node's clock is wrong"),
    subjects=("Node",),
    reads=frozenset({Failure, Clock}),
    rule=_rule,
)
